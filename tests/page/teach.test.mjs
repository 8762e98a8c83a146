// Walks through what teaches: the report of a review, learning from mistakes, exercises that are due, endings without
// spoilers, the course of endings, the trainers of openings and of repertoires, and what the board tells beside it.
//
//   JUZHONG_URL=http://127.0.0.1:8642/ node tests/page/teach.test.mjs
//
// As page.test.mjs; the server needs the demo's book and tables. Steps that need more say so: exercises (--train) and their
// token (JUZHONG_TOKEN).

import assert from 'node:assert/strict';

import { accessible, clickPoint, go as goTo, launch, movesOf, report, shot, step, text } from './walk.mjs';

const base = process.env.JUZHONG_URL ?? 'http://127.0.0.1:8642/';
const token = process.env.JUZHONG_TOKEN ?? '';
const meta = await (await fetch(`${base}api/meta`)).json();
const LONG = { timeout: 90000 };

/** Errors that the page expects. */
const EXPECTED = /Failed to load resource: the server responded with a status of (400|403|404|405|422)/;

async function open(options = {}) {
  const { path = '', ...rest } = options;
  const { page, close } = await launch(base, rest, (message) => EXPECTED.test(message.text()));
  await goTo(page, base + path);
  return { page, close };
}

const go = (page, path) => goTo(page, base + path);
const lesson = (page) => page.locator('.panel-lesson');
const said = (page, pattern, options = { timeout: 20000 }) => page.waitForFunction(([source]) =>
  new RegExp(source).test(document.querySelector('.panel-lesson .lesson-body')?.textContent ?? ''), [pattern.source], options);

/** Makes a move of xiangqi by mouse. */
async function move(page, uci) {
  await page.waitForSelector('.movable');
  await clickPoint(page, uci.slice(0, 2));
  await clickPoint(page, uci.slice(2));
}

/** A game in which Red gives both cannons away. */
const GAME = 'h2e2,h9g7,h0g2,i9h9,b2b9,a9b9,e2e6,g7e6,i0h0,e6d4';

async function reviews() {
  const { page, close } = await open({ path: `?moves=${GAME}&tab=review` });
  await step('a review tells sums, certainty and what percentages are of', async () => {
    const streamed = page.waitForResponse(/\/api\/review/);
    await page.getByLabel('How thorough').selectOption('5000');
    await page.getByRole('button', { name: 'Review this game' }).click();
    await streamed;
    await page.waitForSelector('.accuracy', LONG);
    assert.ok(await page.locator('.curve .dot').count() >= 9);
    assert.match(await page.locator('.accuracy').getAttribute('title'), /mean over the moves/);
    assert.match(await page.locator('.curve .dot title').first().textContent(), /expected score of Red: \d+ %/);
    assert.match(await text(page, '.report'), /Percentages are of the expected score/);
    await shot(page, 'teach-review-1280-en');
  });
  await step('a review counts marks a side and says how sure they are', async () => {
    const rows = await text(page, '.sums');
    for (const name of ['Inaccuracies ?!', 'Mistakes ?', 'Blunders ??', 'Points lost']) assert.ok(rows.toLowerCase().includes(name.toLowerCase()), rows);
    assert.match(await page.locator('.mistakes .num').first().getAttribute('title'), /fell from \d+ % to \d+ %/);
    assert.ok(await page.locator('.mistakes .badge').count() > 0);
  });
  await step('the gauge tells the value of the review, and none where there is none', async () => {
    await page.keyboard.press('End');
    await page.waitForFunction(() => /by the review/.test(document.querySelector('.gauge')?.getAttribute('aria-label') ?? ''));
    await page.keyboard.press('Home');
    await page.waitForSelector('.gauge-none', { state: 'attached' });
  });
  await step('the better line becomes a variation, with a small board on the way', async () => {
    const better = page.locator('.mistakes .better .link').first();
    await better.hover();
    await page.waitForSelector('.preview .man');
    await shot(page, 'teach-preview-1280-en');
    await better.click();
    await page.waitForSelector('.variation');
    assert.equal(await page.locator('.badge-study').count(), 0);
  });
  await close();
}

/** A review as the server streams it, with what the demo's games lack: clocks, and an ending of the tables. */
const EVENTS = [
  ...[0, 1, 2].map((ply) => ['value', { ply, outlook: 0.5 + ply / 10, score: { cp: 40 * ply } }]), ['progress', { done: 3, of: 3 }],
  ['move', { ply: 1, move: 'h2e2', text: '炮二平五', source: 'book', score: { cp: 40 }, best: 'h2e2', loss: 0, mark: null, certainty: null, known: true, phase: 'opening',
    outlook: 0.6, book: { games: 233, share: 0.58, score: 0.54, known: true }, table: null, words: null, time_used: 75, better: [], better_texts: [], only_move: false,
    before: { expected: 0.5 }, after: { expected: 0.5 } }],
  ['move', { ply: 2, move: 'h9g7', text: '马８进７', source: 'table', score: { cp: -80 }, best: 'b9c7', best_text: '马２进３', loss: 0.5, mark: 'blunder', certainty: 'proved', known: false,
    phase: 'opening', outlook: 0.7, book: null, table: null, words: 'Throws away a won ending: KRvKN, win in 31 plies; now it is a draw.', time_used: 5, better: ['b9c7', 'b0c2'],
    better_texts: ['马２进３', '马八进七'], only_move: false, before: { expected: 1 }, after: { expected: 0.5 } }],
  ['done', { accuracy: { red: 99, black: 20 }, turning_point: 2, decided: { ply: 2, side: 'red', before: 0.4, after: 0.7 },
    left_book: { ply: 2, move: 'h9g7', text: '马８进７', book_move: 'b9c7', book_text: '马２进３', book: { games: 12, share: 0.1, score: null, known: false } },
    sides: { first: sums(0, 75), second: sums(1, 5) } }]];

function sums(blunders, time) {
  const none = { moves: 0, accuracy: null, lost: 0 };
  return { moves: 1, accuracy: 50, mean_loss_cp: 10, inaccuracies: 0, mistakes: 0, blunders, lost: blunders / 2, time_used: time,
    phases: { opening: { moves: 1, accuracy: 50, lost: 0 }, middle_game: none, ending: none } };
}

const stream = (events) => ({ contentType: 'text/event-stream', body: events.map(([event, data]) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join('') });

async function streamed() {
  const { page, close } = await open({ path: '?moves=h2e2,h9g7&tab=review' });
  let events = EVENTS.slice(0, 4);
  await page.route('**/api/review?*', (route) => route.fulfill(stream(events)));
  await step('the curve grows with the values that come', async () => {
    await page.getByRole('button', { name: 'Review this game' }).click();
    await page.waitForSelector('.curve .trace');
    assert.equal((await page.locator('.curve .trace').getAttribute('d')).split('L').length, 3);
    assert.equal(await page.locator('.accuracy').count(), 0);
  });
  await step('a review says books, tables, rules and times in words', async () => {
    events = EVENTS;
    await page.getByRole('button', { name: 'Review this game' }).click();
    await page.waitForSelector('.sums');
    const told = (await text(page, '.report')).replaceAll(/\s+/g, ' ');
    for (const part of [/Time used 1:15 5 s/, /Blunders \?\? 0 1/, /Points lost 0\.00 0\.50/, /Left the book with 1… 马８进７ · the book plays 马２进３ \(12 games\)/,
      /Turning point: 1… 马８进７ · expected score of Red: 40 % → 70 %/, /−50 % proved/, /Throws away a won ending: KRvKN, win in 31 plies/, /better: 马２进３ ?马八进七/]) assert.match(told, part);
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(() => /book: 233 games, 58 % of those here · scores 54 % there · known well · 1:15 used/.test(document.querySelector('.move-note')?.textContent ?? ''));
    await page.locator('.panels').evaluate((box) => box.scrollTo(0, 160));
    await shot(page, 'teach-report-1280-en');
    await page.locator('.better .link').nth(1).click();
    await page.waitForFunction(() => location.search.includes('h2e2,b9c7,b0c2'));
    await accessible(page, 'report');
  });
  await step('a verdict tells book, tables and engine, and a wrong move goes back', async () => {
    const right = { move: 'b9c7', text: '马２进３', book: { games: 12, score: 0.5 }, table: null, score: { score_cp: 20, mate: null }, line: ['b9c7'] };
    await page.route('**/api/train/judge*', (route) => {
      const { move: mv, played, better } = route.request().postDataJSON();
      assert.deepEqual([played, better], ['h9g7', ['b9c7', 'b0c2']]);
      const search = { move: { score_cp: -80, mate: null }, right: { score_cp: 20, mate: null }, loss: 0.2 };
      return route.fulfill({ json: { move: mv, text: mv, right: mv === 'b9c7', ground: 'search', book: mv === 'b9c7' ? right.book : null,
        table: null, search: mv === 'b9c7' ? null : search, accepted: [right], due: null, days: 0 } });
    });
    await page.getByRole('button', { name: 'Learn from your mistakes' }).click();
    await said(page, /1… 马８进７\?\? was played\. Find a better move for Black/);
    await move(page, 'a6a5');
    await said(page, /a6a5 is not it\.[^]*Engine: −0\.80, and \+0\.20 after the better move; 20 % of the expected score is lost/);
    await lesson(page).getByRole('button', { name: 'Try again' }).click();
    await said(page, /was played/);
    assert.equal(movesOf(page), 'h2e2');
    await move(page, 'b9c7');
    await said(page, /b9c7 is right\.[^]*Book: 12 games, scores 50 %/);
    await lesson(page).getByRole('button', { name: 'Next' }).click();
    await said(page, /0 of 1 found at the first try/);
    await shot(page, 'teach-found-1280-en');
  });
  await close();
}

async function mistakes() {
  const { page, close } = await open({ path: `?moves=${GAME}&tab=review` });
  await step('mistakes are tried again after a review', async () => {
    await page.getByLabel('How thorough').selectOption('5000');
    await page.getByRole('button', { name: 'Review this game' }).click();
    await page.waitForSelector('.learn', LONG);
    await page.getByRole('button', { name: 'Learn from your mistakes' }).click();
    await lesson(page).waitFor();
    const side = lesson(page).getByRole('button', { name: /^Both/ });
    if (await side.count() > 0) await side.click();
    await said(page, /was played\. Find a better move for (Red|Black)/);
    assert.ok(await page.locator('.panel-engine').isHidden() && await page.locator('.lower').isHidden());
    assert.ok(await page.locator('.arrow-table-loss').count() === 1);
    await shot(page, 'teach-mistake-1280-en');
    await accessible(page, 'mistakes');
  });
  await step('the move of the game is no answer, and the solution is a variation', async () => {
    const plies = movesOf(page).split(',').filter(Boolean).length;
    await move(page, GAME.split(',')[plies]);
    await said(page, /That is the move of the game/);
    await lesson(page).getByRole('button', { name: 'Try again' }).click();
    await said(page, /was played/);
    assert.equal(movesOf(page).split(',').filter(Boolean).length, plies);
    await lesson(page).getByRole('button', { name: 'Show the solution' }).click();
    await said(page, /Better is/);
    await page.waitForSelector('.variation');
    await shot(page, 'teach-solution-1280-en');
  });
  await step('a lesson says at its end how much was found', async () => {
    for (let round = 0; round < 12; round++) {
      const next = lesson(page).getByRole('button', { name: /^(Next|Skip)$/ });
      if (await next.count() === 0) break;
      await next.first().click();
    }
    await said(page, /0 of \d+ found at the first try/);
    await lesson(page).getByRole('button', { name: 'End the lesson' }).first().click();
    await lesson(page).waitFor({ state: 'detached' });
    assert.ok(await page.locator('.panel-engine').isVisible());
  });
  await step('a try is judged by book, tables and engine', async () => {
    const body = { moves: 'h2e2,h9g7,h0g2,i9h9', played: 'i0h0', better: ['i0i1'], move: 'h0g2' };
    const answer = await page.evaluate(async (question) => (await fetch('/api/train/judge',
      { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(question) })).status, body);
    assert.equal(answer, 400);
    await page.getByRole('button', { name: 'Learn from your mistakes' }).click();
    const side = lesson(page).getByRole('button', { name: /^Both/ });
    if (await side.count() > 0) await side.click();
    await said(page, /was played/);
    const plies = movesOf(page).split(',').filter(Boolean).length;
    await move(page, plies % 2 === 0 ? 'a3a4' : 'a6a5');
    await said(page, /is right|is not it/, LONG);
    assert.match(await text(page, '.lesson-body'), /Engine:|Book:|Tables:|is right/);
  });
  await close();
}

async function endings() {
  const { page, close } = await open({ path: '?view=tables&set=KRvKN' });
  await step('an ending begins without arrows, lists and values', async () => {
    await page.getByRole('button', { name: 'won', exact: true }).click();
    await said(page, /to move and win/);
    assert.equal(await page.locator('.arrow').count(), 0);
    assert.ok(await page.locator('.lower').isHidden());
    assert.ok(await page.locator('.gauge-none').count() === 1);
    await shot(page, 'teach-ending-1280-en');
    await accessible(page, 'ending');
  });
  await step('the piece and the moves are shown when asked for', async () => {
    await lesson(page).getByRole('button', { name: 'Show the piece' }).click();
    assert.equal(await page.locator('.arrow circle').count(), 1);
    await lesson(page).getByRole('button', { name: 'Show the moves' }).click();
    await said(page, /pl(y|ies)\)/);
    assert.ok(await page.locator('.arrow path').count() > 0);
    await lesson(page).getByRole('button', { name: 'End the lesson' }).click();
  });
  let FEN = '';
  await step('a move that lets the win go is told at once, with the move that kept it', async () => {
    FEN = (await some(page)).replaceAll(' ', '_');
    await go(page, `?fen=${FEN}&tab=table`);
    await page.getByRole('button', { name: 'Practise' }).click();
    await said(page, /to move and win/);
    const bad = await worst(page, FEN);
    await move(page, bad);
    await said(page, /The win is gone: now it is/);
    assert.match(await text(page, '.lesson-body'), /kept it/);
    await shot(page, 'teach-gone-1280-en');
    await lesson(page).getByRole('button', { name: 'Take it back' }).click();
    await said(page, /to move and win/);
    assert.equal(movesOf(page), '');
  });
  await step('an ending is played out against perfect defence', async () => {
    for (let round = 0; round < 30; round++) {
      if (/^Won/.test(await text(page, '.lesson-body'))) break;
      const place = new URL(page.url()).searchParams;
      const way = place.get('moves') ?? '';
      await move(page, await best(page, place.get('fen') ?? FEN, way));
      await page.waitForFunction((plies) => {
        const told = document.querySelector('.lesson-body')?.textContent ?? '';
        return /^Won/.test(told) || (/^(Right|Still)/.test(told) && (new URL(location.href).searchParams.get('moves') ?? '').split(',').length === plies);
      }, way.split(',').filter(Boolean).length + 2, { timeout: 20000 }).catch(async (error) => {
        throw new Error(`${page.url()}: ${await text(page, '.lesson-body')}`, { cause: error });
      });
    }
    assert.match(await text(page, '.lesson-body'), /^Won · \d+ plies · best play takes \d+ plies/);
    await shot(page, 'teach-won-1280-en');
  });
  await step('the game that was there comes back after a lesson', async () => {
    await go(page, '?moves=h2e2,h9g7');
    await page.locator('#tab-play').click();
    await page.getByRole('button', { name: 'Endings against the tables' }).click();
    await said(page, /to move and win/);
    await lesson(page).getByRole('button', { name: 'End the lesson' }).click();
    await page.waitForFunction(() => location.search.includes('h2e2,h9g7'));
  });
  await close();
}

const table = (page, fen, moves = '') => page.evaluate(async ([at, way]) =>
  (await fetch(`/api/table?fen=${encodeURIComponent(at.replaceAll('_', ' '))}&moves=${way}`)).json(), [fen, moves]);
/** Returns a won position that takes some moves, and in which a move lets the win go. */
async function some(page) {
  for (let round = 0; round < 60; round++) {
    const { fen } = await page.evaluate(async () => (await fetch('/api/table/random?set=KRvKN&wdl=win')).json());
    const { distance, moves } = await table(page, fen);
    if (distance > 3 && distance < 14 && moves.some(({ wdl }) => wdl !== 'win')) return fen;
  }
  throw new Error('no position was found');
}
const best = async (page, fen, moves) => (await table(page, fen, moves)).moves[0].move;
const worst = async (page, fen) => (await table(page, fen)).moves.find(({ wdl }) => wdl !== 'win').move;

async function openings() {
  const { page, close } = await open();
  // The opponent always plays the first move that the book has: lines of the book are of any length.
  await page.evaluate(() => { Math.random = () => 0; });
  await step('the opponent answers from the book, and a move that it does not have is told', async () => {
    await page.locator('.controls').getByRole('button', { name: 'New game' }).click();
    await page.locator('#tab-play').click();
    await page.getByRole('button', { name: 'Openings from the book' }).click();
    await lesson(page).getByRole('button', { name: 'Red', exact: true }).click();
    await said(page, /what does the book play/);
    assert.ok(!await page.locator('.welcome').isVisible());
    await move(page, 'a3a4');
    await said(page, /is not in the book/);
    await shot(page, 'teach-opening-1280-en');
    await lesson(page).getByRole('button', { name: 'Show the moves' }).click();
    await said(page, /\(\d+\)/);
    await move(page, 'h2e2');
    await said(page, /is in the book[^]*Book: /);
    assert.equal(movesOf(page).split(',').length, 2);
    await accessible(page, 'openings');
  });
  await step('a line of the book ends with what was known', async () => {
    for (let round = 0; round < 60; round++) {
      if (/The book ends here/.test(await text(page, '.lesson-body'))) break;
      const place = movesOf(page);
      const known = await page.evaluate(async (way) => (await fetch(`/api/book?moves=${way}`)).json(), place);
      // What is said of the end comes a moment after the opponent's move.
      if (known.moves.length === 0) break;
      await move(page, known.moves[0].move);
      await page.waitForFunction((before) => (new URL(location.href).searchParams.get('moves') ?? '').length > before + 8 ||
        /The book ends here/.test(document.querySelector('.lesson-body')?.textContent ?? ''), place.length, { timeout: 15000 });
      await said(page, /what does the book play|The book ends here/);
    }
    await said(page, /The book ends here: \d+ of \d+ moves known[^]*To be learnt/);
    await lesson(page).getByRole('button', { name: 'Keep this line and end' }).click();
    await lesson(page).waitFor({ state: 'detached' });
    assert.ok(movesOf(page).length > 8);
  });
  await step('a line of the book that comes back to a position ends there', async () => {
    const loop = ['a0a1', 'a9a8', 'a1a0', 'a8a9'];
    await page.route('**/api/book?*', async (route) => {
      const made = new URL(route.request().url()).searchParams.get('moves') || '';
      const move = loop[made.split(',').filter(Boolean).length % 4];
      await route.fulfill({ json: { total: 9, moves: [{ move, text: '', games: 9, weight: 9, flags: [] }] } });
    });
    // A game before the lesson, be it a loop, is no part of the line.
    for (const before of [[], loop]) {
      await go(page, `?moves=${before.join(',')}`);
      await page.locator('#tab-play').click();
      await page.getByRole('button', { name: 'Openings from the book' }).click();
      await lesson(page).getByRole('button', { name: 'Red', exact: true }).click();
      for (const at of [0, 2]) {
        await page.waitForFunction((wanted) => (new URL(location.href).searchParams.get('moves') ?? '').split(',').filter(Boolean).length === wanted, before.length + at);
        await said(page, /what does the book play/);
        await move(page, loop[at]);
      }
      await said(page, /The line comes back to a position that it has had\. 2 of 2 moves known/);
      assert.equal(movesOf(page), [...before, ...loop].join(','));
      await lesson(page).getByRole('button', { name: 'Keep this line and end' }).click();
    }
    await page.unroute('**/api/book?*');
  });
  await close();
}

/** Returns the moves that win. */
const winning = async (page, fen) => (await table(page, fen)).moves.filter(({ wdl }) => wdl === 'win');

async function course() {
  const { page, close } = await open();
  await step('each ending of the course has one move that wins, and they go from short to long', async () => {
    const endings = await page.evaluate(async () => (await import('/teach/course.js')).COURSE);
    assert.ok(endings.length >= 20 && endings.length <= 40, String(endings.length));
    assert.equal(new Set(endings.map(({ fen }) => fen)).size, endings.length);
    const answers = await page.evaluate((fens) => Promise.all(fens.map(async (fen) => (await fetch(`/api/table?fen=${encodeURIComponent(fen)}`)).json())), endings.map(({ fen }) => fen));
    answers.forEach(({ wdl, distance, moves }, at) => {
      const { fen, plies } = endings[at];
      assert.deepEqual([wdl, distance, moves.filter((one) => one.wdl === 'win').length], ['win', plies, 1], fen);
      assert.ok(at === 0 || endings[at - 1].plies <= plies, fen);
    });
  });
  await step('the course goes on where it was, and tells what was won', async () => {
    await page.locator('#tab-play').click();
    await page.getByRole('button', { name: 'Course of endings' }).click();
    await said(page, /to move and win\.[^]*One move alone wins/);
    assert.equal(await page.locator('.arrow').count(), 0);
    assert.match(await text(page, '.panel-lesson .panel-head'), /0 of \d+ won/);
    await shot(page, 'teach-course-1280-en');
    await accessible(page, 'course');
    await move(page, (await winning(page, new URL(page.url()).searchParams.get('fen') ?? ''))[0].move);
    await said(page, /^Won · 1 ply/);
    await lesson(page).getByRole('button', { name: 'Next' }).click();
    await said(page, /to move and win/);
    assert.match(await text(page, '.panel-lesson .panel-head'), /1 of \d+ won/);
    await lesson(page).getByRole('button', { name: 'End the lesson' }).click();
    await page.getByRole('button', { name: 'Course of endings' }).click();
    await said(page, /to move and win/);
    assert.equal(await page.getByLabel('Ending of the course').inputValue(), '1');
    assert.match(await page.getByLabel('Ending of the course').locator('option').first().textContent(), /^1 · KCPvK ✓$/);
  });
  await step('an ending of the course whose win is let go does not count', async () => {
    const fen = new URL(page.url()).searchParams.get('fen') ?? '';
    await move(page, await worst(page, fen));
    await said(page, /The win is gone[^]*kept it/);
    await lesson(page).getByRole('button', { name: 'Take it back' }).click();
    await said(page, /to move and win/);
    await move(page, (await winning(page, fen))[0].move);
    await said(page, /^Won[^]*with a move taken back/);
    await lesson(page).getByRole('button', { name: 'Next' }).click();
    await said(page, /to move and win/);
    assert.match(await text(page, '.panel-lesson .panel-head'), /1 of \d+ won/);
  });
  await close();
}

/** A repertoire for Red with variations, a comment, and a move that it warns of. */
const REPERTOIRE = '[Event "r"]\n\n1. h2e2 (1. c3c4 $2 {too slow}) h9g7 (1... b9c7 2. b0c2) 2. h0g2 {the horse first} *\n';

async function repertoire() {
  const { page, close } = await open();
  await step('without moves on the board the trainer says what it needs', async () => {
    await page.locator('#tab-play').click();
    await page.getByRole('button', { name: 'Repertoire on the board' }).click();
    await said(page, /There is no repertoire on the board/);
    await lesson(page).getByRole('button', { name: 'End the lesson' }).click();
  });
  await step('a game with variations is a repertoire: moves off it are told with its own', async () => {
    await page.locator('#tab-file').click();
    await page.locator('input[type=file]').first().setInputFiles({ name: 'r.pgn', mimeType: 'text/plain', buffer: Buffer.from(REPERTOIRE) });
    await page.waitForFunction(() => document.querySelectorAll('.variation').length > 0);
    await page.locator('#tab-play').click();
    await page.getByRole('button', { name: 'Repertoire on the board' }).click();
    await lesson(page).getByRole('button', { name: 'Red', exact: true }).click();
    await said(page, /what does the repertoire play/);
    await move(page, 'a3a4');
    await said(page, /is not in the repertoire\.[^]*It plays .+\. Make that move/);
    assert.equal(await page.locator('.arrow').count(), 1);
    await move(page, 'c3c4');
    await said(page, /marks .+ as a mistake\.[^]*too slow/);
    await shot(page, 'teach-repertoire-1280-en');
    await accessible(page, 'repertoire');
    await move(page, 'h2e2');
    await said(page, /is in the repertoire\.[^]*what does the repertoire play/);
    assert.match(movesOf(page), /^h2e2,(h9g7|b9c7)$/);
  });
  await step('what was missed comes again at the end, and the game comes back', async () => {
    const [, reply] = movesOf(page).split(',');
    await move(page, reply === 'h9g7' ? 'h0g2' : 'b0c2');
    await said(page, /What was missed comes again/);
    await lesson(page).getByRole('button', { name: 'Next' }).click();
    await said(page, /what does the repertoire play/);
    assert.equal(movesOf(page), '');
    await move(page, 'h2e2');
    await said(page, /1 of 2 moves known/);
    await lesson(page).getByRole('button', { name: 'The other side' }).click();
    await said(page, /what does the repertoire play/);
    assert.equal(movesOf(page), 'h2e2');
    await lesson(page).getByRole('button', { name: 'End the lesson' }).click();
    await page.waitForSelector('.variation');
  });
  await close();
}

async function exercises() {
  const { page, close } = await open();
  await step('exercises need the token, and say so: needs --train', async () => {
    if (!meta.train) return;
    await page.locator('#tab-play').click();
    await page.getByRole('button', { name: 'Exercises that are due' }).click();
    await said(page, /#token=|Nothing is due/);
    await lesson(page).getByRole('button', { name: 'End the lesson' }).click();
  });
  await step('exercises that are due are asked, answered and come again: needs --train and the token', async () => {
    if (!meta.train || !token) return;
    await page.goto('about:blank');
    await go(page, `#token=${token}`);
    const due = await page.evaluate(async () => (await fetch('/api/train')).json());
    if (due.exercises.length === 0) return;
    await page.locator('#tab-play').click();
    await page.getByRole('button', { name: 'Exercises that are due' }).click();
    await said(page, /to move and|Find a better move|Find the best move/);
    await shot(page, 'teach-exercise-1280-en');
    await lesson(page).getByRole('button', { name: 'Give up' }).click();
    await said(page, /Right:[^]*comes again in 1 day/, LONG);
    await lesson(page).getByRole('button', { name: 'Next' }).click();
    await said(page, /found at the first try|to move and|Find a better move|Find the best move/);
  });
  await close();
}

async function board() {
  const { page, close } = await open();
  await step('the best of several lines is told apart, and lines show a small board', async () => {
    await page.keyboard.press('e');
    await page.getByLabel('How many lines').selectOption('3');
    await page.waitForFunction(() => document.querySelectorAll('.pv .score').length === 3 && document.querySelectorAll('.arrow-engine').length === 3, undefined, LONG);
    assert.equal(await page.locator('.arrow-engine.arrow-faint').count(), 2);
    assert.match(await page.locator('.gauge').getAttribute('aria-label'), /by the engine/);
    await page.locator('.pv').first().locator('.pv-move').nth(2).hover();
    await page.waitForSelector('.preview .man');
    await shot(page, 'teach-lines-1280-en');
    await page.mouse.move(5, 5);
    await page.waitForSelector('.preview', { state: 'detached' });
    // Where lines are drawn anew under the mouse, no element tells that it was left.
    const shows = [{ line: 0, move: 2, what: '.preview .man' }, { line: 1, move: 0, what: '.arrow-hover' }];
    for (const { line, move, what } of shows) {
      await page.locator('.pv').nth(line).locator('.pv-move').nth(move).hover();
      await page.waitForSelector(what);
      await page.evaluate((at) => {
        const row = document.querySelectorAll('.pv')[at];
        row?.replaceWith(row.cloneNode(true));
      }, line);
      await page.mouse.move(5, 5);
      await page.waitForSelector(what, { state: 'detached' });
    }
    await page.getByRole('button', { name: 'Stop' }).click();
    assert.notEqual(await page.evaluate(() => document.activeElement?.textContent), 'Go on');
    await page.keyboard.press('e');
    await page.waitForSelector('.gauge-none', { state: 'attached' });
  });
  await step('levels have names', async () => {
    await page.locator('#tab-play').click();
    const levels = await page.getByLabel('Level').locator('option').allTextContents();
    assert.equal(levels[0], '1 · beginner');
    assert.ok(levels.every((level) => /^\d+ · \S/.test(level)) && new Set(levels.map((level) => level.split('· ')[1])).size === levels.length, levels.join());
  });
  await step('the gauge tells the end of a game', async () => {
    await go(page, '?fen=R2k5/1R7/9/9/9/9/9/9/9/4K4_b_-_-_0_1');
    await page.waitForFunction(() => /by the end of the game/.test(document.querySelector('.gauge')?.getAttribute('aria-label') ?? ''));
  });
  await close();
}

async function phone() {
  const { page, close } = await open({ path: '?view=tables&set=KRvKN', viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, locale: 'zh-CN' });
  await step('a lesson fits a phone, in Chinese', async () => {
    await page.getByRole('button', { name: '胜局', exact: true }).click();
    await said(page, /求胜/);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth));
    await shot(page, 'teach-ending-360-zh');
  });
  await step('the course and a repertoire fit a phone, in Chinese', async () => {
    await go(page, '?moves=h2e2,h9g7');
    for (const [name, shown, file] of [['残局教程', /只有一步能胜/, 'course'], ['以盘上的谱练布局', /你执哪一方/, 'repertoire']]) {
      await page.locator('#tab-play').click();
      await page.getByRole('button', { name }).click();
      await said(page, shown);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth));
      await shot(page, `teach-${file}-360-zh`);
      await lesson(page).getByRole('button', { name: '结束练习' }).click();
    }
  });
  await close();
}

for (const part of [reviews, streamed, mistakes, endings, course, openings, repertoire, exercises, board, phone]) await part();
report();
