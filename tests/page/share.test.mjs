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
  const { page, close } = await launch(base, rest);
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

const keptComment = (page) => page.evaluate(() => JSON.parse(localStorage.getItem('juzhong.game.xiangqi')).root.children[0]?.comment);
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
    const tags = await page.evaluate(() => JSON.parse(localStorage.getItem('juzhong.game.xiangqi')).tags);
    assert.equal(tags.Weather, 'rain');
    assert.equal(tags.Event, 'Cup');
  });
  await close();
}

await annotations();
report();
