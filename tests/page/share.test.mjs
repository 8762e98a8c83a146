// Walks through what people share and show: tags, glyphs, arrows and circles, links, pictures, sheets, sound, the page
// installed. It needs the server that page.test.mjs needs:
//
//   JUZHONG_URL=http://127.0.0.1:8642/ SCREENSHOTS=/tmp/shots node tests/page/share.test.mjs

import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';

import { accessible, clickPoint, go as goTo, launch, place, report, shot, step, text } from './walk.mjs';

const base = process.env.JUZHONG_URL ?? 'http://127.0.0.1:8642/';
const PGN = '[Game "Chinese Chess"]\n[Event "Cup"]\n[Red "甲"]\n[Black "乙"]\n[Result "1-0"]\n\n' +
  '1. 炮二平五 {[%csl Rh9,Ge6][%cal Ge2e6,Bh9g7] central} 马８进７ (1. ... 炮８平５ {[%cal Yh7e7]} 2. 马二进三) 2. 马二进三 车９平８ 3. 车一平二 马２进３ 1-0\n';

async function open(options = {}) {
  const { path = '', ...rest } = options;
  const { page, close } = await launch(base, rest, (message) => /ERR_INTERNET_DISCONNECTED/.test(message.text()));
  await goTo(page, base + path);
  return { page, close };
}

/** Draws with the right button while keys are held. */
async function draw(page, from, to, ...keys) {
  for (const key of keys) await page.keyboard.down(key);
  await page.mouse.move(...await place(page, from));
  await page.mouse.down({ button: 'right' });
  await page.mouse.move(...await place(page, to), { steps: 3 });
  await page.mouse.up({ button: 'right' });
  for (const key of keys.toReversed()) await page.keyboard.up(key);
}

async function paste(page, words) {
  await page.locator('#tab-file').click();
  await page.locator('.panel-file textarea').fill(words);
  await page.locator('.panel-file textarea + .row button').first().click();
}

/** What the browser keeps of the game on the board: its tree is a list, the root first. */
const kept = (page) => page.evaluate(() => JSON.parse(localStorage.getItem(`juzhong.tree.${JSON.parse(sessionStorage.getItem('juzhong.window')).xiangqi}`)));
const keptComment = async (page) => (await kept(page)).tree[1]?.comment;
const tabBook = (page) => page.locator('#tab-book').click();

async function annotations() {
  const { page, close } = await open();
  await step('arrows have the colours of the modifier keys and belong to their move', async () => {
    await clickPoint(page, 'h2');
    await clickPoint(page, 'e2');
    await page.waitForFunction(() => location.search.includes('h2e2'));
    await draw(page, 'h9', 'g7');
    await draw(page, 'b7', 'b0', 'Shift');
    await draw(page, 'a9', 'a8', 'Alt');
    await draw(page, 'e6', 'e6', 'Shift', 'Alt');
    assert.equal(await page.locator('.arrow-user').count(), 4);
    assert.equal(await page.locator('.arrow-user-red').count(), 1);
    assert.equal(await page.locator('.arrow-user-blue').count(), 1);
    assert.equal(await page.locator('.arrow-user-yellow circle').count(), 1);
    assert.equal(await keptComment(page), '[%csl Ye6][%cal Gh9g7,Rb7b0,Ba9a8]');
    await shot(page, 'share-arrows');
    await page.keyboard.press('ArrowLeft');
    assert.equal(await page.locator('.arrow-user').count(), 0);
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(() => document.querySelectorAll('.arrow-user').length === 4);
    await page.reload();
    await page.waitForSelector('body[data-ready]');
    assert.equal(await page.locator('.arrow-user').count(), 4);
  });
  await step('a comment is read and edited without its commands', async () => {
    const field = page.getByLabel('Comment on this move');
    assert.equal(await field.inputValue(), '');
    assert.equal(await page.locator('.tree .comment').count(), 0);
    await field.fill('watch e6');
    await field.blur();
    assert.equal(await text(page, '.tree .comment'), 'watch e6');
    assert.equal(await keptComment(page), '[%csl Ye6][%cal Gh9g7,Rb7b0,Ba9a8] watch e6');
  });
  await step('the same arrow again goes, and undo brings it back', async () => {
    await draw(page, 'h9', 'g7');
    assert.equal(await page.locator('.arrow-user').count(), 3);
    await page.keyboard.press('u');
    await page.waitForFunction(() => document.querySelectorAll('.arrow-user').length === 4);
    await clickPoint(page, 'e5');
    assert.equal(await page.locator('.arrow-user').count(), 0);
    await page.keyboard.press('u');
    await page.waitForFunction(() => document.querySelectorAll('.arrow-user').length === 4);
  });
  await step('glyphs are chosen in the menu and stand beside the move', async () => {
    await page.locator('.annotate summary').click();
    await page.getByRole('button', { name: 'interesting move' }).click();
    await page.getByRole('button', { name: 'the first player is better', exact: true }).click();
    assert.match(await text(page, '.tree .move.current'), /!\? ±$/);
    assert.equal(await page.getByRole('button', { name: 'interesting move' }).getAttribute('aria-pressed'), 'true');
    await accessible(page, 'annotate');
    await shot(page, 'share-glyphs');
    await page.getByRole('button', { name: 'good move', exact: true }).click();
    assert.match(await text(page, '.tree .move.current'), /! ±$/);
  });
  await step('a colour of the menu draws with the left button', async () => {
    await page.locator('[data-brush="B"]').click();
    await page.mouse.move(...await place(page, 'i0'));
    await page.mouse.down();
    await page.mouse.move(...await place(page, 'i4'), { steps: 3 });
    await page.mouse.up();
    assert.equal(await page.locator('.board .arrow-user-blue').count(), 2);
    await page.locator('[data-brush="B"]').click();
    await page.locator('.annotate summary').click();
  });
  await step('a game with arrows is opened and saved as it was', async () => {
    await paste(page, PGN);
    await page.waitForFunction(() => document.querySelectorAll('.tree .move').length === 8);
    assert.equal(await text(page, '.tree .comment'), 'central');
    await page.keyboard.press('Escape');
    await page.locator('.tree .move').first().click();
    assert.equal(await page.locator('.arrow-user').count(), 4);
    await page.locator('#tab-file').click();
    await page.getByLabel('Format', { exact: true }).selectOption('pgn');
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save game' }).click()]);
    const saved = readFileSync(await download.path(), 'utf8');
    assert.ok(saved.includes('{ [%csl Rh9,Ge6][%cal Ge2e6,Bh9g7] central}'), saved);
    assert.ok(saved.includes('{ [%cal Yh7e7]}'), saved);
    await tabBook(page);
  });
  await step('the tags of a game are seen and edited', async () => {
    await page.locator('.annotate summary').click();
    await page.getByRole('button', { name: 'Game information' }).click();
    assert.equal(await page.locator('.dialog [name="Event"]').inputValue(), 'Cup');
    assert.equal(await page.locator('.dialog [name="Red"]').inputValue(), '甲');
    await page.locator('.dialog [name="Red"]').fill('<b>丙</b>');
    await page.locator('.dialog [name="Result"]').selectOption('1/2-1/2');
    await page.getByLabel('Name of another tag').fill('Weather');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.locator('.dialog [name="Weather"]').fill('rain');
    await accessible(page, 'tags');
    await shot(page, 'share-tags');
    await page.getByRole('button', { name: 'Keep' }).click();
    assert.match(await text(page, '.game-title'), /<b>丙<\/b> – 乙\s+½-½/);
    const { tags } = await kept(page);
    assert.equal(tags.Weather, 'rain');
    assert.equal(tags.Event, 'Cup');
    await page.keyboard.press('u');
    assert.match(await text(page, '.game-title'), /^甲 – 乙/);
    assert.equal((await kept(page)).tags.Weather, undefined);
    await page.keyboard.press('r');
    assert.match(await text(page, '.game-title'), /<b>丙<\/b> – 乙\s+½-½/);
  });
  await close();
}

const clipboard = (page) => page.evaluate(() => navigator.clipboard.readText());

/** Returns the file that a click saves. */
async function saved(page, name) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name, exact: true }).click()]);
  return readFileSync(await download.path());
}

/** Opens an SVG in a window of its own, where nothing of the page counts. */
async function alone(page, svg, name, wait = 0) {
  const window_ = await page.context().newPage();
  await window_.goto(`data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`);
  await window_.waitForTimeout(wait);
  await shot(window_, name);
  const found = await window_.evaluate(() => ({ root: document.documentElement.localName, paths: document.querySelectorAll('path').length,
    seen: [...document.querySelectorAll('use')].filter((use) => getComputedStyle(use).visibility === 'visible').length }));
  await window_.close();
  return found;
}

async function pictures() {
  const { page, close } = await open();
  await paste(page, PGN);
  await page.waitForFunction(() => document.querySelectorAll('.tree .move').length === 8);
  await page.locator('.tree .move').first().click();
  await step('the position is saved as SVG that needs no style sheet', async () => {
    const svg = String(await saved(page, 'Picture (SVG)'));
    assert.ok(svg.startsWith('<svg') && !svg.includes('class=') && !svg.includes('style='), svg.slice(0, 200));
    assert.ok(svg.length < 200_000, `${svg.length} bytes`);
    const { root, paths } = await alone(page, svg, 'share-picture');
    assert.equal(root, 'svg');
    assert.ok(paths > 40);
  });
  await step('the position is saved as PNG', async () => {
    const png = await saved(page, 'Picture (PNG)');
    assert.deepEqual([...png.subarray(1, 4)], [...Buffer.from('PNG')]);
    assert.equal(png.readUInt32BE(16), 1080);
    assert.ok(png.length > 30_000, `${png.length} bytes`);
  });
  await step('the position is copied as a picture', async () => {
    await page.getByRole('button', { name: 'Copy picture' }).click();
    await page.waitForFunction(() => document.querySelector('.status')?.textContent === 'Copied.');
    const types = await page.evaluate(async () => (await navigator.clipboard.read())[0].types);
    assert.deepEqual(types, ['image/png']);
  });
  await step('the game is saved as a picture that moves', async () => {
    const svg = String(await saved(page, 'Moving picture of the game'));
    assert.equal(svg.match(/<animateTransform/g)?.length, 6);
    assert.ok(svg.length < 300_000, `${svg.length} bytes`);
    const { seen } = await alone(page, svg, 'share-moving', 3300);
    assert.equal(seen, 32);
  });
  await step('pictures and sheets of long games take some seconds at most', async () => {
    const times = await page.evaluate(async () => {
      const [{ movingOf }, { sheetOf }, tree] = await Promise.all([import('/picture.js'), import('/sheet.js'), import('/tree.js')]);
      const { Session } = await import('/session.js');
      const session = new Session('xiangqi', () => {});
      const moves = Array.from({ length: 2000 }, (_, at) => ['a0a1', 'a9a8', 'a1a0', 'a8a9'][at % 4]);
      let root = tree.node({ move: moves.at(-1), comment: 'x' });
      for (const move of moves.slice(0, -1).toReversed()) root = tree.node({ move, comment: 'x', children: [root] });
      session.root = tree.node({ children: [root] });
      session.path = moves.map(() => 0);
      const app = { session, game: 'xiangqi', settings: { set: 'traditional', coordinates: 'western', flipped: false }, moveLanguage: null, shown: [] };
      const began = performance.now();
      const moving = await movingOf(app, session.path).text();
      const between = performance.now();
      const sheet = sheetOf(app, 'comments');
      return { moving: between - began, sheet: performance.now() - between, bytes: moving.length, figures: sheet.querySelectorAll('figure').length, moves: sheet.querySelectorAll('b').length };
    });
    assert.ok(times.moving < 4000 && times.sheet < 4000, JSON.stringify(times));
    assert.ok(times.bytes < 600_000 && times.figures === 60 && times.moves === 2000, JSON.stringify(times));
    console.log(`    ${JSON.stringify(times)}`);
  });
  await step('the game is printed with diagrams', async () => {
    await page.evaluate(() => { window.print = () => { window.printed = true; }; });
    await page.getByRole('button', { name: 'Print' }).click();
    await accessible(page, 'print');
    await page.locator('.dialog').getByRole('button', { name: 'Print' }).click();
    await page.waitForFunction(() => window.printed);
    assert.equal(await page.locator('.sheet figure').count(), 2);
    assert.equal(await page.locator('.sheet figure .arrow').count(), 4);
    const words = await page.locator('.sheet').evaluate((sheet) => sheet.textContent);
    assert.match(words, /甲 – 乙 1-0/);
    assert.match(words, /central/);
    assert.match(words, /\(1… C8=5 2\. H2\+3\)/);
    assert.ok(!words.includes('[%'));
    await page.emulateMedia({ media: 'print' });
    await shot(page, 'share-sheet');
    assert.ok(await page.locator('.sheet').isVisible());
    assert.ok(!await page.locator('.board-side').isVisible());
    await page.emulateMedia({ media: 'screen' });
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
    assert.equal(await page.locator('.sheet').count(), 0);
  });
  await close();
}

async function links() {
  const { page, close } = await open();
  let link = '';
  await step('a link holds the tree with variations, comments and arrows', async () => {
    await paste(page, PGN);
    await page.waitForFunction(() => document.querySelectorAll('.tree .move').length === 8);
    await page.locator('.tree .variation .move').last().click();
    await page.getByRole('button', { name: 'Copy link to the whole game' }).click();
    await page.waitForFunction(() => document.querySelector('.status')?.textContent === 'Copied.');
    link = await clipboard(page);
    assert.match(link, /#tree=[\w-]+$/);
    assert.ok(link.length < 1000, `${link.length} characters`);
    const other = await open({ path: link.slice(base.length) });
    assert.equal(await other.page.locator('.tree .move').count(), 8);
    assert.equal(await text(other.page, '.tree .comment'), 'central');
    assert.match(await text(other.page, '.game-title'), /甲 – 乙/);
    assert.match(other.page.url(), /moves=h2e2,h7e7,h0g2$/);
    await other.page.locator('.tree .move').first().click();
    assert.equal(await other.page.locator('.arrow-user').count(), 4);
    await other.close();
  });
  await step('a link is opened in a page that is open', async () => {
    await page.keyboard.press('Escape');
    await page.evaluate(() => { document.activeElement?.blur(); });
    await page.keyboard.press('n');
    await page.waitForFunction(() => document.querySelectorAll('.tree .move').length === 0);
    await page.evaluate((hash) => { location.hash = hash; }, link.slice(link.indexOf('#')));
    await page.waitForFunction(() => document.querySelectorAll('.tree .move').length === 8);
    assert.ok(!page.url().includes('#'));
  });
  await step('damaged and hostile links are told', async () => {
    const bomb = await page.evaluate(async () => {
      const stream = new Blob(['{"moves":"', ' '.repeat(40_000_000), '"}']).stream().pipeThrough(new CompressionStream('deflate-raw'));
      const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
      return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
    });
    assert.ok(bomb.length < 64_000, `${bomb.length}`);
    for (const packed of ['AAAA', link.slice(link.indexOf('=') + 1, -9), bomb, 'A'.repeat(70_000)]) {
      await page.evaluate((hash) => { location.hash = hash; }, `#tree=${packed}`);
      await page.waitForFunction(() => document.querySelector('.status-error')?.textContent.includes('holds no game'));
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('ArrowRight');
      assert.equal(await page.locator('.tree .move').count(), 8);
    }
  });
  await step('a game too long for a link is told', async () => {
    const words = await page.evaluate(() => Array.from(crypto.getRandomValues(new Uint8Array(20_000)), (byte) => String.fromCharCode(97 + (byte % 26))).join(''));
    await page.evaluate(() => document.querySelector('.tree .move').click());
    await page.getByLabel('Comment on this move').fill(words);
    await page.getByLabel('Comment on this move').blur();
    await page.getByRole('button', { name: 'Copy link to the whole game' }).click();
    await page.waitForFunction(() => document.querySelector('.status-error')?.textContent.includes('too long for a link'));
  });
  await close();
}

async function board() {
  const { page, close } = await open();
  await step('captured men stand beside the names', async () => {
    await goTo(page, `${base}?moves=h2e2,h9g7,e2e6,i9h9,b2b9,a9b9`);
    await page.waitForSelector('.movable');
    const [top, bottom] = await page.locator('.plate .captured').evaluateAll((boxes) => boxes.map((box) => box.getAttribute('aria-label')));
    assert.equal(top, 'Captured: red cannon ×1');
    assert.equal(bottom, 'Captured: black horse ×1, black pawn ×1');
    await page.keyboard.press('f');
    assert.match(await page.locator('.plate .captured').first().getAttribute('aria-label'), /black horse/);
    await page.keyboard.press('f');
    await shot(page, 'share-captured');
    await accessible(page, 'captured');
    await page.keyboard.press('Home');
    assert.equal(await page.locator('.plate .captured:visible').count(), 0);
  });
  await step('moves are heard, and a key switches that off', async () => {
    const heard = () => page.evaluate(() => document.body.dataset.heard ?? '');
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(() => document.body.dataset.heard === 'move');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(() => document.body.dataset.heard === 'capture');
    await page.keyboard.press('m');
    assert.match(await text(page, '.status'), /Sound is off/);
    await page.evaluate(() => { delete document.body.dataset.heard; });
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await page.waitForTimeout(300);
    assert.equal(await heard(), '');
    await page.keyboard.press('m');
    assert.match(await text(page, '.status'), /Sound is on/);
  });
  await step("the engine's move is told to screen readers, in its language", async () => {
    await goTo(page, `${base}?fen=startpos&tab=play`);
    await page.getByLabel('Notation').first().selectOption('chinese');
    await page.getByRole('button', { name: 'Play Black' }).click();
    await page.waitForFunction(() => /^.+ plays .+\.$/.test(document.querySelector('.announcer')?.textContent ?? ''), undefined, { timeout: 20000 });
    assert.equal(await page.locator('.announcer').getAttribute('aria-live'), 'polite');
    const move = await text(page, '.tree .move.current');
    assert.equal(await page.locator('.announcer [lang="zh"]').textContent(), move);
    assert.equal(await page.locator('.tree .move').first().getAttribute('lang'), 'zh');
    await page.getByRole('button', { name: 'Leave the game' }).click();
  });
  await close();
}

async function installed() {
  const { page, close } = await open();
  await step('the manifest names the page, its icons and its beginning', async () => {
    const address = await page.locator('link[rel="manifest"]').evaluate((link) => link.href);
    const answer = await fetch(address);
    assert.match(answer.headers.get('content-type'), /^application\/manifest\+json/);
    const manifest = await answer.json();
    assert.equal(manifest.display, 'standalone');
    for (const { src, type } of manifest.icons) {
      const icon = await fetch(new URL(src, address));
      assert.equal(icon.status, 200);
      assert.ok(icon.headers.get('content-type').startsWith(type), src);
    }
    const session = await page.context().newCDPSession(page);
    const { errors, data } = await session.send('Page.getAppManifest');
    assert.deepEqual(errors, []);
    assert.match(data, /juzhong/);
    const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
    assert.deepEqual(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito'), []);
  });
  await step('the service worker keeps the page, and nothing else', async () => {
    await page.waitForFunction(() => navigator.serviceWorker.controller, undefined, { timeout: 20000 });
    const kept = await page.evaluate(async () => (await (await caches.open('juzhong-page')).keys()).map(({ url }) => url));
    for (const name of ['', 'main.js', 'page.css', 'zh.js', 'zh-later.js', 'picture.js', 'sheet.js', 'panels/book.js', 'icon.svg']) assert.ok(kept.includes(base + name), name);
    assert.deepEqual(kept.filter((url) => /\/api\/|#|token/.test(url)), []);
  });
  await step('without a connection the page comes up', async () => {
    await page.waitForFunction(() => navigator.serviceWorker.controller, undefined, { timeout: 20000 });
    await page.context().setOffline(true);
    await page.goto(`${base}?moves=h2e2`);
    await page.waitForSelector('body[data-ready]');
    assert.equal(await page.locator('.board .man').count(), 32);
    await page.locator('#language').click();
    await page.waitForFunction(() => document.documentElement.lang === 'zh-Hans');
    await page.context().setOffline(false);
  });
  await close();
}

async function small() {
  for (const [width, height, scheme] of [[360, 740, 'light'], [740, 360, 'dark'], [1280, 800, 'dark']]) {
    const { page, close } = await open({ viewport: { width, height }, locale: 'zh-CN', colorScheme: scheme, hasTouch: width < 800 });
    await step(`annotations and what is shared are there in Chinese at ${width} by ${height}`, async () => {
      await paste(page, PGN);
      await page.waitForFunction(() => document.querySelector('.game-title')?.textContent.includes('甲'));
      await page.locator('.sharing').scrollIntoViewIfNeeded();
      const shared = await page.locator('.sharing').innerText();
      assert.ok(!/[A-Z][a-z]{3}/.test(shared), shared);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth));
      await accessible(page, 'shared');
      await shot(page, `share-file-zh-${width}`);
      if (width < 900) await page.locator('#tab-moves').click();
      await page.locator('.tree .move').first().click();
      await page.locator('.annotate summary').click();
      await page.locator('.annotate-body').scrollIntoViewIfNeeded();
      const box = await page.locator('.annotate-body').boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= width, JSON.stringify(box));
      await accessible(page, 'annotate');
      await shot(page, `share-annotate-zh-${width}`);
      await page.getByRole('button', { name: '对局信息' }).first().click();
      await accessible(page, 'tags');
      await shot(page, `share-tags-zh-${width}`);
    });
    await close();
  }
}

await annotations();
await small();
await pictures();
await links();
await board();
await installed();
report();
