// Walks through the page in a real browser while its server is killed and started again: during a game against the engine,
// an analysis and a review, before the page comes up, and with two windows; and with a library of one large packed file.
//
//   JUZHONG_PROGRAM=target/release/juzhong node tests/page/revive.test.mjs
//
// It starts servers of its own, with the book and tables of a demo's folder, JUZHONG_DEMO, if that is set. The other variables are those of
// page.test.mjs.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { clickPoint, go, launch, movesOf, problems, report, shot, step, text } from './walk.mjs';

const program = process.env.JUZHONG_PROGRAM ?? 'target/release/juzhong';
/** The folder of a demo, for steps that need its book and tables. */
const demo = process.env.JUZHONG_DEMO ?? '';
const LONG = { timeout: 90_000 };
const SAID = /does not answer/;

/** Returns a port that nothing listens on. */
function freePort() {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

const folder = mkdtempSync(join(tmpdir(), 'juzhong-page-'));
const port = await freePort();
const base = `http://127.0.0.1:${port}/`;
/** @type {import('node:child_process').ChildProcess | null} */
let server = null;

/** Starts the server with a library and waits until it answers. */
async function revive(library = 'tests/page/games.jsonl') {
  const options = ['--port', String(port), '--no-demo', '--autosave', 'none', '--library', library, ...demo ? ['--book', join(demo, 'demo.book'), '--tables', join(demo, 'tables')] : []];
  server = spawn(program, ['serve', ...options], { stdio: 'ignore', env: { ...process.env, XDG_CACHE_HOME: folder } });
  for (let tries = 0; tries < 300; tries++) {
    if (await fetch(`${base}api/meta`).then(({ ok }) => ok, () => false)) return;
    await new Promise((done) => { setTimeout(done, 100); });
  }
  throw new Error('the server does not start');
}

/** Whether the server has ended. */
const isGone = () => server?.exitCode !== null || server.signalCode !== null;

/** Kills the server, which has no time to say anything. */
async function kill() {
  if (!server || isGone()) return;
  const gone = new Promise((resolve) => { server.once('exit', resolve); });
  server.kill('SIGKILL');
  await gone;
}

async function open(path = '') {
  const { page, close } = await launch(base, {}, (message) => /Failed to load resource|error occurred when fetching the script/.test(message.text()));
  await go(page, base + path);
  return { page, close };
}

async function playMove(page, from, to) {
  await page.waitForSelector('.movable');
  await clickPoint(page, from);
  await clickPoint(page, to);
}

const waitMoves = (page, wanted) => page.waitForFunction((moves) => (new URL(location.href).searchParams.get('moves') ?? '') === moves, wanted, { timeout: 8000 })
  .catch(() => assert.equal(movesOf(page), wanted));
const waitPlies = (page, count) => page.waitForFunction((wanted) =>
  (new URL(location.href).searchParams.get('moves') ?? '').split(',').filter(Boolean).length === wanted, count, LONG);
const saysAway = (page) => page.waitForFunction(() => /does not answer/.test(document.querySelector('.status')?.textContent ?? ''), undefined, LONG);
const saysNothing = async (page) => {
  await page.waitForFunction(() => !/does not answer/.test(document.querySelector('.status')?.textContent ?? ''), undefined, LONG);
  assert.equal(await page.getByRole('button', { name: 'Try now' }).count(), 0);
};

async function playing() {
  const { page, close } = await open();
  /** When the page asked whether the server is back. @type {number[]} */
  const asked = [];
  await step('a server that dies while the engine thinks is asked again after growing pauses, and the game goes on', async () => {
    await page.keyboard.press('p');
    await page.getByLabel('Level').selectOption('10');
    await page.getByLabel('Seconds a move').fill('6');
    await page.getByLabel('Seconds a move').blur();
    await page.getByLabel('use the book').uncheck();
    await page.getByRole('button', { name: 'Play Red' }).click();
    await playMove(page, 'h2', 'e2');
    await page.waitForTimeout(1000);
    page.on('request', (request) => { if (request.url().includes('/api/meta')) asked.push(Date.now()); });
    await kill();
    await saysAway(page);
    assert.match(await text(page, '.panel-play'), /It is the turn of/);
    await page.keyboard.press('ArrowLeft');
    await waitMoves(page, '');
    await page.keyboard.press('ArrowRight');
    await waitMoves(page, 'h2e2');
    await page.waitForTimeout(8500);
    assert.ok(asked.length >= 3, `${asked.length} questions`);
    const pauses = asked.slice(1).map((time, at) => time - (asked[at] ?? 0));
    console.log(`     asked again after ${pauses.join(', ')} ms`);
    pauses.slice(1).forEach((pause, at) => assert.ok(pause > pauses[at] * 1.5, pauses.join()));
    assert.match(await text(page, '.status'), SAID);
    await shot(page, 'revive-playing');
    await revive();
    await page.getByRole('button', { name: 'Try now' }).click();
    await waitPlies(page, 2);
    await page.waitForFunction(() => /Your move/.test(document.querySelector('.panel-play')?.textContent ?? ''), undefined, LONG);
    await saysNothing(page);
    await playMove(page, 'h0', 'g2');
    await waitPlies(page, 4);
    await page.getByRole('button', { name: 'Leave the game' }).click();
  });
  await close();
}

async function analysing() {
  const { page, close } = await open('?moves=h2e2');
  await step('a server that dies during an analysis: the board works, and the analysis goes on by itself', async () => {
    await page.keyboard.press('e');
    await page.waitForSelector('.pv .score', LONG);
    await kill();
    await saysAway(page);
    await playMove(page, 'h9', 'g7');
    await waitMoves(page, 'h2e2,h9g7');
    await playMove(page, 'h0', 'g2');
    await waitMoves(page, 'h2e2,h9g7,h0g2');
    await shot(page, 'revive-analysing');
    assert.equal(await page.locator('.pv .score').count(), 0);
    await revive();
    await saysNothing(page);
    await page.waitForSelector('.pv .score', LONG);
    assert.equal(await page.locator('.panel-engine .bad').count(), 0);
    await page.keyboard.press('e');
  });
  await close();
}

async function reviewing() {
  const { page, close } = await open('?moves=h2e2,h9g7,h0g2,i9h9,b2b9,a9b9,e2e6,g7e6,i0h0,e6d4&tab=review');
  await step('a server that dies during a review makes it anew when it is back', async () => {
    await page.getByLabel('How thorough').selectOption('200000');
    await page.getByRole('button', { name: 'Review this game' }).click();
    await page.waitForFunction(() => document.querySelector('.review-bar')?.hidden === false, undefined, LONG);
    await page.waitForTimeout(1500);
    await kill();
    await saysAway(page);
    await page.waitForFunction(() => /begins again once the server is back/.test(document.querySelector('.panel-review')?.textContent ?? ''), undefined, LONG);
    await page.keyboard.press('ArrowLeft');
    await shot(page, 'revive-reviewing');
    await revive();
    await page.waitForSelector('.accuracy', LONG);
    await saysNothing(page);
    assert.doesNotMatch(await text(page, '.panel-review'), /once the server is back/);
  });
  await step('a review that waits for the server can be given up', async () => {
    await page.getByRole('button', { name: 'Review this game' }).click();
    await page.waitForTimeout(800);
    await kill();
    await page.waitForFunction(() => /begins again once/.test(document.querySelector('.panel-review')?.textContent ?? ''), undefined, LONG);
    await page.locator('.panel-review').getByRole('button', { name: 'Stop' }).click();
    assert.doesNotMatch(await text(page, '.panel-review'), /once the server is back/);
    await revive();
    await saysNothing(page);
    await page.getByRole('button', { name: 'Review this game' }).waitFor();
    assert.equal(await page.locator('.accuracy').count(), 0);
  });
  await close();
}

/** Returns a position of the tables that is won in some moves, with its moves, the best first. */
async function longWin() {
  for (let round = 0; round < 100; round++) {
    const { fen } = await (await fetch(`${base}api/table/random?set=KRvKN&wdl=win`)).json();
    const { distance, moves } = await (await fetch(`${base}api/table?fen=${encodeURIComponent(fen)}`)).json();
    if (distance > 6) return { fen, moves };
  }
  throw new Error('no position was found');
}

async function teaching() {
  if (!demo) return;
  const { fen, moves } = await longWin();
  const { page, close } = await open(`?fen=${fen.replaceAll(' ', '_')}&tab=table`);
  const said = (pattern) => page.waitForFunction(([source]) => new RegExp(source).test(document.querySelector('.lesson-body')?.textContent ?? ''), [pattern.source], LONG);
  await step('an ending against the tables goes on after the server was away: needs a demo', async () => {
    await page.getByRole('button', { name: 'Practise' }).click();
    await said(/to move and (win|hold)/);
    await page.waitForSelector('.movable');
    await kill();
    const moved = page.waitForFunction(() => document.querySelectorAll('.tree .move').length === 1, undefined, LONG);
    await clickPoint(page, moves[0].move.slice(0, 2));
    await clickPoint(page, moves[0].move.slice(2));
    await moved;
    await said(/does not answer/);
    await revive();
    await page.waitForFunction(() => document.querySelectorAll('.tree .move').length === 2, undefined, LONG);
    await said(/to move\./);
    await page.getByRole('button', { name: 'End the lesson' }).click();
  });
  await step('openings from the book go on after the server was away: needs a demo', async () => {
    await page.locator('.controls').getByRole('button', { name: 'New game' }).click();
    await page.keyboard.press('p');
    await page.getByRole('button', { name: 'Openings from the book' }).click();
    await page.locator('.panel-lesson').getByRole('button', { name: 'Red', exact: true }).click();
    await said(/what does the book play/);
    await kill();
    await clickPoint(page, 'h2');
    await clickPoint(page, 'e2');
    await said(/does not answer/);
    await revive();
    await said(/what does the book play/);
    await waitPlies(page, 2);
    await page.getByRole('button', { name: 'End the lesson' }).click();
  });
  await close();
}

async function comingUp() {
  const { page, close } = await open('?moves=h2e2');
  await step('a page that comes up without its server goes on once it is there', async () => {
    await page.waitForFunction(() => navigator.serviceWorker.controller, undefined, LONG);
    await kill();
    await page.reload();
    await page.waitForSelector('body[data-ready]');
    await saysAway(page);
    await playMove(page, 'h9', 'g7');
    await waitMoves(page, 'h2e2,h9g7');
    await page.getByRole('button', { name: 'Games', exact: true }).click();
    await revive();
    await page.waitForSelector('.library tbody tr', LONG);
    await page.locator('.nav', { hasText: 'Board' }).click();
    await saysNothing(page);
    await waitMoves(page, 'h2e2,h9g7');
    await page.waitForFunction(() => /Red to move/.test(document.querySelector('.status')?.textContent ?? ''), undefined, LONG);
  });
  await close();
}

async function windows() {
  const { page, close } = await open();
  await step('two windows keep their games, an engine game among them, while the server is away', async () => {
    await page.keyboard.press('p');
    await page.getByLabel('Level').selectOption('1');
    await page.getByRole('button', { name: 'Play Red' }).click();
    await playMove(page, 'h2', 'e2');
    await waitPlies(page, 2);
    const played = movesOf(page);
    const other = await page.context().newPage();
    await go(other, base);
    await other.locator('.controls').getByRole('button', { name: 'New game' }).click();
    await playMove(other, 'b2', 'd2');
    await waitMoves(other, 'b2d2');
    await kill();
    await playMove(other, 'b9', 'c7');
    await waitMoves(other, 'b2d2,b9c7');
    await revive();
    await saysNothing(other);
    await other.reload();
    await other.waitForSelector('body[data-ready]');
    await waitMoves(other, 'b2d2,b9c7');
    assert.equal(await other.getByRole('button', { name: 'Resign' }).count(), 0);
    await page.bringToFront();
    await waitMoves(page, played);
    await page.reload();
    await page.waitForSelector('body[data-ready]');
    await waitMoves(page, played);
    await playMove(page, 'h0', 'g2');
    await waitPlies(page, 4);
    await other.close();
  });
  await close();
}

/** Games of the packed file, and the most milliseconds that one takes to open. */
const GAMES = 58_000;
const AT_ONCE = 200;

/** Writes a packed file of games that differ in their players and first moves. */
function packed() {
  const moves = ['h2e2 h9g7 h0g2 i9h9', 'b2e2 b9c7 b0c2 a9b9', 'g3g4 g6g5 h2e2 h9g7', 'c3c4 c6c5 b2e2 b9c7'];
  const lines = Array.from({ length: GAMES }, (_, at) => JSON.stringify({ tags: { Red: `Red ${at}`, Black: `Black ${at % 977}` }, moves: moves[at % 4], result: '*' }));
  const path = join(folder, 'packed.jsonl.gz');
  writeFileSync(path, gzipSync(lines.join('\n')));
  return path;
}

async function library() {
  await kill();
  await revive(packed());
  const { page, close } = await open('?view=games&copies=1&sort=place&desc=1');
  await step('any game of a packed file of 58,000 opens within 0.2 s', async () => {
    await page.waitForFunction((wanted) => document.querySelector('.library [role="status"]')?.textContent.startsWith(wanted) &&
      !document.querySelector('.progress-line'), '58,000 games', LONG);
    let best = Infinity;
    // The machine may do other things: the best of some games counts.
    for (const [at, title] of [[0, 'Red 57999'], [30, 'Red 57969'], [49, 'Red 57950']]) {
      const spent = await page.evaluate(([row, name]) => new Promise((resolve) => {
        const start = performance.now();
        document.querySelectorAll('.library tbody tr')[row].click();
        const look = () => {
          const shown = document.body.dataset.view === 'board' && document.querySelector('.game-title')?.textContent.startsWith(name) && document.querySelector('.tree .move');
          if (shown) resolve(performance.now() - start); else requestAnimationFrame(look);
        };
        look();
      }), [at, title]);
      best = Math.min(best, spent);
      console.log(`     ${title} after ${Math.round(spent)} ms`);
      await page.goBack();
      await page.waitForSelector('.library tbody tr');
    }
    assert.ok(best < AT_ONCE, `${best} ms`);
  });
  await close();
}

for (const part of [playing, analysing, reviewing, teaching, comingUp, windows, library]) {
  try {
    if (isGone()) await revive();
    await part();
  } catch (error) {
    problems.push(`${part.name}: ${error.stack}`);
  }
}
await kill();
rmSync(folder, { recursive: true, force: true });
report();
