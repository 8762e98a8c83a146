// Walks through the page as `contrib/dist/site.sh` makes it, on a server of plain files, in a real browser.
//
//   python3 -m http.server --directory SITE 8643 & SITE_URL=http://127.0.0.1:8643/ node tests/page/site.test.mjs
//
// PLAYWRIGHT names the module (default playwright-core), CHROMIUM the browser, AXE the script of axe-core (left out: no
// check of accessibility), SCREENSHOTS a folder.

import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';

import {
  accessible, clickPoint as clickAt, go as goTo, launch, movesOf as movesAt, place, problems, report, shot, step, text as textOf,
} from './walk.mjs';

const base = process.env.SITE_URL ?? 'http://127.0.0.1:8643/';
const { page, close } = await launch(base);
page.on('request', (request) => {
  const { pathname, origin } = new URL(request.url());
  if (origin === new URL(base).origin && pathname.startsWith('/api/')) problems.push(`asked the server: ${request.url()}`);
});

const go = (path) => goTo(page, base + path);
const clickPoint = (point) => clickAt(page, point);
const movesOf = () => movesAt(page);
const text = (selector) => textOf(page, selector);
const waitText = (selector, wanted, timeout = 10000) => page.waitForFunction(
  ([where, source]) => new RegExp(source).test(document.querySelector(where)?.textContent ?? ''), [selector, wanted.source], { timeout });
const waitMoves = (count, timeout = 10000) => page.waitForFunction(
  (wanted) => (new URL(location.href).searchParams.get('moves') ?? '').split(',').filter(Boolean).length === wanted, count, { timeout });

await step('the page comes up, and moves are made and written in every notation', async () => {
  await go('');
  assert.equal(await page.locator('.board .man').count(), 32);
  await page.waitForSelector('.movable');
  await clickPoint('h2');
  assert.ok(await page.locator('.hint-dot').count() > 5);
  await clickPoint('e2');
  await waitMoves(1);
  for (const [notation, move] of Object.entries({ chinese: '炮二平五', wxf: 'C2=5', iccs: 'H2-E2', uci: 'h2e2' })) {
    await page.getByLabel('Notation').first().selectOption(notation);
    await page.waitForFunction((wanted) => document.querySelector('.tree .move')?.textContent === wanted, move);
  }
});

await step('an illegal move is explained', async () => {
  await page.waitForSelector('.movable');
  await page.mouse.move(...await place(page, 'a9'));
  await page.mouse.down();
  await page.mouse.move(...await place(page, 'a0'), { steps: 4 });
  await page.mouse.up();
  await page.waitForSelector('.status-error');
  assert.match(await text('.status'), /way is blocked/);
});

await step('books say that they need a server', async () => {
  await page.locator('.tab', { hasText: 'Book' }).click();
  await waitText('.panel-book', /This page has no server/);
  await shot(page, 'site-book');
});

const PGN = '[Game "Chinese Chess"]\n[Red "甲"]\n[Black "乙"]\n[Result "1-0"]\n\n1. 炮二平五 马８进７ 2. 马二进三 车９平８ 3. 车一平二 马２进３ 1-0\n';

await step('a pasted game opens', async () => {
  await page.locator('.tab', { hasText: 'File' }).click();
  await page.getByLabel('Paste a FEN or a game of any format').fill(PGN);
  await page.getByRole('button', { name: 'Put it on the board' }).click();
  await page.waitForFunction(() => document.querySelectorAll('.tree .move').length === 6);
  assert.match(await text('.game-title'), /甲/);
});

await step('a game is saved, and a dropped file opens', async () => {
  await page.locator('.tab', { hasText: 'File' }).click();
  await page.getByLabel('Format', { exact: true }).selectOption('xqf');
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save game' }).click()]);
  const bytes = [...readFileSync(await download.path())];
  await page.locator('.controls').getByRole('button', { name: 'New game' }).click();
  await waitMoves(0);
  const transfer = await page.evaluateHandle((all) => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(all)], 'game.xqf'));
    return data;
  }, bytes);
  await page.dispatchEvent('.board', 'drop', { dataTransfer: transfer });
  await page.waitForFunction(() => document.querySelectorAll('.tree .move').length === 6);
});

await step('a review says that it needs a server', async () => {
  await page.locator('.tab', { hasText: 'Review' }).click();
  await page.getByRole('button', { name: 'Review this game' }).click();
  await waitText('.panel-review', /This page has no server/);
  await page.getByRole('button', { name: 'Games', exact: true }).click();
  await waitText('.view-games', /This page has no server/);
  await page.getByRole('button', { name: 'Board', exact: true }).click();
});

await step('the tables say who wins, and play the best line', async () => {
  await go('?fen=3k5/9/9/9/9/9/9/9/4R4/5K3_w_-_-_0_1&tab=table');
  await page.waitForSelector('.sentence');
  assert.match(await text('.sentence'), /^Red wins in \d+ pl/);
  assert.ok(await page.locator('.group.wdl-win li').count() > 3);
  await shot(page, 'site-table');
  await page.getByRole('button', { name: 'Play the best line' }).click();
  await waitText('.status', /Checkmate|Stalemate|ends in/, 15000);
});

await step('the index of tables opens sets and positions', async () => {
  await page.getByRole('button', { name: 'Tables', exact: true }).click();
  await page.waitForSelector('.view-tables tbody tr');
  assert.ok(await page.locator('.view-tables tbody tr').count() > 40);
  await page.locator('.view-tables tbody tr', { hasText: 'KRvKN' }).first().click();
  await page.waitForSelector('.histogram');
  await page.getByRole('button', { name: 'won', exact: true }).click();
  await page.waitForSelector('.sentence');
});

await step('a repetition is judged and its loop shown', async () => {
  await go('?fen=3k5/9/9/9/9/9/9/4R4/9/5K3_w_-_-_0_1&moves=' + Array(4).fill('e2d2,d9e9,d2e2,e9d9').join(','));
  await page.waitForSelector('.arrow-loop');
  assert.match(await text('.status'), /Red loses/);
});

await step('the engine streams lines, stops, goes on, and follows the board', async () => {
  await go('?fen=startpos');
  await page.getByRole('switch').click();
  await page.waitForSelector('.pv .pv-move', { timeout: 15000 });
  assert.match(await text('.facts'), /depth \d+.*nodes\/s/);
  await page.getByLabel('How many lines').selectOption('3');
  await page.waitForFunction(() => document.querySelectorAll('.pv .score').length === 3, undefined, { timeout: 15000 });
  await shot(page, 'site-engine');
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.waitForSelector('.pv .pv-move');
  await clickPoint('h2');
  await clickPoint('e2');
  await waitMoves(1);
  await page.waitForSelector('.pv .pv-move', { timeout: 15000 });
  await page.getByRole('switch').click();
  assert.equal(await page.locator('.arrow-engine').count(), 0);
});

await step('the engine plays a game, and a reload keeps it', async () => {
  await go('?fen=startpos');
  await page.locator('.tab', { hasText: 'Play' }).click();
  await page.getByRole('button', { name: 'Play Black' }).click();
  await waitMoves(1, 15000);
  await page.waitForSelector('.movable');
  await page.getByRole('button', { name: 'Hint' }).click();
  await waitText('.status', /Hint: /, 15000);
  await clickPoint('h9');
  await clickPoint('g7');
  await waitMoves(3, 15000);
  await page.reload();
  await page.waitForSelector('body[data-ready]');
  await page.waitForTimeout(200);
  assert.equal(movesOf().split(',').length, 3);
  await page.getByRole('button', { name: 'Leave the game' }).click();
});

await step('the values stand under the men', async () => {
  await go('?fen=startpos&tab=values');
  await page.waitForSelector('.mark');
  assert.equal(await page.locator('.mark').count(), 30);
});

await step('gomoku is played and proved', async () => {
  await go('?game=gomoku&moves=h8,a1,h9,a2,h10,a3&tab=table');
  await page.locator('.panel-proof').getByRole('button').first().click();
  await page.waitForSelector('.proof-line button', { timeout: 25000 });
  await shot(page, 'site-gomoku');
});

await step('all of it is there in Chinese', async () => {
  await go('');
  await page.locator('#language').click();
  await page.waitForFunction(() => document.documentElement.lang === 'zh-Hans');
  await page.locator('#tab-book').click();
  await waitText('.panel-book', /本页没有服务器/);
  await page.locator('#tab-file').click();
  await page.locator('.panel-file textarea').fill(PGN.replace('马２进３', '马２进９'));
  await page.locator('.panel-file textarea + .row button').first().click();
  await waitText('.status', /第 1 局/);
  await shot(page, 'site-zh');
});

await step('no accessibility issue', () => accessible(page, 'site'));

await step('without a connection the page comes up and moves are made', async () => {
  await go('?fen=startpos');
  await page.evaluate(async () => {
    const isKept = async () => (await (await caches.open('juzhong-page')).keys()).some(({ url }) => url.endsWith('/juzhong.wasm'));
    for (let tries = 0; tries < 400 && !(navigator.serviceWorker.controller && await isKept()); tries += 1) {
      await new Promise((resolve) => { setTimeout(resolve, 50); });
    }
  });
  await page.context().setOffline(true);
  await go('?fen=3k5/9/9/9/9/9/9/9/4R4/5K3_w_-_-_0_1&tab=table');
  await page.waitForSelector('.sentence');
  await page.waitForSelector('.movable');
  await clickPoint('e1');
  await clickPoint('e5');
  await waitMoves(1);
  await page.context().setOffline(false);
});

await close();
report();
