// Looks at the page in a real browser: what is seen at which size, in both languages and schemes, and what it says at
// first sight. It is run as page.test.mjs is, against the same server.

import assert from 'node:assert/strict';

import { accessible, clickPoint, go as goTo, launch, place, problems, report, shot, step, text } from './walk.mjs';

const base = process.env.JUZHONG_URL ?? 'http://127.0.0.1:8642/';
const meta = await (await fetch(`${base}api/meta`)).json();

const LINE = 'moves=h2e2,h9g7,h0g2,i9h9,i0h0,b9c7';
const MATED = 'fen=4k4/3RRP3/9/9/9/9/9/9/9/3K5_b_-_-_0_1';
const ENDING = 'fen=3k5/R8/9/9/9/9/9/9/9/4K4_w_-_-_0_1';
const WON = 'game=gomoku&moves=h8,a1,i8,a2,j8,a3,k8,a5,l8';
const SIZES = [[360, 740], [740, 360], [768, 1024], [1280, 800], [2560, 1440]];
const STYLES = [['en', 'light'], ['en', 'dark'], ['zh', 'light'], ['zh', 'dark']];

async function open(path, options = {}) {
  const { page, close } = await launch(base, options);
  await goTo(page, base + path);
  return { page, close };
}

/** Runs a step on a page of its own. */
async function look(name, path, work, options = {}) {
  await step(name, async () => {
    const { page, close } = await open(path, options);
    try {
      await work(page);
    } finally {
      await close();
    }
  });
}

const styled = (language, scheme, [width, height]) => ({ locale: language === 'zh' ? 'zh-CN' : 'en-GB', colorScheme: scheme, viewport: { width, height }, hasTouch: width < 800 });
const box = (page, selector) => page.locator(selector).first().boundingBox();
const go = (page, path) => goTo(page, base + path);

/** Checks that nothing goes off the window sideways, and that the whole board is in it. */
async function fits(page) {
  const seen = await page.evaluate(() => {
    const { left, top, right, bottom } = document.querySelector('.board').getBoundingClientRect();
    return { left, top, right, bottom, wide: innerWidth, tall: innerHeight, scroll: document.documentElement.scrollWidth };
  });
  assert.ok(seen.scroll <= seen.wide, `sideways: ${JSON.stringify(seen)}`);
  assert.ok(seen.left >= 0 && seen.top >= 0 && seen.right <= seen.wide && seen.bottom <= seen.tall, JSON.stringify(seen));
}

async function sizes() {
  for (const size of SIZES) {
    for (const [language, scheme] of STYLES) {
      await look(`the whole board is seen: ${size.join('×')} ${language} ${scheme}`, `?${LINE}`, async (page) => {
        await fits(page);
        assert.equal(await page.evaluate(() => document.documentElement.dataset.scheme), scheme);
        await shot(page, `looks-board-${size.join('x')}-${language}-${scheme}`);
        await go(page, `?game=gomoku&moves=h8`);
        await fits(page);
      }, styled(language, scheme, size));
    }
  }
  await look('the whole board is seen at 200 %', `?${LINE}`, fits, { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 });
  await look('the link of a phone has a panel on a wide window, too', `?${LINE}&tab=engine`, async (page) => {
    assert.ok(await page.locator('.panel-book').isVisible());
    assert.equal(await page.locator('.tab[aria-selected="true"]:visible').count(), 1);
  });
  await look('a large screen has a large board and larger letters', `?${LINE}`, async (page) => {
    assert.ok(await page.evaluate(() => Number.parseFloat(getComputedStyle(document.documentElement).fontSize)) > 16);
    const { height } = await box(page, '.board');
    assert.ok(height > 1440 * 0.75, `${height}`);
  }, styled('en', 'light', [2560, 1440]));
  await look('what is chosen does not move what stands beside it', `?${LINE}`, async (page) => {
    const places = () => page.evaluate(() => [...document.querySelectorAll('.tab,.nav')].map((made) => made.getBoundingClientRect().left));
    const before = await places();
    await page.locator('.tab', { hasText: 'Values' }).click();
    assert.deepEqual(await places(), before);
  });
}

/** The pictures of the README. */
async function pictures() {
  await look('the page and its phone are pictured', `?${LINE}`, async (page) => {
    await page.waitForSelector('.arrow-book');
    await page.waitForSelector('.book-rows tbody tr');
    await shot(page, 'page');
  });
  await look('the phone is pictured', `?${LINE}`, async (page) => {
    const cut = () => page.evaluate(() => [...document.querySelectorAll('.panel-moves :is(button,select,.game-title,.move-entry)')]
      .filter((part) => part.offsetParent && part.scrollWidth > part.clientWidth + 1).map((part) => part.textContent || part.placeholder));
    assert.deepEqual(await cut(), []);
    await shot(page, 'page-phone');
  }, styled('zh', 'dark', [360, 740]));
  for (const language of ['en', 'zh']) {
    await look(`what is touched at the head is large enough on the phone: ${language}`, '', async (page) => {
      const small = await page.evaluate(() => [...document.querySelectorAll('.top button, .tabs .tab')].map((button) => [button.textContent, button.getBoundingClientRect()])
        .filter(([, { width, height }]) => width > 0 && (width < 36 || height < 38)).map(([name, { width, height }]) => `${name} ${width}×${height}`));
      assert.deepEqual(small, []);
      await fits(page);
    }, styled(language, 'light', [360, 740]));
  }
  await look('the command for a set that the tables lack is told', `?${ENDING.replace('R8', 'RRPC5')}&tab=table`, async (page) => {
    await page.waitForSelector('.panel-table code');
    assert.equal(await text(page, '.panel-table code'), 'juzhong tablebase generate KRRCPvK --tables DIR');
  });
  await look('the list of keys begins above on the phone', '', async (page) => {
    await page.keyboard.press('?');
    await page.waitForSelector('.dialog .keys');
    await page.waitForTimeout(200);
    const [dialog, title] = [await box(page, '.dialog'), await box(page, '.dialog h2')];
    assert.ok(title.y >= dialog.y && title.y < dialog.y + 60, JSON.stringify([dialog, title]));
  }, styled('en', 'light', [360, 740]));
  await look('names have a line of their own on the phone', '', async (page) => {
    assert.ok(!await page.locator('.game-title').isVisible());
    await page.evaluate((text) => {
      const data = new DataTransfer();
      data.setData('text/plain', text);
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
    }, '[Red "Hu Ronghua"]\n[Black "Liu Dahua"]\n[Result "1-0"]\n\n1. h2e2 h9g7 1-0\n');
    await page.waitForFunction(() => /Hu Ronghua – Liu Dahua/.test(document.querySelector('.game-title').textContent));
    assert.ok(await page.locator('.game-title').evaluate((title) => title.offsetParent && title.scrollWidth <= title.clientWidth + 1));
    await fits(page);
  }, styled('en', 'light', [360, 740]));
}

async function books() {
  for (const size of [[360, 740], [820, 1180], [900, 600], [1024, 768], [1280, 800], [1280, 1400]]) {
    await look(`rows of the book are one line, and whole: ${size.join('×')}`, '?tab=book', async (page) => {
      await page.waitForSelector('.book-rows tbody tr');
      const rows = await page.evaluate(() => [...document.querySelectorAll('.book-rows tbody tr')].map((row) => ({
        tall: row.getBoundingClientRect().height, right: row.getBoundingClientRect().right,
        edge: row.closest('.column').getBoundingClientRect().right })));
      assert.ok(rows.length > 5);
      for (const { tall, right, edge } of rows) assert.ok(tall < 36 && right <= edge + 1, JSON.stringify({ tall, right, edge }));
      const cut = await page.evaluate(() => [...document.querySelectorAll('.book-rows :is(th,td):not(.note)')].filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.textContent));
      assert.deepEqual(cut, []);
    }, { viewport: { width: size[0], height: size[1] } });
  }
  await look('a move is named only where the name is another one', `?${LINE}`, async (page) => {
    await page.waitForSelector('.book-rows tbody tr');
    const name = (await text(page, '.panel-book .foot')).split(' · ')[0];
    const notes = await page.locator('.book-rows .note').allInnerTexts();
    assert.ok(name.length > 5 && notes.every((note) => !note.startsWith(`${name} ·`) && note !== name), `${name}: ${notes}`);
  });
  await look('heads of columns say what they are', '', async (page) => {
    await page.waitForSelector('.book-rows thead th');
    for (const head of ['Score', 'Weight', 'Games']) {
      assert.ok((await page.locator('.book-rows th', { hasText: new RegExp(head, 'i') }).getAttribute('title')).length > 10, head);
    }
  });
  await look('parts of a bar are told from the ground in the dark', '', async (page) => {
    await page.waitForSelector('.bar-black');
    const [black, edge, ground] = await page.evaluate(() => {
      const light = (colour) => colour.match(/[\d.]+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 3;
      return [light(getComputedStyle(document.querySelector('.bar-black')).backgroundColor), light(getComputedStyle(document.querySelector('.bar')).borderTopColor),
        light(getComputedStyle(document.querySelector('.lower')).backgroundColor)];
    });
    assert.ok(edge - ground > 90 && edge - black > 90, `${black} ${edge} ${ground}`);
  }, { colorScheme: 'dark' });
}

async function ways() {
  await look('three ways in stand where the moves are to be', '', async (page) => {
    assert.deepEqual(await page.locator('.way-name').allInnerTexts(), ['Play', 'Analyse', 'Open games']);
    await shot(page, 'looks-start-1280x800-en-light');
    await page.locator('.way-play').click();
    assert.equal(await page.evaluate(() => document.body.dataset.tab), 'play');
    await page.locator('.way-analyse').click();
    await page.waitForSelector('.pv .pv-move', { timeout: 8000 });
    await page.getByRole('switch').click();
    await page.locator('.way-games').click();
    assert.equal(await page.evaluate(() => document.body.dataset.view), 'games');
    await page.locator('.nav', { hasText: 'Board' }).click();
    await clickPoint(page, 'h2');
    await clickPoint(page, 'e2');
    await page.waitForSelector('.tree .move');
    assert.ok(!await page.locator('.welcome').isVisible());
    await page.keyboard.press('n');
    assert.ok(await page.locator('.welcome').isVisible());
  });
  await look('the ways in are on the phone', '', async (page) => {
    const { y, height } = await box(page, '.way-games');
    const controls = await box(page, '.controls');
    assert.ok(y + height <= controls.y, `${y} ${height} ${controls.y}`);
    await page.locator('.way-analyse').tap();
    assert.equal(await page.evaluate(() => document.body.dataset.tab), 'engine');
  }, { viewport: { width: 360, height: 740 }, hasTouch: true });
  await look('renju is chosen at the start of gomoku', '?game=gomoku', async (page) => {
    await page.getByLabel('Rules').first().selectOption('renju');
    await page.waitForFunction(() => /renju/.test(location.search));
  });
}

async function endings() {
  await look('the end of a game is told large', `?${MATED}`, async (page) => {
    await page.waitForSelector('.ending-who');
    assert.equal(await text(page, '.ending-who'), 'Red wins');
    assert.match(await text(page, '.ending-how'), /Checkmate/);
    assert.ok(await page.evaluate(() => Number.parseFloat(getComputedStyle(document.querySelector('.ending-who')).fontSize)) >= 18);
    assert.equal(await page.evaluate(() => Number.parseFloat(document.querySelector('.gauge-fill').style.height)), 100);
    await shot(page, 'looks-mated-1280x800-en-light');
  });
  await look('a played game ends with a rematch and a review', '?fen=4k4/3R1P3/R8/9/9/9/9/9/9/3K5_w_-_-_0_1&tab=play', async (page) => {
    await page.getByRole('button', { name: 'Play Red' }).click();
    await page.waitForSelector('.movable');
    await clickPoint(page, 'a7');
    await clickPoint(page, 'e7');
    await page.getByRole('button', { name: 'Rematch' }).waitFor();
    assert.match(await text(page, '.ending-how'), /Checkmate · You/);
    assert.match(await text(page, '.panel-play'), /Checkmate/);
    await page.locator('#language').click();
    await page.waitForFunction(() => /将死/.test(document.querySelector('.panel-play').textContent));
    assert.doesNotMatch(await text(page, '.game-title'), /You/);
    await page.locator('#language').click();
    await page.getByRole('button', { name: 'Rematch' }).click();
    await page.waitForFunction(() => document.querySelector('.board-side').classList.contains('flipped'));
  });
  await look('who resigned is forgotten with the game', '?tab=play', async (page) => {
    await page.getByRole('button', { name: 'Play Red' }).click();
    await page.getByRole('button', { name: 'Resign' }).click();
    await page.waitForFunction(() => /Red resigns/.test(document.querySelector('.panel-play').textContent));
    assert.equal(await text(page, '.ending-who'), 'Black wins');
    await page.keyboard.press('n');
    assert.doesNotMatch(await text(page, '.panel-play'), /resigns/);
    assert.equal(await page.locator('.ending').count(), 0);
  });
  await look('five in a row are marked', `?${WON}`, async (page) => {
    await page.waitForSelector('circle.five');
    assert.equal(await page.locator('circle.five').count(), 5);
    assert.match(await text(page, '.ending'), /Black wins\s+Five in a row/);
    await shot(page, 'looks-five-1280x800-en-light');
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction(() => document.querySelectorAll('.five').length === 0);
  });
  await look('playing on a finished board begins anew', `?${WON}&tab=play`, async (page) => {
    await page.waitForSelector('circle.five');
    await page.getByRole('button', { name: 'Play Black' }).click();
    await page.waitForFunction(() => document.querySelectorAll('.stone').length === 0);
    await page.getByRole('button', { name: 'Leave the game' }).click();
  });
  await look('the engine moves for those who hear the page', '?game=gomoku&moves=h8&tab=play', async (page) => {
    await page.getByRole('button', { name: 'Play Black' }).click();
    await page.waitForFunction(() => / plays [a-o]\d+\.$/.test(document.querySelector('[role="log"]').textContent), undefined, { timeout: 10000 });
    await page.getByRole('button', { name: 'Leave the game' }).click();
  });
  await look('the gauge is there when it has something to say', `?${LINE}`, async (page) => {
    assert.ok(await page.locator('.gauge').evaluate((gauge) => getComputedStyle(gauge).visibility === 'hidden'));
    if (!meta.xiangqi.tables) return;
    await go(page, `?${ENDING}&tab=table`);
    await page.waitForFunction(() => document.querySelector('.gauge-text').textContent.startsWith('+T'));
    assert.ok(await page.locator('.gauge').isVisible());
  });
}

async function tables() {
  if (!meta.xiangqi.tables) return;
  await look('nothing is played out where the game is over', `?fen=R2k5/4P4/9/9/9/9/9/9/9/4K4_b_-_-_0_1&tab=table`, async (page) => {
    await page.waitForSelector('.panel-table .sentence');
    assert.match(await text(page, '.panel-table .sentence'), /^Red wins\.$/);
    assert.equal(await page.locator('.panel-table').getByRole('button', { name: 'Play it out' }).count(), 0);
  });
  await look('no set is missing where the game is over', `?${MATED}&tab=table`, async (page) => {
    await page.waitForFunction(() => /The game is over here/.test(document.querySelector('.panel-table').textContent));
  });
  await look('the list of tables is sorted, and bars have their own labels', '?view=tables&set=KRvKN', async (page) => {
    await page.waitForSelector('.histogram text');
    const first = () => text(page, '.view-tables tbody tr button');
    await page.getByRole('button', { name: 'Size' }).click();
    await page.getByRole('button', { name: /Size/ }).click();
    assert.equal(await page.locator('th[aria-sort="descending"]').count(), 1);
    assert.notEqual(await first(), 'KvK');
    const labels = await page.locator('.histogram text').allInnerTexts().catch(() => []);
    const known = await page.evaluate(() => [...document.querySelectorAll('.histogram title')].map((title) => title.textContent.match(/^\d+/)[0]));
    const shown = await page.evaluate(() => [...document.querySelectorAll('.histogram text')].map((label) => label.textContent));
    assert.ok(shown.length > 1 && shown.every((label) => known.includes(label)), `${labels} ${shown}`);
  });
  await look('the list of tables says what is won and drawn, and is sorted by it', '?view=tables&set=KRvKN', async (page) => {
    const share = (set) => page.evaluate((name) => [...document.querySelectorAll(`[data-set="${name}"] .set-share`)].map((part) => part.textContent), set);
    await page.waitForFunction(() => [...document.querySelectorAll('.set-share')].every((part) => part.textContent !== '–'), undefined, { timeout: 30000 });
    const [wins, draws] = await share('KRvKN');
    assert.ok(Number.parseFloat(wins) > 90 && Number.parseFloat(draws) < 5, `${wins} ${draws}`);
    await page.locator('.view-tables').getByRole('button', { name: /^Wins/ }).click();
    const all = await page.evaluate(() => [...document.querySelectorAll('.view-tables tbody tr[data-set] .set-share:nth-of-type(3)')].map((part) => Number.parseFloat(part.textContent)));
    assert.ok(all.length > 10 && all.every((part, at) => at === 0 || part >= all[at - 1]), all.join());
    assert.ok(await page.locator('.histogram-rule').count() > 0);
    assert.match(await text(page, '.set-details'), /by the rules of repetition/);
    await shot(page, 'looks-tables-rates-1280x800-en-light');
  });
  await look('the list of tables fits a phone, in Chinese', '?view=tables&set=KRvKN', async (page) => {
    await page.waitForSelector('.set-details .men-name');
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  }, styled('zh', 'light', [360, 740]));
  await look('sets have their Chinese names', '?view=tables&set=KRvKN', async (page) => {
    await page.waitForSelector('.set-details .men-name');
    assert.match(await text(page, '.set-details h2'), /单车对单马/);
  }, { locale: 'zh-CN' });
}

async function speech() {
  await look('the language is in the link', `?${LINE}&lang=zh`, async (page) => {
    assert.equal(await page.evaluate(() => document.documentElement.lang), 'zh-Hans');
    assert.match(await text(page, '.tree .move'), /炮二平五/);
    assert.match(page.url(), /lang=zh/);
    await page.locator('#language').click();
    await page.waitForFunction(() => /lang=en/.test(location.search));
    assert.match(await text(page, '.tree .move'), /C2=5/);
  });
  await look('what is loaded later is in Chinese from the first', `?${ENDING}&tab=table`, async (page) => {
    await page.waitForFunction(() => [...document.querySelectorAll('.plate [role="img"]')].some(({ title }) => title.startsWith('吃掉的棋子')));
  }, styled('zh', 'light', [1280, 800]));
  await look('a notation that was chosen stays', `?${LINE}`, async (page) => {
    assert.match(await text(page, '.tree .move'), /C2=5/);
    await page.getByLabel('Notation').first().selectOption('chinese');
    await page.waitForFunction(() => document.querySelector('.tree .move').textContent === '炮二平五');
    assert.equal(await page.locator('.tree .move').first().getAttribute('lang'), 'zh');
    await page.reload();
    await page.waitForFunction(() => document.querySelector('.tree .move')?.textContent === '炮二平五');
  });
}

async function boards() {
  await look('arrows have colours, and the book another one', '', async (page) => {
    await page.waitForSelector('.arrow-book');
    const draw = async (key, from, to) => {
      if (key) await page.keyboard.down(key);
      await page.mouse.move(...await place(page, from));
      await page.mouse.down({ button: 'right' });
      await page.mouse.move(...await place(page, to));
      await page.mouse.up({ button: 'right' });
      if (key) await page.keyboard.up(key);
    };
    await draw('', 'a0', 'a2');
    await draw('Shift', 'b0', 'c2');
    await draw('Alt', 'i0', 'i2');
    const colours = await page.evaluate(() => ['.arrow-user:not(.arrow-user-red, .arrow-user-blue)', '.arrow-user-red', '.arrow-user-blue', '.arrow-book'].map((kind) => getComputedStyle(document.querySelector(`${kind} path`)).fill));
    assert.equal(new Set(colours).size, 4, colours.join());
    await draw('Shift', 'a0', 'a2');
    assert.equal(await page.locator('.arrow-user').count(), 3);
    assert.equal(await page.locator('.arrow-user-red').count(), 2);
  });
  await look('the river has the characters of the men', '', async (page) => {
    const river = () => page.evaluate(() => [...document.querySelectorAll('.river path')].map((path) => path.getAttribute('d')).join());
    const before = await river();
    await page.locator('#language').click();
    await page.waitForFunction(() => document.documentElement.lang === 'zh-Hans');
    assert.equal(await river(), before);
    await page.locator('#styles').click();
    await page.locator('dialog select[name="set"]').selectOption('simplified');
    assert.notEqual(await river(), before);
  });
  await look('a position is set up by dragging from the palette, and left by Escape', '', async (page) => {
    await page.getByRole('button', { name: 'Set up a position' }).click();
    const from = await box(page, '.palette [data-man="R"]');
    await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
    await page.mouse.down();
    const [x, y] = await place(page, 'e5');
    await page.mouse.move(x - 9, y, { steps: 3 });
    await page.mouse.move(x, y);
    await page.mouse.up();
    assert.match(await page.locator('.panel-setup .fen').inputValue(), /^rnbakabnr\/9\/1c5c1\/p1p1p1p1p\/4R4\//);
    await page.waitForFunction(() => /red chariot/.test(document.querySelector('.verdict').textContent));
    await page.mouse.click(x, y, { button: 'right' });
    assert.match(await page.locator('.panel-setup .fen').inputValue(), /^rnbakabnr\/9\/1c5c1\/p1p1p1p1p\/9\/9\//);
    await page.keyboard.press('Escape');
    assert.ok(!await page.locator('.panel-setup').isVisible());
  });
  await look('a long comment is read whole while it is written', `?${LINE}`, async (page) => {
    const field = page.getByLabel('Comment on this move');
    await field.fill('A move of the main line. '.repeat(8));
    assert.ok((await field.boundingBox()).height > 60);
  });
}

async function lists() {
  await look('files are opened from the list of games, also without a library', '?view=games', async (page) => {
    assert.ok(await page.locator('.view-games').getByRole('button', { name: 'Open files' }).first().isVisible());
    await page.setInputFiles('#open-file-games', [1, 2].map((number) => ({ name: `${number}.pgn`, mimeType: 'text/plain', buffer: Buffer.from(`[Red "R${number}"]\n\n1. h2e2 *\n`) })));
    await page.waitForFunction(() => /2 games/.test(document.querySelector('.status')?.textContent ?? ''));
  });
  await look('without a library nothing is searched in it', '', async (page) => {
    await page.route('**/api/meta**', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...await response.json(), library: null } });
    });
    await go(page, '?view=games');
    await page.waitForSelector('.library .command');
    assert.ok(!await page.locator('.view-games .search').isVisible());
    assert.ok(await page.locator('.view-games').getByRole('button', { name: 'Open a folder' }).first().isVisible());
  });
}

async function accessibility() {
  const views = { start: '', board: `?${LINE}`, play: `?tab=play&${LINE}`, review: `?tab=review&${LINE}`, values: `?tab=values&${LINE}`, file: `?tab=file&${LINE}`, table: `?tab=table&${ENDING}`,
    mated: `?${MATED}`, games: '?view=games', tables: '?view=tables&set=KRvKN', gomoku: '?game=gomoku&moves=h8,i9,h9', won: `?${WON}` };
  for (const [language, scheme] of STYLES) {
    for (const size of language === 'en' && scheme === 'light' ? [[1280, 800], [360, 740], [740, 360]] : [[1280, 800]]) {
      await look(`axe on every view: ${size.join('×')} ${language} ${scheme}`, '', async (page) => {
        for (const [name, path] of Object.entries(views)) {
          await go(page, path);
          await shot(page, `looks-${name}-${size.join('x')}-${language}-${scheme}`);
          await accessible(page, `${name} ${language} ${scheme} ${size}`);
        }
      }, styled(language, scheme, size));
    }
  }
}

for (const part of [pictures, ways, endings, books, tables, lists, speech, boards, sizes, accessibility]) {
  try {
    await part();
  } catch (error) {
    problems.push(`${part.name}: ${error.stack}`);
  }
}
report();
