// The list of games in a real browser: a collection that is searched, sorted and linked, and files dropped together.
//
// JUZHONG_URL=http://127.0.0.1:8000/ node tests/page/library.test.mjs
//
// The server needs a folder of games (--library tests/page/games.jsonl).

import assert from 'node:assert/strict';
import { accessible, go as goTo, launch, report, shot, step, text } from './walk.mjs';

const base = process.env.JUZHONG_URL ?? 'http://127.0.0.1:8000/';
const go = (page, path) => goTo(page, base + path);
// A file without games is refused.
const { page, close } = await launch(base, {}, (message) => /\/api\/open|material=nonsense/.test(message.location().url));

const rows = () => page.locator('.library tbody tr');
const parameter = (name) => new URL(page.url()).searchParams.get(name) ?? '';
const waitParameter = (name, value) => page.waitForFunction(([key, wanted]) => (new URL(location.href).searchParams.get(key) ?? '') === wanted, [name, value]);

/** Waits until the list is that of a question, which `act` asks. */
async function asks(pattern, act) {
  const answered = page.waitForResponse((response) => /\/api\/games\?/.test(response.url()) && pattern.test(response.url()));
  await act();
  await answered;
  await page.waitForTimeout(100);
}

const column = (at) => page.locator(`.library tbody td:nth-child(${at})`).allInnerTexts();

/** Drops files on the page, each with its name and text. */
async function drop(files) {
  const data = await page.evaluateHandle((all) => {
    const transfer = new DataTransfer();
    for (const [name, body] of all) transfer.items.add(new File([body], name));
    return transfer;
  }, files);
  await page.dispatchEvent('body', 'drop', { dataTransfer: data });
}

const GAME = (red, moves) => `[Red "${red}"]\n[Black "B"]\n[Event "Cup"]\n[Date "1999.01.01"]\n\n${moves} *\n\n`;

await step('the list has events, and is sorted by any column', async () => {
  await go(page, '?view=games');
  await page.waitForSelector('.library tbody tr');
  assert.match(await text(page, '.library thead'), /Event/);
  for (const [name, at, of] of [['plies', 6, Number], ['date', 3, Number], ['event', 2, String]]) {
    for (const way of ['ascending', 'descending']) {
      await asks(new RegExp(`sort=${name}`), () => page.locator(`[data-sort="${name}"]`).first().click());
      assert.equal(await page.locator('th[aria-sort]').first().getAttribute('aria-sort'), way);
      const found = (await column(at)).filter(Boolean).map(of);
      const sorted = [...found].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
      assert.deepEqual(found, way === 'ascending' ? sorted : sorted.reverse(), `${name} ${way}`);
    }
  }
  await shot(page, 'library-1280');
  await accessible(page, 'library');
});

await step('words and order are in the address, and the way back leads to the list', async () => {
  await go(page, '?view=games');
  await asks(/search=grove/, () => page.locator('.search').fill('grove'));
  await waitParameter('q', 'grove');
  await asks(/sort=plies/, () => page.locator('[data-sort="plies"]').first().click());
  const found = await rows().count();
  assert.ok(found > 0);
  await rows().nth(1).click();
  await page.waitForFunction(() => document.body.dataset.view === 'board');
  await page.waitForFunction(() => /library=g/.test(location.search));
  await page.goBack();
  await page.waitForFunction(() => document.body.dataset.view === 'games');
  await page.waitForSelector('.library tbody tr');
  assert.deepEqual([parameter('q'), parameter('sort'), await page.locator('.search').inputValue(), await rows().count()], ['grove', 'plies', 'grove', found]);
  await page.reload();
  await page.waitForSelector('.library tbody tr');
  assert.equal(await rows().count(), found);
});

await step('a game of the library is linked', async () => {
  await go(page, '?view=games');
  await rows().first().click();
  await page.waitForFunction(() => /library=g/.test(location.search));
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => (new URL(location.href).searchParams.get('moves') ?? '').split(',').length === 2);
  const link = page.url();
  const moves = await page.locator('.tree .move').count();
  const other = await launch(base);
  await goTo(other.page, link);
  await other.page.waitForFunction((count) => document.querySelectorAll('.tree .move').length === count, moves);
  assert.equal(new URL(other.page.url()).search, new URL(link).search);
  await other.close();
});

await step('names are found in any width, and copies are one', async () => {
  await go(page, '?view=games');
  await page.waitForSelector('.library tbody tr');
  const all = await text(page, '.library [role="status"]');
  await asks(/search=/, () => page.locator('.search').fill('ｐｉｎｅ'));
  assert.ok(await rows().count() > 0);
  await asks(/games\?(?!.*fold)/, () => page.getByLabel('list every copy').check());
  await waitParameter('copies', '1');
  assert.match(all, /^\d+ games/);
});

/** Whether the server finds games by the men that were on the board. */
const findsMaterial = await fetch(`${base}api/openapi.json`).then((answer) => answer.json())
  .then(({ paths }) => JSON.stringify(paths['/api/games'].get.parameters).includes('"material"'));

await step('material is asked for in any width and case, and is in the address', async () => {
  await page.route(/\/api\/games\?.*material=/, async (route) => {
    if (findsMaterial) return route.continue();
    const address = new URL(route.request().url());
    address.searchParams.delete('material');
    return route.fulfill({ response: await route.fetch({ url: address.href }) });
  });
  await go(page, '?view=games');
  await page.waitForSelector('.library tbody tr');
  const all = await text(page, '.library [role="status"]');
  const field = page.getByLabel('material');
  for (const typed of ['krcvkr', ' ＫＲＣ ｖ ｋｒ ']) {
    await asks(/material=KRCvKR(&|$)/, async () => { await field.fill(typed); await field.press('Enter'); });
    await waitParameter('material', 'KRCvKR');
    await asks(/games\?(?!.*material)/, async () => { await field.fill(''); await field.press('Enter'); });
    await waitParameter('material', '');
  }
  const start = 'KAABBNNRRCCPPPPPvKAABBNNRRCCPPPPP';
  await asks(/material=/, async () => { await field.fill(start); await field.press('Enter'); });
  await page.waitForSelector('.library tbody tr');
  await page.reload();
  await page.waitForSelector('.library tbody tr');
  assert.equal(await page.getByLabel('material').inputValue(), start);
  await page.goBack();
  await page.waitForFunction((wanted) => document.querySelector('.library [role="status"]')?.textContent === wanted, all);
  assert.equal(await page.getByLabel('material').inputValue(), '');
});

if (findsMaterial) await step('games are found by material', async () => {
  await go(page, '?view=games&material=KRvKN');
  await page.waitForFunction(() => document.querySelector('.library tbody tr, .library .empty'));
  const few = await rows().count();
  await go(page, '?view=games');
  await page.waitForSelector('.library tbody tr');
  assert.ok(few < await rows().count());
  await go(page, '?view=games&material=nonsense');
  await page.waitForSelector('.library .empty');
});

await step('several files are dropped together', async () => {
  await go(page, '');
  await drop([['one.pgn', GAME('Ann', '1. h2e2 h9g7') + GAME('Bob', '1. c3c4')], ['two.pgn', GAME('Cid', '1. b2e2 b9c7')], ['notes.txt', 'no game at all']]);
  await page.waitForFunction(() => /3 games/.test(document.querySelector('.status')?.textContent ?? ''));
  assert.match(await text(page, '.status'), /notes\.txt/);
  await page.locator('.nav[data-view="games"]').click();
  await page.waitForSelector('.opened-files tbody tr');
  assert.equal(await page.locator('.opened-files tbody tr').count(), 3);
  await page.locator('.search-files').fill('cid');
  await page.locator('.search-files').press('Enter');
  await page.waitForFunction(() => document.querySelectorAll('.opened-files tbody tr').length === 1);
  await page.locator('.opened-files tbody tr').first().click();
  await page.waitForFunction(() => document.body.dataset.view === 'board');
  await page.waitForFunction(() => /Cid/.test(document.body.innerText));
});

await step('a file of many games leads to their list', async () => {
  await go(page, '');
  await drop([['many.pgn', Array.from({ length: 120 }, (_, at) => GAME(`P${at}`, '1. h2e2')).join('')]]);
  await page.waitForFunction(() => /120 games/.test(document.querySelector('.status')?.textContent ?? ''));
  await page.locator('.status .link').click();
  await page.waitForSelector('.opened-files tbody tr');
  assert.equal(await page.locator('.opened-files tbody tr').count(), 50);
  await page.locator('.opened-files').getByRole('button', { name: 'Next' }).click();
  assert.match(await text(page, '.opened-files tbody tr'), /P50/);
  await shot(page, 'opened-file-1280');
  await page.reload();
  await page.waitForSelector('.opened-files tbody tr');
  assert.match(await text(page, '.opened-files'), /120 games/);
});

await step('a game that breaks off opens up to there, and says so in words', async () => {
  await go(page, '');
  await drop([['broken.pgn', GAME('Ann', '1. h2e2 h9g7 2. h2h3 i9h9')]]);
  await page.waitForFunction(() => /broken\.pgn/.test(document.querySelector('.status')?.textContent ?? ''));
  await page.waitForFunction(() => document.querySelectorAll('.tree .move').length === 2);
  const said = await text(page, '.status');
  assert.ok(!/0x[0-9a-f]/.test(said) && !/body/.test(said), said);
});

await step('the list fits a phone', async () => {
  await page.setViewportSize({ width: 360, height: 740 });
  await go(page, '?view=games');
  await page.waitForSelector('.library tbody tr');
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth));
  await shot(page, 'library-360');
  // Where there is room, events are there, too.
  assert.equal(await page.locator('.library thead th').filter({ hasText: 'Event' }).isVisible(), false);
  await page.setViewportSize({ width: 740, height: 360 });
  assert.equal(await page.locator('.library thead th').filter({ hasText: 'Event' }).isVisible(), true);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth));
});

await close();
report();
