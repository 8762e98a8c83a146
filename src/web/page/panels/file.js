// Texts and files: copy, paste, open and save.

import { fetchFile, inSteps } from '../api.js';
import { button, el, row, saveFile, select } from '../dom.js';
import { percent, t } from '../i18n.js';
import { droppedFiles, keepOpened, openedFiles, openedTotal, readAgain } from '../opened.js';
import { readGame, writeGame } from '../wire.js';
import { parse } from '../fen.js';
import { copyText, fileName, shareRows } from './share.js';

/** @typedef {import('../app.js').App} App */

/** @typedef {import('../opened.js').OpenedFile} OpenedFile */

/**
 * A list of games that the server found in a file or a text.
 * @typedef {object} Opened
 * @property {import('../opened.js').Entry[]} games
 * @property {number} total
 * @property {number} bad
 * @property {string | null} [ends] where the game ends and why, if it breaks off
 * @property {string | null} [note] in what it deviates from what the file states
 * @property {import('../wire.js').Record_} game
 */

/** What opens several files is loaded with the first. */
const files = () => import('./files.js');

/** Returns the panel for texts and files. @param {App} app */
export function filePanel(app) {
  const fen = el('input', { type: 'text', class: 'fen', 'aria-label': 'FEN', spellcheck: 'false', autocomplete: 'off',
    onchange: () => { if (!app.loadFen(fen.value)) app.say(t('This is not a FEN.'), 'error'); } });
  const element = el('section', { class: 'panel panel-file', 'aria-label': t('File') },
    el('label', { class: 'stack' }, el('span', {}, t('Position (FEN)')), fen),
    row(
      button(t('Copy FEN'), () => void copyText(app, app.fen())),
      button(t('Copy link'), () => void copyText(app, location.href)),
      button(t('Copy game'), () => void copyGame(app))),
    shareRows(app), paste(app), openRow(app), saveRow(app));
  const draw = () => { if (document.activeElement !== fen) fen.value = app.fen(); };
  app.on(['position', 'answer'], draw);
  draw();
  return element;
}

/** @param {App} app */
function gameOf(app) {
  return writeGame(app.session);
}

/** @param {App} app */
async function copyGame(app) {
  try {
    const format = app.game === 'gomoku' ? 'sgf' : 'pgn';
    const file = await fetchFile('/api/save', gameOf(app), { format, notation: app.settings.notation, ...gameField(app) });
    await copyText(app, await file.text());
  } catch (error) {
    app.fail(error);
  }
}

/** @param {App} app @returns {Record<string, string>} */
export function gameField(app) {
  return app.game === 'gomoku' ? { game: 'gomoku' } : {};
}

/** @param {App} app */
function paste(app) {
  const area = el('textarea', { rows: 3, spellcheck: 'false', 'aria-label': t('Paste a FEN or a game of any format'),
    placeholder: t('Paste a FEN or a game of any format') });
  return el('div', { class: 'stack' }, area, row(
    button(t('Put it on the board'), () => void takeText(app, area.value).then((done) => { if (done) area.value = ''; }))));
}

/** Returns the buttons that open files and folders. @param {App} app @param {string} [place] told in the names of the fields where they are there a second time */
export function openRow(app, place = '') {
  const choose = (/** @type {string} */ id, /** @type {string} */ label, folder = false) => {
    const input = el('input', { type: 'file', class: 'visually-hidden', id, 'aria-label': label, multiple: true,
      onchange: () => { void files().then(({ takeFiles }) => takeFiles(app, [...input.files ?? []])).then(() => { input.value = ''; }); } });
    if (folder) input.webkitdirectory = true;
    return [button(label, () => input.click()), input];
  };
  return row(...choose(`open-file${place}`, t('Open files')), ...choose(`open-folder${place}`, t('Open a folder'), true),
    el('span', { class: 'quiet' }, t('or drop some anywhere on the page')));
}

/** @param {App} app */
function saveRow(app) {
  const formats = app.game === 'gomoku' ? ['sgf', 'jsonl', 'psq', 'moves'] : ['pgn', 'xqf', 'dhtmlxq', 'jsonl', 'plain'];
  const format = select(formats.map((name) => /** @type {[string, string]} */ ([name, name.toUpperCase()])), formats[0] ?? '', () => {},
    { 'aria-label': t('Format') });
  const notation = select([['chinese', t('Chinese')], ['wxf', 'WXF'], ['iccs', 'ICCS'], ['uci', 'UCI']], app.settings.notation, () => {},
    { 'aria-label': t('Notation') });
  const save = async (whole = false) => {
    try {
      const query = { notation: notation.value, ...gameField(app) };
      const file = whole ? await (await files()).convertOpened(format.value, query) : await fetchFile('/api/save', gameOf(app), { format: format.value, ...query });
      saveFile(file, `${whole ? 'games' : fileName(app)}.${format.value === 'plain' ? 'txt' : format.value}`);
    } catch (error) {
      app.fail(error);
    }
  };
  const all = button('', () => void save(true));
  const draw = () => {
    // Several files are not one.
    all.hidden = openedFiles().length !== 1 || openedTotal() < 2;
    all.textContent = t('Save all {n} games of the file', { n: openedTotal() });
  };
  app.on(['position', 'view'], draw);
  draw();
  return row(button(t('Save game'), () => void save()), all, format, app.game === 'xiangqi' && notation);
}

/** Puts a pasted text on the board: a FEN or a game. @param {App} app @param {string} text @returns {Promise<boolean>} */
export async function takeText(app, text) {
  const clean = text.trim();
  if (!clean) return false;
  if (!clean.includes('\n') && parse(app.game, clean)) return app.loadFen(clean);
  return openOne(app, clean, '');
}

/** Opens what was dropped. @param {App} app @param {DataTransfer} data */
export async function takeDrop(app, data) {
  // The files of a drop are there while it is handed on only.
  const dropped = droppedFiles(data);
  return (await files()).takeFiles(app, await dropped);
}

/** Opens a file. @param {App} app @param {File} file */
export async function takeFile(app, file) {
  app.say(t('Reading {name} …', { name: file.name }), 'busy');
  return openOne(app, await file.arrayBuffer(), file.name);
}

/** Opens a file in place of those that were open. @param {App} app @param {ArrayBuffer | string} body @param {string} name @returns {Promise<boolean>} */
async function openOne(app, body, name) {
  let share = 0;
  const told = () => t('Reading the file …') + (share > 0 ? ` ${percent(share, 0)}` : '');
  try {
    const { opened, file } = await inSteps(told, async (signal, tell) => (await import('../divide.js')).readWhole(name, body, gameField(app), signal, (read) => {
      share = read;
      tell();
    }));
    keepOpened([file]);
    showOpened(app, opened);
    return true;
  } catch (error) {
    app.fail(error);
    return false;
  }
}

/** Opens a game of a file that is open. @param {App} app @param {OpenedFile} file @param {number} index @returns {Promise<boolean>} */
export async function openAgain(app, file, index) {
  try {
    showOpened(app, await readAgain(file, index, gameField(app)));
    return true;
  } catch (error) {
    app.fail(error);
    return false;
  }
}

/** Puts an opened game on the board. @param {App} app @param {Opened} opened */
export function showOpened(app, opened) {
  app.setEditing(false);
  app.load({ ...readGame(opened.game), opened: true });
  const remark = opened.ends ?? opened.note;
  // A game of a list is not one of the opened files.
  const many = opened.games.length > 1 || openedFiles().length > 1 ? openedTotal() : 1;
  if (remark) app.say(remark, 'error');
  else if (many > 1) app.say(openedFiles().length > 1 ? t('{n} games in these files.', { n: many }) : t('{n} games in this file.', { n: many }), 'games');
  app.emit('view');
}
