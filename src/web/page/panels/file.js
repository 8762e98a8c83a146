// Texts and files: copy, paste, open and save.

import { fetchFile, inSteps } from '../api.js';
import { button, el, row, saveFile, select } from '../dom.js';
import { percent, t } from '../i18n.js';
import { droppedFiles, keepOpened, MOST_BYTES, openedFiles, openedTotal, readAgain, readWhole, together } from '../opened.js';
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
function gameField(app) {
  return app.game === 'gomoku' ? { game: 'gomoku' } : {};
}

/** @param {App} app */
function paste(app) {
  const area = el('textarea', { rows: 3, spellcheck: 'false', 'aria-label': t('Paste a FEN or a game of any format'),
    placeholder: t('Paste a FEN or a game of any format') });
  return el('div', { class: 'stack' }, area, row(
    button(t('Put it on the board'), () => void takeText(app, area.value).then((done) => { if (done) area.value = ''; }))));
}

/** @param {App} app */
function openRow(app) {
  const choose = (/** @type {string} */ id, /** @type {string} */ label, folder = false) => {
    const input = el('input', { type: 'file', class: 'visually-hidden', id, 'aria-label': label, multiple: true,
      onchange: () => { void takeFiles(app, [...input.files ?? []]).then(() => { input.value = ''; }); } });
    if (folder) input.webkitdirectory = true;
    return [button(label, () => input.click()), input];
  };
  return row(...choose('open-file', t('Open files')), ...choose('open-folder', t('Open a folder'), true),
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
      const file = whole ? await convertOpened(format.value, query) : await fetchFile('/api/save', gameOf(app), { format: format.value, ...query });
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

/** Bytes that the server converts at once, and the formats whose files can be joined. */
const CONVERTED = 8 << 20;
const JOINED = ['pgn', 'jsonl', 'plain', 'sgf', 'moves'];

/** Returns all games of the opened file in a format. @param {string} format @param {Record<string, string>} query @returns {Promise<Blob>} */
function convertOpened(format, query) {
  const { body = '', parts = [] } = openedFiles()[0] ?? {};
  const asked = { to: format, ...query };
  if (typeof body === 'string' || body.byteLength <= CONVERTED || !JOINED.includes(format)) return fetchFile('/api/convert', body, asked);
  return inSteps(() => t('Writing the games …'), async (signal) => {
    const files = [];
    for (const { start, end } of parts) files.push(await fetchFile('/api/convert', body.slice(start, end), asked, signal));
    return new Blob(files);
  });
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
  return takeFiles(app, await droppedFiles(data));
}

/**
 * Opens files together: the first game of the first one that has games comes onto the board.
 * @param {App} app @param {readonly File[]} files @returns {Promise<boolean>}
 */
export async function takeFiles(app, files) {
  const taken = together(files);
  if (files.length === 1 && taken[0]) return takeFile(app, taken[0]);
  if (files.length > 0 && taken.length === 0) {
    app.say(t('Files of more than {n} MiB are not opened here. Give them to the server:', { n: MOST_BYTES >> 20 }), 'error', 'juzhong serve --library FILE');
    return false;
  }
  try {
    const { opened, refused } = await readAll(app, taken);
    return await showFirst(app, opened, refused, files.length - taken.length);
  } catch (error) {
    app.fail(error);
    return false;
  }
}

/** Reads files one after the other; returns those with games, and the names of the others. @param {App} app @param {readonly File[]} files */
function readAll(app, files) {
  let told = '';
  return inSteps(() => told, async (signal, tell) => {
    /** @type {OpenedFile[]} */
    const opened = [];
    /** @type {string[]} */
    const refused = [];
    for (const [at, file] of files.entries()) {
      told = t('Reading {name} …', { name: `${file.name} (${at + 1}/${files.length})` });
      tell();
      app.say(told, 'busy');
      try {
        opened.push((await readWhole(file.name, await file.arrayBuffer(), gameField(app), signal, () => {})).file);
      } catch (error) {
        if (signal.aborted) throw error;
        refused.push(file.name);
      }
    }
    return { opened, refused };
  });
}

/** Puts the first game of some files on the board. @param {App} app @param {OpenedFile[]} opened @param {readonly string[]} refused @param {number} left files that were not read */
async function showFirst(app, opened, refused, left) {
  const first = opened[0];
  if (!first) {
    app.say(t('There are no games in these files.'), 'error');
    return false;
  }
  keepOpened(opened);
  const shown = await openAgain(app, first, first.games[0]?.index ?? 0);
  if (shown && refused.length > 0) app.say(t('{n} games; without games: {names}', { n: openedTotal(), names: namesText(refused) }), 'error');
  else if (shown && left > 0) app.say(t('{n} games; {m} files were too many or too long to open together', { n: openedTotal(), m: left }), 'error');
  return shown;
}

/** Returns some names, and how many more there are. @param {readonly string[]} names */
function namesText(names) {
  const shown = names.slice(0, 3).join(', ');
  return names.length > 3 ? `${shown} … (${names.length})` : shown;
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
    const { opened, file } = await inSteps(told, (signal, tell) => readWhole(name, body, gameField(app), signal, (read) => {
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
