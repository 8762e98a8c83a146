// What people share: links with the whole game, pictures, a sheet of paper. What makes them is loaded when it is asked for.

import { button, el, row, saveFile } from '../dom.js';
import { t } from '../i18n.js';
import { playersOf } from '../session.js';

/** @typedef {import('../app.js').App} App */

/** Returns the buttons to share what is on the board. @param {App} app */
export function shareRows(app) {
  return el('div', { class: 'stack sharing' },
    row(
      button(t('Copy link to the whole game'), () => void copyLink(app), { title: t('A link that holds the moves, variations and comments') }),
      button(t('Copy picture'), () => void copyPicture(app), { title: t('The position as a picture, to be pasted elsewhere') }),
      button(t('Game information'), () => void import('../tags.js').then(({ showTags }) => showTags(app)))),
    row(
      button(t('Picture (PNG)'), () => void savePicture(app, 'png')),
      button(t('Picture (SVG)'), () => void savePicture(app, 'svg')),
      button(t('Moving picture of the game'), () => void saveMoving(app), { title: t('An SVG that plays the line on the board in every browser') }),
      button(t('Print'), () => void import('../sheet.js').then(({ showSheet }) => showSheet(app)))));
}

/** Returns a name for files of the game on the board. @param {App} app */
export function fileName(app) {
  const { tags } = app.session;
  const name = playersOf(app.game, tags).filter(Boolean).join('-') || tags['Event'] || `${app.game}-${new Date().toLocaleDateString('sv')}`;
  return name.replace(/[^\p{L}\p{N}-]+/gu, '_').slice(0, 60);
}

/** @param {App} app */
async function copyLink(app) {
  try {
    const { linkTo } = await import('../link.js');
    const link = await linkTo(app);
    if (!link) { app.say(t('The game is too long for a link. Save it as a file instead.'), 'error'); return; }
    await copyText(app, link);
  } catch (error) {
    app.fail(error);
  }
}

/** Puts a text on the clipboard, or shows it where there is none. @param {App} app @param {string} text */
export async function copyText(app, text) {
  try {
    await navigator.clipboard.writeText(text);
    app.say(t('Copied.'));
  } catch {
    app.say(text);
  }
}

/** @param {App} app */
async function copyPicture(app) {
  try {
    const { pngOf } = await import('../picture.js');
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': pngOf(app) })]);
    app.say(t('Copied.'));
  } catch {
    app.say(t('This browser copies no pictures; save it as a file.'), 'error');
  }
}

/** @param {App} app @param {'png' | 'svg'} kind */
async function savePicture(app, kind) {
  try {
    const { pngOf, svgOf } = await import('../picture.js');
    saveFile(kind === 'png' ? await pngOf(app) : svgOf(app), `${fileName(app)}-${app.session.path.length}.${kind}`);
  } catch (error) {
    app.fail(error);
  }
}

/** @param {App} app */
async function saveMoving(app) {
  try {
    const [{ movingOf, MOST_PLIES }, { endOf }] = await Promise.all([import('../picture.js'), import('../tree.js')]);
    const end = endOf(app.session.root, app.session.path);
    if (end.length === 0) { app.say(t('There are no moves yet.'), 'error'); return; }
    saveFile(movingOf(app, end), `${fileName(app)}.svg`);
    if (end.length > MOST_PLIES) app.say(t('The picture shows the first {n} plies.', { n: MOST_PLIES }));
  } catch (error) {
    app.fail(error);
  }
}
