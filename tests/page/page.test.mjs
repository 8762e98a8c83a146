// Walks through the page in a real browser: by mouse, by touch and by keyboard.
//
//   JUZHONG_URL=http://127.0.0.1:8642/ SCREENSHOTS=/tmp/shots node tests/page/page.test.mjs
//
// The server needs the demo's book and tables and a folder of games (--library); steps that need
// more say so: --autosave, a book of gomoku, engines in its settings (.ci/page has them). Some are left out where it is not there. PLAYWRIGHT names the module (default
// playwright-core), CHROMIUM the browser, AXE the script of axe-core (left out: no check of
// accessibility), JUZHONG_TOKEN the server's token (left out: no edits), ONLY a part of the
// names of the steps to run.

import assert from 'node:assert/strict';

import { accessible, clickPoint, go as goTo, late, launch, movesOf, place, problems, report, shot, step, text } from './walk.mjs';

const base = process.env.JUZHONG_URL ?? 'http://127.0.0.1:8642/';
const token = process.env.JUZHONG_TOKEN ?? '';

/** What the server has, as it says itself. */
const meta = await (await fetch(`${base}api/meta`)).json();

/** Answers with an error that the page expects: an illegal move, a position outside the tables. */
const EXPECTED = /Failed to load resource: the server responded with a status of (400|502)/;
const EXPECTED_AT = /\/api\/(read|table|legal|open|move)\b/;

/** Returns a window of a fresh browser profile that notes every error. */
async function open(options = {}) {
  const { path = '', ...rest } = options;
  const { page, close } = await launch(base, rest,
    (message) => EXPECTED.test(message.text()) && EXPECTED_AT.test(message.location().url));
  page.on('response', async (response) => {
    if (response.status() !== 400) return;
    const body = await response.text().catch(() => '');
    if (/no such parameter/.test(body)) problems.push(`${response.url()}: ${body}`);
  });
  await go(page, path);
  return { page, close };
}

const go = (page, path) => goTo(page, base + path);
const settled = (page) => page.waitForTimeout(200);

async function drag(page, from, to) {
  await page.mouse.move(...await place(page, from));
  await page.mouse.down();
  const [x, y] = await place(page, to);
  await page.mouse.move(x - 9, y - 9, { steps: 4 });
  await page.mouse.move(x, y);
  await page.mouse.up();
}

const nameOf = (page, point) => page.locator(`.points [data-point="${point}"]`).getAttribute('aria-label');

async function waitMoves(page, moves) {
  await page.waitForFunction((wanted) => (new URL(location.href).searchParams.get('moves') ?? '') === wanted, moves, { timeout: 5000 })
    .catch(async () => assert.equal(await movesOf(page), moves));
}

const noSideways = (page) => page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth &&
  window.innerWidth <= window.screen.width);

// --- by mouse ---

async function mouse() {
  const { page, close } = await open();
  await step('the board shows the start and names every point', async () => {
    assert.equal(await page.locator('.board .man').count(), 32);
    assert.equal(await page.locator('.points button').count(), 90);
    assert.equal(await nameOf(page, 'h2'), 'h2: red cannon');
    assert.equal(await nameOf(page, 'e4'), 'e4: empty');
  });
  await step('click and click moves a man, with dots and rings', async () => {
    await clickPoint(page, 'h2');
    assert.ok(await page.locator('.hint-dot').count() > 5);
    assert.equal(await page.locator('.hint-ring').count(), 1);
    await clickPoint(page, 'e2');
    await waitMoves(page, 'h2e2');
    assert.equal(await nameOf(page, 'e2'), 'e2: red cannon');
    assert.equal(await page.locator('.last').count(), 2);
  });
  await step('a man can be dragged', async () => {
    await page.waitForSelector('.movable');
    await drag(page, 'h9', 'g7');
    await waitMoves(page, 'h2e2,h9g7');
  });
  await step('an illegal drop goes back with the reason', async () => {
    await page.waitForSelector('.movable');
    await drag(page, 'a0', 'a9');
    await page.waitForSelector('.status-error');
    assert.match(await text(page, '.status'), /way is blocked/);
    assert.equal(movesOf(page), 'h2e2,h9g7');
    assert.equal(await nameOf(page, 'a0'), 'a0: red chariot');
  });
  await step('moves are written in every notation', async () => {
    const wanted = { chinese: '炮二平五', wxf: 'C2=5', iccs: 'H2-E2', uci: 'h2e2' };
    for (const [notation, move] of Object.entries(wanted)) {
      await page.getByLabel('Notation').first().selectOption(notation);
      await page.waitForFunction((text_) => document.querySelector('.tree .move')?.textContent === text_, move);
    }
    await page.getByLabel('Notation').first().selectOption('chinese');
  });
  await step('undo and redo go back and forth', async () => {
    await page.getByRole('button', { name: 'Undo' }).click();
    await waitMoves(page, 'h2e2');
    await page.getByRole('button', { name: 'Redo' }).click();
    await waitMoves(page, 'h2e2,h9g7');
  });
  await step('variations, comments, promotion and deletion', async () => {
    await page.getByRole('button', { name: 'Previous move' }).click();
    await page.waitForSelector('.movable');
    await clickPoint(page, 'h7');
    await clickPoint(page, 'e7');
    await waitMoves(page, 'h2e2,h7e7');
    assert.equal(await page.locator('.variation').count(), 1);
    await page.getByLabel('Comment on this move').fill('<b>same side</b>');
    await page.getByLabel('Comment on this move').blur();
    assert.equal(await text(page, '.tree .comment'), '<b>same side</b>');
    assert.equal(await page.locator('.tree b').count(), 0);
    await page.getByRole('button', { name: 'Make this the main line' }).click();
    assert.match(await text(page, '.variation'), /马８进７/);
    await page.getByRole('button', { name: 'Delete from here on' }).click();
    await waitMoves(page, 'h2e2');
    assert.equal(await page.locator('.variation').count(), 0);
  });
  await step('the book lists moves, points at them and plays them', async () => {
    await page.locator('.tab', { hasText: 'Book' }).click();
    await page.waitForFunction(() => /Central Cannon/.test(document.querySelector('.panel-book:not(.stale)')?.textContent ?? ''));
    assert.ok(await page.locator('.arrow-book').count() > 0);
    const row = page.locator('.panel-book tbody tr').first();
    await row.hover();
    assert.equal(await page.locator('.arrow-hover').count(), 1);
    await row.click();
    await page.waitForFunction(() => location.search.split(',').length === 2);
  });
  await step('the filters of the book are sent', async () => {
    await page.locator('.filters summary').click();
    const request = page.waitForRequest(/\/api\/book\?.*min_games=50/);
    await page.getByLabel('min. games').fill('50');
    await page.getByLabel('min. games').blur();
    await request;
    await page.getByLabel('min. games').fill('');
    await page.getByLabel('min. games').blur();
  });
  await step('years and ratings are counted in the library: needs --library', async () => {
    if (!meta.library) return;
    await page.evaluate(() => { document.querySelector('.filters').open = true; });
    const fields = page.locator('.panel-book .filters');
    await fields.getByLabel('from year').fill('1900');
    const request = page.waitForRequest(/\/api\/games\/moves\?.*year_from=1900.*min_rating=10/);
    await fields.getByLabel('rating from').fill('10');
    await fields.getByLabel('rating from').blur();
    await request;
    await page.waitForFunction(() => /counted in the games of the library/.test(document.querySelector('.panel-book:not(.stale) .foot')?.textContent ?? ''));
    assert.equal(await text(page, '.panel-book h3'), 'Games of the library');
    await shot(page, 'filters-1280-en-light');
    await page.getByRole('button', { name: 'Remove the filters' }).click();
    await page.waitForFunction(() => !/counted in/.test(document.querySelector('.panel-book:not(.stale) .foot')?.textContent ?? 'counted in'));
    assert.equal(await fields.getByLabel('from year').inputValue(), '');
  });
  await step('sample games open at the position: needs --library or a book with samples', async () => {
    const before = movesOf(page);
    await page.locator('.samples summary').click();
    await page.waitForSelector('.samples li, .samples .empty');
    if (await page.locator('.samples li').count() === 0) return;
    await page.locator('.samples li button').first().click();
    await page.waitForFunction(() => document.querySelectorAll('.tree .move').length > 4);
    assert.equal(movesOf(page).split(',').length, before.split(',').length);
  });
  await step('the tab is in the address', async () => {
    await page.locator('.tab', { hasText: 'Review' }).click();
    assert.equal(new URL(page.url()).searchParams.get('tab'), 'review');
    await page.reload();
    await page.waitForSelector('body[data-ready]');
    assert.equal(await page.evaluate(() => document.body.dataset.tab), 'review');
    await page.locator('.tab', { hasText: 'Book' }).click();
    assert.equal(new URL(page.url()).searchParams.get('tab'), null);
  });
  await step('the engine streams lines, stops and goes on', async () => {
    await page.getByRole('switch').click();
    await page.waitForSelector('.pv .pv-move', { timeout: 8000 });
    assert.match(await text(page, '.score'), /^[+−]?\d/);
    assert.match(await text(page, '.facts'), /depth \d+/);
    assert.ok(await page.locator('.arrow-engine').count() > 0);
    await page.getByLabel('How many lines').selectOption('3');
    await page.waitForFunction(() => document.querySelectorAll('.pv .score').length === 3, undefined, { timeout: 8000 });
    await shot(page, 'engine-1280-en-light');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.waitForSelector('.pv .pv-move');
    await page.getByRole('switch').click();
    assert.equal(await page.locator('.arrow-engine').count(), 0);
  });
  await step('the right button draws arrows', async () => {
    await page.mouse.move(...await place(page, 'a0'));
    await page.mouse.down({ button: 'right' });
    await page.mouse.move(...await place(page, 'c4'));
    await page.mouse.up({ button: 'right' });
    assert.equal(await page.locator('.arrow-user').count(), 1);
    await clickPoint(page, 'e5');
    assert.equal(await page.locator('.arrow-user').count(), 0);
  });
  await step('the values stand under the men', async () => {
    await page.locator('.tab', { hasText: 'Values' }).click();
    await page.waitForSelector('.mark');
    // The network tells what is missing without a man, and no king can be.
    assert.equal(await page.locator('.mark').count(), 30);
    assert.match(await text(page, '.panel-values'), /material/i);
    assert.match(await text(page, '.panel-values'), /The network: [+−]?\d+ for the side to move/);
    await page.getByText('threads, hash, evaluation').click();
    const evaluation = page.locator('.engine-fields').getByLabel('Evaluation');
    await evaluation.selectOption('classical');
    await page.waitForFunction(() => document.querySelectorAll('.mark').length === 32);
    assert.doesNotMatch(await text(page, '.panel-values'), /The network/);
    await evaluation.selectOption('network');
    await page.waitForFunction(() => document.querySelectorAll('.mark').length === 30);
    await page.getByText('threads, hash, evaluation').click();
    await shot(page, 'values-1280-en-light');
    await page.locator('.tab', { hasText: 'Book' }).click();
    assert.equal(await page.locator('.mark').count(), 0);
  });
  await step('a reload keeps the game with its variations', async () => {
    const before = await text(page, '.tree');
    await page.reload();
    await page.waitForSelector('body[data-ready]');
    await settled(page);
    assert.equal(await text(page, '.tree'), before);
  });
  await step('no accessibility issue on the board', () => accessible(page, 'board'));
  await close();
}

// --- positions, tables ---

async function positions() {
  const { page, close } = await open({ path: '?fen=3k5/9/9/9/9/9/9/9/4R4/5K3_w_-_-_0_1' });
  await step('the address puts a position on the board', async () => {
    assert.equal(await page.locator('.board .man').count(), 3);
    assert.equal(await nameOf(page, 'e1'), 'e1: red chariot');
  });
  await step('the table says who wins, and groups the moves', async () => {
    await page.locator('.tab', { hasText: 'Table' }).click();
    await page.waitForSelector('.sentence');
    assert.match(await text(page, '.sentence'), /^Red wins in \d+ pl/);
    assert.ok(await page.locator('.group.wdl-win li').count() > 3);
    await shot(page, 'table-1280-en-light');
    await page.getByRole('button', { name: 'Play the best line' }).click();
    await page.waitForFunction(() => location.search.includes('moves='));
    await page.waitForFunction(() => /Checkmate|Stalemate|ends in/.test(document.querySelector('.status')?.textContent ?? ''), undefined, { timeout: 15000 });
  });
  await step('the other side to move, and playing against perfect defence', async () => {
    await page.getByRole('button', { name: 'To the start' }).click();
    await page.getByRole('button', { name: 'Other side to move' }).click();
    await page.waitForFunction(() => location.search.includes('_b_'));
    await page.waitForFunction(() => /Black to move/.test(document.querySelector('.status')?.textContent ?? ''));
    await page.waitForSelector('.sentence');
    await page.getByRole('button', { name: 'Play it out' }).click();
    await page.waitForFunction(() => document.body.dataset.tab === 'play');
    await page.getByRole('button', { name: 'Leave the game' }).click();
  });
  await step('a position outside the tables names the limit', async () => {
    await go(page, '');
    await page.locator('.controls').getByRole('button', { name: 'New game' }).click();
    await page.locator('.tab', { hasText: 'Table' }).click();
    await page.waitForFunction(() => /32 men are on the board/.test(document.querySelector('.panel-table')?.textContent ?? ''));
  });
  await step('positions are set up freely, with the reasons when illegal', async () => {
    await page.getByRole('button', { name: 'Set up a position' }).click();
    await page.getByRole('button', { name: 'Empty the board' }).click();
    await page.waitForSelector('.verdict.bad li');
    for (const [man, point] of [['red king', 'e0'], ['black king', 'e9'], ['red chariot', 'a4']]) {
      await page.getByRole('radio', { name: man }).click();
      await clickPoint(page, point);
    }
    await page.waitForFunction(() => /kings face/.test(document.querySelector('.verdict.bad')?.textContent ?? ''));
    await shot(page, 'setup-1280-en-light');
    await drag(page, 'e9', 'd9');
    await page.waitForSelector('.verdict.good');
    await page.getByRole('button', { name: 'Use this position' }).click();
    await page.waitForFunction(() => location.search.includes('3k5'));
    assert.equal(await page.locator('.board .man').count(), 3);
  });
  await step('the index of tables opens sets and positions', async () => {
    await page.getByRole('button', { name: 'Tables', exact: true }).click();
    await page.waitForSelector('.view-tables tbody tr');
    await page.locator('.view-tables tbody tr', { hasText: 'KRvKN' }).first().click();
    await page.waitForSelector('.histogram');
    assert.equal(new URL(page.url()).searchParams.get('set'), 'KRvKN');
    await shot(page, 'tables-1280-en-light');
    await page.getByRole('button', { name: 'won', exact: true }).click();
    await page.waitForSelector('.sentence');
    assert.equal(await page.evaluate(() => document.body.dataset.view), 'board');
  });
  await step('a win by the repetition rule is named, with its loop on the board', async () => {
    await go(page, '?fen=9/9/5k3/9/9/9/9/3K1n3/1R7/9_b_-_-_0_1&tab=table');
    await page.waitForSelector('.sentence');
    if (!/repetition/.test(await text(page, '.sentence'))) await go(page, `?fen=${(await byRule()).replaceAll(' ', '_')}&tab=table`);
    await page.waitForSelector('.sentence');
    assert.match(await text(page, '.sentence'), /wins only by the repetition rule \(round \d+\); the moves repeat within \d+ pl/);
    await page.getByRole('button', { name: 'Show the loop' }).click();
    await page.waitForSelector('.panel-table .loop li');
    assert.match(await text(page, '.panel-table .loop'), /loses by the rules[^]*(check by|chases) (red|black)/);
    assert.ok(await page.locator('.arrow-loop text').count() >= 2);
    await shot(page, 'rule-1280-en-light');
  });
  await step('a repetition is judged and its loop shown', async () => {
    await go(page, '?fen=3k5/9/9/9/9/9/9/4R4/9/5K3_w_-_-_0_1&moves=' + Array(4).fill('e2d2,d9e9,d2e2,e9d9').join(','));
    await page.waitForSelector('.arrow-loop');
    assert.match(await text(page, '.loop'), /check/);
    assert.match(await text(page, '.status'), /Red loses/);
    await shot(page, 'loop-1280-en-light');
  });
  await close();
}

/** Returns a position of the tables that is won by the repetition rule. */
async function byRule() {
  for (let at = 0; at < 2000; at++) {
    const { fen } = await (await fetch(`${base}api/table/random?set=KRvKN&wdl=loss`)).json();
    const { order } = await (await fetch(`${base}api/table?fen=${encodeURIComponent(fen)}`)).json();
    if (order > 0) return fen;
  }
  throw new Error('no position of KRvKN is decided by rule');
}

// --- games ---

const PGN = `[Game "Chinese Chess"]
[Event "<img src=x onerror=alert(1)>"]
[Red "<script>alert(1)</script>"]
[Black "黑方"]
[Result "1-0"]

1. 炮二平五 马８进７ 2. 马二进三 车９平８ 3. 车一平二 马２进３ 1-0
`;

async function games() {
  const { page, close } = await open();
  await step('a pasted game opens, and names are never markup', async () => {
    await page.locator('.tab', { hasText: 'File' }).click();
    await page.getByLabel('Paste a FEN or a game of any format').fill(PGN);
    await page.getByRole('button', { name: 'Put it on the board' }).click();
    await page.waitForFunction(() => document.querySelectorAll('.tree .move').length === 6);
    assert.match(await text(page, '.game-title'), /<script>/);
    assert.equal(await page.locator('main script, main img').count(), 0);
  });
  await step('leaving the game opens a study, and there is a way back', async () => {
    await page.keyboard.press('ArrowRight');
    await page.waitForSelector('.movable');
    await settled(page);
    await clickPoint(page, 'h7');
    await clickPoint(page, 'e7');
    await waitMoves(page, 'h2e2,h7e7');
    assert.equal(await page.locator('.variation.study').count(), 1);
    await page.locator('.status').getByRole('button', { name: 'Back to the game' }).click();
    await waitMoves(page, 'h2e2');
  });
  await step('a review shows the curve and the mistakes', async () => {
    await page.locator('.tab', { hasText: 'Review' }).click();
    await page.getByText('threads, hash, evaluation').click();
    const evaluation = page.locator('.engine-fields').getByLabel('Evaluation');
    await evaluation.selectOption('classical');
    const request = page.waitForRequest(/\/api\/review\?.*evaluation=classical/);
    await page.getByRole('button', { name: 'Review this game' }).click();
    await request;
    await evaluation.selectOption('network');
    await page.getByText('threads, hash, evaluation').click();
    await page.waitForSelector('.accuracy', { timeout: 60000 });
    assert.equal(await page.locator('.curve .dot').count(), 6);
    await shot(page, 'review-1280-en-light');
    const plot = await page.locator('.curve svg').boundingBox();
    await page.mouse.click(plot.x + plot.width * 0.5, plot.y + plot.height / 2);
    await waitMoves(page, 'h2e2,h9g7,h0g2');
  });
  await step('a dropped file opens', async () => {
    const transfer = await page.evaluateHandle((pgn) => {
      const data = new DataTransfer();
      data.items.add(new File([pgn], 'game.pgn'));
      return data;
    }, PGN.replace('马２进３', '卒７进１'));
    await page.dispatchEvent('.board', 'drop', { dataTransfer: transfer });
    await page.waitForFunction(() => /P7\+1/.test(document.querySelector('.tree')?.textContent ?? ''));
  });
  await step('a FEN is copied and pasted', async () => {
    await page.locator('.tab', { hasText: 'File' }).click();
    await page.getByRole('button', { name: 'Copy FEN' }).click();
    await page.waitForFunction(() => /Copied/.test(document.querySelector('.status')?.textContent ?? ''));
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^rnbakabnr/);
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.setData('text/plain', '3k5/9/9/9/9/9/9/9/4R4/5K3 w - - 0 1');
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
    });
    await page.waitForFunction(() => document.querySelectorAll('.board .man').length === 3);
  });
  await step('a game is saved', async () => {
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save game' }).click();
    assert.match((await download).suggestedFilename(), /\.pgn$/);
  });
  await step('the library is searched and a game opens at a click', async () => {
    await page.getByRole('button', { name: 'Games', exact: true }).click();
    await page.waitForSelector('.view-games tbody tr');
    const all = await page.locator('.view-games tbody tr').count();
    await shot(page, 'games-1280-en-light');
    const who = (await text(page, '.view-games tbody tr td')).split(' – ')[0];
    await page.locator('.search').fill(who);
    await page.waitForResponse(/\/api\/games\?.*search=/);
    await settled(page);
    assert.ok(await page.locator('.view-games tbody tr').count() <= all);
    const request = page.waitForRequest(/\/api\/games\?.*year_to=2100/);
    await page.locator('.view-games').getByLabel('to year').fill('2100');
    await page.locator('.view-games').getByLabel('to year').blur();
    await request;
    await settled(page);
    await page.locator('.view-games tbody tr').first().click();
    await page.waitForFunction(() => document.body.dataset.view === 'board');
    await page.waitForFunction(() => document.querySelectorAll('.tree .move').length > 3);
  });
  await close();
}

// --- play ---

async function playing() {
  const { page, close } = await open();
  await step('a game against the engine, with hint, take back and resignation', async () => {
    await page.keyboard.press('p');
    await page.getByLabel('Minutes each').fill('5');
    await page.getByLabel('Minutes each').blur();
    await page.getByRole('button', { name: 'Play Red' }).click();
    await page.waitForFunction(() => /\d:\d\d/.test(document.querySelector('.clock')?.textContent ?? ''));
    await page.waitForSelector('.movable');
    await clickPoint(page, 'h2');
    await clickPoint(page, 'e2');
    await page.waitForFunction(() => location.search.split(',').length === 2, undefined, { timeout: 10000 });
    await page.waitForFunction(() => /Your move/.test(document.querySelector('.panel-play')?.textContent ?? ''));
    await shot(page, 'play-1280-en-light');
    await page.getByRole('button', { name: 'Hint' }).click();
    await page.waitForSelector('.arrow-hint', { timeout: 10000 });
    await page.getByRole('button', { name: 'Take back' }).click();
    await waitMoves(page, '');
    await page.reload();
    await page.waitForSelector('body[data-ready]');
    await page.getByRole('button', { name: 'Resign' }).click();
    await page.waitForFunction(() => /Red resigns/.test(document.querySelector('.status')?.textContent ?? ''));
  });
  await step('a game is kept on the disk with the token, else a hint says how: needs --autosave', async () => {
    if (!meta.autosave) return;
    const beginGame = async () => {
      await page.locator('.controls').getByRole('button', { name: 'New game' }).click();
      await page.locator('#tab-play').click();
      await page.getByRole('button', { name: 'Play Red' }).click();
      await page.waitForSelector('.movable');
      await clickPoint(page, 'b2');
      await clickPoint(page, 'e2');
      await page.waitForFunction(() => document.querySelectorAll('.tree .move').length === 2, undefined, { timeout: 10000 });
    };
    await beginGame();
    assert.match(await text(page, '.saved'), /#token=/);
    if (!token) return;
    await page.goto('about:blank');
    await go(page, `#token=${token}`);
    await page.locator('.panel-play').getByRole('button', { name: 'Leave the game' }).click();
    await beginGame();
    await page.waitForFunction(() => /^saved as .*\.jsonl/.test(document.querySelector('.saved')?.textContent ?? ''));
    await page.getByRole('button', { name: 'Resign' }).click();
    await page.waitForTimeout(700);
    await page.getByRole('button', { name: 'Games', exact: true }).click();
    const mine = page.locator('h2:has-text("Games you played") + ul button').first();
    await mine.waitFor();
    assert.match(await mine.innerText(), /You – (Engine|juzhong), level \d+ 0-1/);
    await mine.click();
    await page.waitForFunction(() => document.body.dataset.view === 'board');
    assert.equal(await page.locator('.tree .move').count(), 2);
  });
  await step('sides can be switched at any time', async () => {
    await page.locator('.controls').getByRole('button', { name: 'New game' }).click();
    await page.getByRole('button', { name: 'Play Red' }).click();
    await page.locator('.panel-play .field select').first().selectOption('self');
    await page.waitForFunction(() => location.search.split(',').length >= 2, undefined, { timeout: 10000 });
    await page.getByRole('button', { name: 'Leave the game' }).click();
  });
  await close();
}

// --- engines of other programs ---

const OTHER = '另一引擎';

async function engines() {
  if (!meta.engines?.includes(OTHER) || !meta.engines.includes('broken')) return;
  const { page, close } = await open();
  const lines = (box) => page.waitForFunction((selector) => document.querySelectorAll(`${selector} .pv .score`).length > 0, box, { timeout: 15000 });
  const first = '.panel-engine > .lines-list';
  await step('another engine analyses: needs engines', async () => {
    await page.locator('.panel-engine').getByLabel('Which engine').selectOption(OTHER);
    const request = page.waitForRequest((sent) => sent.url().includes(`engine=${encodeURIComponent(OTHER)}`));
    await page.getByRole('switch').click();
    await request;
    await lines(first);
    assert.ok(await page.locator('.arrow-engine').count() > 0);
    await page.reload();
    await page.waitForSelector('body[data-ready]');
    assert.equal(await page.locator('.panel-engine').getByLabel('Which engine').inputValue(), OTHER);
    await lines(first);
  });
  await step('two engines search side by side: needs engines', async () => {
    await page.getByText('Compare, threads, hash').click();
    await page.getByLabel('Compare with').selectOption('self');
    await lines(first);
    await lines('.beside');
    await page.waitForSelector('.arrow-second');
    assert.equal(await text(page, '.beside .engine-name'), 'juzhong');
    await page.waitForFunction(() => [...document.querySelectorAll('.engine-fields input')].length > 0);
    const request = page.waitForRequest(/hash=5&|hash=5$/);
    await page.getByLabel('Hash in MiB').first().fill('5');
    await page.getByLabel('Hash in MiB').first().blur();
    await request;
    await lines(first);
    await lines('.beside');
    await shot(page, 'engines-1280-en-light');
    await clickPoint(page, 'h2');
    await clickPoint(page, 'e2');
    await waitMoves(page, 'h2e2');
    await lines(first);
    await lines('.beside');
  });
  await step('an engine that fails is told, and the next one searches: needs engines', async () => {
    await page.locator('.panel-engine').getByLabel('Which engine').selectOption('broken');
    await page.waitForFunction((list) => /broken.*exit status: 3.*out of order/.test(document.querySelector(list)?.textContent ?? ''), first, { timeout: 10000 });
    assert.equal(await page.locator('.arrow-engine').count(), 0);
    await lines('.beside');
    await shot(page, 'engine-broken-1280-en-light');
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await page.getByLabel('Compare with').selectOption('');
    assert.equal(await page.locator('.arrow-second').count(), 0);
    await page.locator('.panel-engine').getByLabel('Which engine').selectOption('self');
    await lines(first);
    await accessible(page, 'engines');
    await page.getByRole('switch').click();
  });
  await step('a game against another engine, and on when one fails: needs engines', async () => {
    await page.locator('.controls').getByRole('button', { name: 'New game' }).click();
    await page.locator('#tab-play').click();
    await page.locator('.opponent select').selectOption(OTHER);
    await page.getByLabel('use the book').uncheck();
    await page.getByLabel('Depth of other engines').fill('3');
    await page.getByLabel('Depth of other engines').blur();
    await page.locator('.strength input').waitFor();
    await page.locator('.strength input').fill('1800');
    await page.locator('.strength input').blur();
    const request = page.waitForRequest((sent) => sent.url().includes('/api/move') && /"depth":3,"strength":1800/.test(sent.postData() ?? ''));
    await page.getByRole('button', { name: 'Play Red' }).click();
    await page.waitForSelector('.movable');
    await clickPoint(page, 'h2');
    await clickPoint(page, 'e2');
    await request;
    await page.waitForFunction(() => location.search.split(',').length === 2, undefined, { timeout: 15000 });
    assert.match(await text(page, '.plate'), /另一引擎, strength 1800/);
    await shot(page, 'engine-play-1280-en-light');
    await page.locator('.panel-play .field select').nth(1).selectOption('broken');
    await page.waitForFunction(() => /Your move/.test(document.querySelector('.panel-play')?.textContent ?? ''));
    await page.waitForSelector('.movable');
    await clickPoint(page, 'h0');
    await clickPoint(page, 'g2');
    await page.waitForFunction(() => /broken makes no move: .*out of order/.test(document.querySelector('.panel-play')?.textContent ?? ''), undefined, { timeout: 10000 });
    await shot(page, 'engine-fails-1280-en-light');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.waitForFunction(() => /broken makes no move/.test(document.querySelector('.panel-play')?.textContent ?? ''), undefined, { timeout: 10000 });
    await page.getByRole('button', { name: 'Let juzhong play on' }).click();
    await page.waitForFunction(() => location.search.split(',').length === 4, undefined, { timeout: 15000 });
    assert.match(await text(page, '.plate'), /juzhong, level/);
    await page.getByRole('button', { name: 'Leave the game' }).click();
  });
  await close();
  await enginesOnAPhone();
}

async function enginesOnAPhone() {
  const { page, close } = await open({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2, locale: 'zh-CN' });
  await step('two engines on a phone, in Chinese: needs engines', async () => {
    await page.locator('#tab-engine').click();
    await page.locator('.panel-engine').getByLabel('选择引擎').selectOption(OTHER);
    await page.getByText('比较、线程、哈希表').click();
    await page.getByLabel('对比引擎').selectOption('self');
    await page.getByRole('switch').click();
    await page.waitForFunction(() => document.querySelectorAll('.pv .score').length === 2, undefined, { timeout: 15000 });
    assert.ok(await noSideways(page));
    await shot(page, 'engines-360-zh-light');
    await page.locator('#tab-play').click();
    assert.ok(await noSideways(page));
    await shot(page, 'engine-play-360-zh-light');
  });
  await step('an engine that the server has no more is replaced by the own one: needs engines', async () => {
    await page.evaluate(() => {
      const settings = JSON.parse(localStorage.getItem('juzhong.settings'));
      localStorage.setItem('juzhong.settings', JSON.stringify({ ...settings, analyst: 'gone', opponent: 'gone', second: '' }));
    });
    await page.reload();
    await page.waitForSelector('body[data-ready]');
    await page.waitForFunction(() => /gone/.test(document.querySelector('.status')?.textContent ?? ''));
    await page.locator('#tab-engine').click();
    assert.equal(await page.locator('.panel-engine').getByLabel('选择引擎').inputValue(), 'self');
  });
  await close();
}

// --- by keyboard ---

async function keyboard() {
  const { page, close } = await open({ path: '?moves=h2e2,h9g7,h0g2' });
  await step('the arrows go through the game', async () => {
    await page.locator('.tab', { hasText: 'Book' }).click();
    await page.keyboard.press('ArrowLeft');
    await waitMoves(page, 'h2e2,h9g7');
    await page.keyboard.press('Home');
    await waitMoves(page, '');
    await page.keyboard.press('End');
    await waitMoves(page, 'h2e2,h9g7,h0g2');
  });
  await step('/ takes a move in any notation', async () => {
    await page.keyboard.press('/');
    await page.keyboard.type('车９平８');
    await page.keyboard.press('Enter');
    await waitMoves(page, 'h2e2,h9g7,h0g2,i9h9');
    await page.keyboard.press('Escape');
  });
  await step('variations are reached by up and down', async () => {
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('/');
    await page.keyboard.type('p7+1');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => location.search.endsWith('g6g5') || location.search.endsWith('c6c5'));
    await page.keyboard.press('Escape');
    await page.keyboard.press('ArrowUp');
    await waitMoves(page, 'h2e2,h9g7,h0g2,i9h9');
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction(() => !location.search.endsWith('i9h9'));
  });
  await step('letters open panels, turn the board and begin a study', async () => {
    await page.keyboard.press('f');
    assert.ok(await page.locator('.flipped').count());
    await page.keyboard.press('f');
    await page.keyboard.press('t');
    assert.equal(await page.evaluate(() => document.body.dataset.tab), 'table');
    await page.keyboard.press('b');
    assert.equal(await page.evaluate(() => document.body.dataset.tab), 'book');
    await page.keyboard.press('v');
    await page.waitForSelector('.mark');
    await page.keyboard.press('v');
    await page.keyboard.press('s');
    await page.waitForSelector('.badge-study');
    await page.keyboard.press('s');
    await page.keyboard.press('?');
    await page.waitForSelector('dialog[open]');
    await shot(page, 'help-1280-en-light');
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog', { state: 'detached' });
  });
  await step('space plays the best move', async () => {
    const before = movesOf(page).split(',').length;
    await page.keyboard.press(' ');
    await page.waitForFunction((n) => location.search.split(',').length === n, before + 1, { timeout: 10000 });
    await page.keyboard.press('u');
    await page.waitForFunction((n) => location.search.split(',').length === n, before);
  });
  await step('the board itself is played by keyboard', async () => {
    await page.keyboard.press('Home');
    await page.waitForSelector('.movable');
    await page.locator('.points [data-point="a9"]').focus();
    for (let at = 0; at < 7; at++) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('data-point')), 'b2');
    await page.keyboard.press('Enter');
    assert.match(await nameOf(page, 'b2'), /selected/);
    for (let at = 0; at < 3; at++) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await waitMoves(page, 'b2e2');
  });
  await close();
}

// --- by touch, on a phone ---

async function touch() {
  const { page, close } = await open({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 });
  await step('on a phone a tap and a tap move a man', async () => {
    await page.touchscreen.tap(...await place(page, 'h2'));
    assert.ok(await page.locator('.hint-dot').count() > 5);
    await page.touchscreen.tap(...await place(page, 'e2'));
    await waitMoves(page, 'h2e2');
  });
  await step('on a phone a man is dragged by touch', async () => {
    const finger = await page.context().newCDPSession(page);
    const touchAt = async (type, point) => {
      const [x, y] = point ? await place(page, point) : [0, 0];
      await finger.send('Input.dispatchTouchEvent', { type, touchPoints: point ? [{ x, y }] : [] });
    };
    await page.waitForSelector('.movable');
    await touchAt('touchStart', 'h9');
    await touchAt('touchMove', 'h8');
    await touchAt('touchMove', 'g7');
    assert.equal(await page.locator('.man.lifted').count(), 1);
    await touchAt('touchEnd', '');
    await waitMoves(page, 'h2e2,h9g7');
    assert.equal(await page.evaluate(() => window.scrollY), 0);
  });
  await step('on a phone nothing scrolls sideways in any tab', async () => {
    for (const tab of ['moves', 'engine', 'book', 'table', 'play', 'review', 'values', 'file']) {
      await page.locator(`#tab-${tab}`).tap();
      await settled(page);
      assert.ok(await noSideways(page), tab);
      await shot(page, `phone-${tab}-en-light`);
    }
    await page.locator('#tab-moves').tap();
  });
  await step('on a phone the views fit', async () => {
    for (const view of ['Games', 'Tables', 'Gomoku', 'Board']) {
      await page.locator('.nav', { hasText: view }).tap();
      await settled(page);
      assert.ok(await noSideways(page), view);
      await shot(page, `phone-view-${view}`);
    }
  });
  await step('no accessibility issue on a phone', () => accessible(page, 'phone'));
  await close();
}

// --- accessibility of everything ---

async function everywhere() {
  if (!process.env.AXE) return;
  const tabs = ['moves', 'engine', 'book', 'table', 'play', 'review', 'values', 'file'];
  for (const [scheme, width] of [['light', 1280], ['dark', 1280], ['light', 360], ['dark', 360]]) {
    const { page, close } = await open({ path: '?moves=h2e2,h9g7', colorScheme: scheme, viewport: { width, height: 780 }, hasTouch: width < 500 });
    const look = async (name) => {
      await settled(page);
      await shot(page, `all-${name}-${width}-${scheme}`);
      await accessible(page, name);
      assert.ok(await noSideways(page), `${name} scrolls sideways`);
    };
    const at = `${scheme} ${width}`;
    await step(`no accessibility issue in any tab: ${at}`, async () => {
      for (const tab of tabs.slice(width > 900 ? 2 : 0)) {
        await page.locator(`#tab-${tab}`).click();
        await look(tab);
      }
    });
    await step(`no accessibility issue in tables: ${at}`, async () => {
      await go(page, '?fen=3k5/9/9/9/9/9/9/9/4R4/5K3_w_-_-_0_1');
      await page.locator('#tab-table').click();
      await page.waitForSelector('.sentence');
      await look('won');
      await go(page, `?fen=${(await byRule()).replaceAll(' ', '_')}&tab=table`);
      await page.waitForSelector('.sentence');
      await look('rule');
      await page.locator('.nav', { hasText: 'Tables' }).click();
      await page.waitForSelector('.set-details h2');
      await look('tables');
      await page.locator('.nav', { hasText: 'Games' }).click();
      await look('games');
    });
    await step(`no accessibility issue in dialogs and the setup: ${at}`, async () => {
      await page.locator('.nav', { hasText: 'Board' }).click();
      await page.locator('#help').click();
      await look('help');
      await page.keyboard.press('Escape');
      await page.locator('#styles').click();
      await look('style');
      await page.keyboard.press('Escape');
      await page.locator('.controls').getByRole('button', { name: 'Set up a position' }).click();
      await look('setup');
    });
    await step(`no accessibility issue in gomoku: ${at}`, async () => {
      await go(page, `?game=gomoku&fen=${RENJU}`);
      for (const tab of tabs.slice(width > 900 ? 2 : 0)) {
        await page.locator(`#tab-${tab}`).click();
        await look(`gomoku-${tab}`);
      }
    });
    await close();
  }
}

// --- gomoku ---

/** Black to move may not play h8, which would make two threes. */
/** White to move wins by continuous fours. */
const VCF = 'a6,f3,b5,d9,f6,c5,a8,d6,f8,d5,a5,a7,c6,d4,d3,f4,g5,e4,g4,e5,g3';
const RENJU = 'o13o/15/15/15/15/7x7/7x7/5xx8/15/15/15/15/15/15/o13o_x_5_renju';

async function gomoku() {
  const { page, close } = await open({ path: '?game=gomoku&moves=h8,i9' });
  await step('gomoku is played on its own board', async () => {
    assert.doesNotMatch(await text(page, '.engine-more summary'), /evaluation/);
    assert.equal(await page.locator('.points button').count(), 225);
    assert.equal(await page.locator('.stone').count(), 2);
    await page.waitForSelector('.movable');
    await clickPoint(page, 'h9');
    await waitMoves(page, 'h8,i9,h9');
    assert.equal(await nameOf(page, 'h9'), 'h9: black stone');
    assert.match(await text(page, '.status'), /White to move/);
    await page.keyboard.press('v');
    await page.waitForSelector('.mark');
    await shot(page, 'gomoku-1280-en-light');
    await page.keyboard.press('v');
  });
  await step('forbidden points are drawn and named with their reasons', async () => {
    await go(page, `?game=gomoku&fen=${RENJU}`);
    await page.waitForSelector('.forbidden[data-point="h8"]');
    assert.match(await nameOf(page, 'h8'), /^h8: forbidden, .*three/);
    await clickPoint(page, 'h8');
    await page.waitForSelector('.status-error');
    assert.match(await text(page, '.status'), /h8 is forbidden: .*three/);
    assert.equal(await page.locator('.stone').count(), 8);
    await shot(page, 'renju-1280-en-light');
  });
  await step('a win is proved, shown on the stones, played and defended against', async () => {
    await go(page, `?game=gomoku&moves=${VCF}`);
    await page.keyboard.press('t');
    await page.getByRole('button', { name: 'Prove', exact: true }).click();
    await page.waitForSelector('.sentence', { timeout: 20000 });
    assert.match(await text(page, '.sentence'), /^White wins in 5 plies, by continuous fours\.$/);
    assert.equal(await page.locator('.proof-line button').count(), 5);
    assert.deepEqual(await page.locator('.stone-next text').allTextContents(), ['1', '2', '3', '4', '5']);
    await shot(page, 'proof-1280-en-light');
    await page.getByRole('button', { name: 'Play the best line' }).click();
    await page.waitForFunction(() => /White wins/.test(document.querySelector('.status')?.textContent ?? ''), undefined, { timeout: 10000 });
    for (let at = 0; at < 5; at++) await page.keyboard.press('ArrowLeft');
    await waitMoves(page, VCF);
    await page.getByRole('button', { name: 'Answer yourself' }).click();
    await page.waitForFunction(() => /try any defence/.test(document.querySelector('.panel-proof')?.textContent ?? ''));
    assert.equal(await page.locator('.stone-next').count(), 0);
    await page.waitForSelector('.movable');
    await settled(page);
    await clickPoint(page, 'o15');
    await page.waitForFunction(() => /White wins/.test(document.querySelector('.status')?.textContent ?? ''), undefined, { timeout: 20000 });
    assert.equal(movesOf(page).split(',').length, VCF.split(',').length + 3);
    await shot(page, 'defended-1280-en-light');
  });
  await step('what is not proved says what to do, and a proof can be stopped', async () => {
    await go(page, '?game=gomoku&moves=h8&tab=table');
    await page.getByRole('button', { name: 'Prove', exact: true }).click();
    await page.waitForFunction(() => /proving/.test(document.querySelector('.panel-proof')?.textContent ?? ''));
    await page.locator('.panel-proof').getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Prove', exact: true }).click();
    await page.waitForFunction(() => /Nothing is proved/.test(document.querySelector('.panel-proof')?.textContent ?? ''), undefined, { timeout: 25000 });
    await go(page, '?game=gomoku&moves=h8,i9,h9');
  });
  await step('the engine plays gomoku', async () => {
    await page.locator('.tab', { hasText: 'Play' }).click();
    await page.getByRole('button', { name: 'Play Black' }).click();
    await page.waitForFunction(() => document.querySelectorAll('.stone').length === 4, undefined, { timeout: 10000 });
    await page.getByRole('button', { name: 'Leave the game' }).click();
  });
  await close();
}

// --- languages, schemes, themes ---

async function styles() {
  for (const language of ['en', 'zh']) {
    for (const scheme of ['light', 'dark']) {
      for (const [width, height] of [[1280, 800], [360, 740]]) {
        await step(`looks: ${language} ${scheme} ${width}`, async () => {
          const { page, close } = await open({ path: '?moves=h2e2,h9g7,h0g2,i9h9,i0h0,b9c7', locale: language === 'zh' ? 'zh-CN' : 'en-GB',
            colorScheme: scheme, viewport: { width, height }, hasTouch: width < 500 });
          await page.waitForSelector(width > 900 ? '.panel-book tbody tr' : '.tree .move');
          assert.equal(await page.evaluate(() => document.documentElement.dataset.scheme), scheme);
          assert.match(await text(page, '.status'), language === 'zh' ? /红方走/ : /Red to move/);
          assert.ok(await noSideways(page));
          await shot(page, `board-${width}-${language}-${scheme}`);
          await accessible(page, `${language} ${scheme} ${width}`);
          await close();
        });
      }
    }
  }
  await step('themes, pieces, coordinates and the language change at once', async () => {
    const { page, close } = await open({ path: '?moves=h2e2,h9g7' });
    await page.locator('#styles').click();
    for (const [name, values] of [['theme', ['paper', 'slate', 'dark', 'wood']], ['set', ['simplified', 'letters', 'pictograms', 'traditional']], ['coordinates', ['chinese', 'none', 'western']]]) {
      for (const value of values) await page.locator(`dialog select[name="${name}"]`).selectOption(value);
    }
    for (const [theme, set] of [['paper', 'simplified'], ['slate', 'letters'], ['dark', 'pictograms']]) {
      await page.locator('dialog select[name="theme"]').selectOption(theme);
      await page.locator('dialog select[name="set"]').selectOption(set);
      await page.locator('dialog select[name="coordinates"]').selectOption('chinese');
      await page.keyboard.press('Escape');
      await shot(page, `theme-${theme}-${set}`);
      await page.locator('#styles').click();
      await page.waitForSelector('dialog[open]');
    }
    await page.keyboard.press('Escape');
    await page.locator('#language').click();
    await page.waitForFunction(() => document.documentElement.lang === 'zh-Hans');
    await page.waitForFunction(() => /红方走/.test(document.querySelector('.status')?.textContent ?? ''));
    await page.locator('#scheme').click();
    assert.equal(await page.evaluate(() => document.documentElement.dataset.scheme), 'dark');
    await close();
  });
}

// --- edits ---

async function edits() {
  if (!token) return;
  const { page, close } = await open({ path: `#token=${token}` });
  await step('the token leaves the address, and a move of the book is edited', async () => {
    assert.equal(new URL(page.url()).hash, '');
    await page.waitForSelector('.panel-book tbody tr');
    await page.evaluate(() => { document.querySelector('.filters').open = true; });
    const books = page.locator('.filters .check input');
    for (let at = 1; at < await books.count(); at++) await books.nth(at).uncheck();
    await page.waitForFunction(() => document.querySelectorAll('.column').length === 1);
    await page.waitForSelector('.tools button');
    await page.locator('.tools button').first().click();
    await page.locator('dialog').getByLabel('Weight').fill('777');
    await page.locator('dialog').getByLabel('Comment').fill('<i>mine</i>');
    await page.route('**/api/book/edit**', late(1000));
    await page.locator('dialog').getByRole('button', { name: 'Save' }).click();
    await page.waitForFunction(() => /Changing the book/.test(document.querySelector('.work-row')?.textContent ?? ''));
    await page.unroute('**/api/book/edit**');
    await page.waitForFunction(() => /777/.test(document.querySelector('.panel-book')?.textContent ?? ''));
    assert.match(await text(page, '.panel-book'), /<i>mine<\/i>/);
    await page.locator('.tools button').first().click();
    await page.locator('dialog').getByRole('button', { name: 'Undo the last edit' }).click();
    await page.waitForFunction(() => !/777/.test(document.querySelector('.panel-book')?.textContent ?? ''));
  });
  await close();
}

// --- speed and weight ---

async function weight() {
  await step('the page weighs less than 300 kB and answers a click within 50 ms', async () => {
    const { page, close } = await open();
    const bytes = await page.evaluate(() => performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))
      .filter(({ name }) => !name.includes('/api/')).reduce((sum, entry) => sum + (entry.decodedBodySize || 0), 0));
    assert.ok(bytes > 50000 && bytes < 300000, `${bytes} bytes`);
    const painted = () => page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Infinity);
    let paint = await painted();
    // The machine may do other things.
    for (let tries = 0; tries < 10 && paint >= 300; tries++) {
      await go(page, '');
      paint = Math.min(paint, await painted());
    }
    console.log(`     ${bytes} bytes, first paint after ${Math.round(paint)} ms`);
    assert.ok(paint < 300, `first paint after ${paint} ms`);
    await page.waitForSelector('.movable');
    const [x, y] = await place(page, 'h2');
    const spent = await page.evaluate(([left, top]) => {
      const board = document.querySelector('.board');
      const start = performance.now();
      const init = { bubbles: true, button: 0, pointerId: 1, clientX: left, clientY: top };
      board.setPointerCapture = () => {};
      board.dispatchEvent(new PointerEvent('pointerdown', init));
      const shown = document.querySelectorAll('.hint-dot').length;
      return shown > 5 ? performance.now() - start : Infinity;
    }, [x, y]);
    assert.ok(spent < 50, `${spent} ms`);
    await close();
  });
}

for (const part of [mouse, positions, games, playing, engines, keyboard, touch, everywhere, gomoku, styles, edits, weight]) {
  try {
    await part();
  } catch (error) {
    problems.push(`${part.name}: ${error.stack}`);
  }
}
report();
