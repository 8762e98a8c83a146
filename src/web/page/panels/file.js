// Texts and files: copy, paste, open and save.

import { fetchFile, post } from '../api.js';
import { button, el, row, saveFile, select } from '../dom.js';
import { t } from '../i18n.js';
import { readGame, writeGame } from '../wire.js';
import { parse } from '../fen.js';
import { playersOf } from '../session.js';

/** @typedef {import('../app.js').App} App */

/**
 * A list of games that the server found in a file or a text.
 * @typedef {object} Opened
 * @property {{index: number, first: string | null, second: string | null, event: string | null, result: string, plies: number}[]} games
 * @property {string | null} [ends] where the game ends and why, if it breaks off
 * @property {string | null} [note] in what it deviates from what the file states
 * @property {import('../wire.js').Record_} game
 */

/** The file that was opened last, with its name and all its games. @type {{body: ArrayBuffer | string, name: string, games: Opened['games']} | null} */
let lastOpened = null;

/** Returns the games of the file that was opened last. */
export function openedGames() {
  return lastOpened?.games ?? [];
}

/** Returns the panel for texts and files. @param {App} app */
export function filePanel(app) {
  const fen = el('input', { type: 'text', class: 'fen', 'aria-label': 'FEN', spellcheck: 'false', autocomplete: 'off',
    onchange: () => { if (!app.loadFen(fen.value)) app.say(t('This is not a FEN.'), 'error'); } });
  const element = el('section', { class: 'panel panel-file', 'aria-label': t('File') },
    el('label', { class: 'stack' }, el('span', {}, t('Position (FEN)')), fen),
    row(
      button(t('Copy FEN'), () => void copy(app, app.fen())),
      button(t('Copy link'), () => void copy(app, location.href)),
      button(t('Copy game'), () => void copyGame(app))),
    paste(app), openRow(app), saveRow(app));
  const draw = () => { if (document.activeElement !== fen) fen.value = app.fen(); };
  app.on(['position', 'answer'], draw);
  draw();
  return element;
}

/** @param {App} app @param {string} text */
async function copy(app, text) {
  try {
    await navigator.clipboard.writeText(text);
    app.say(t('Copied.'));
  } catch {
    app.say(text);
  }
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
    await copy(app, await file.text());
  } catch (error) {
    app.fail(error);
  }
}

/** @param {App} app */
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
  const input = el('input', { type: 'file', class: 'visually-hidden', id: 'open-file', 'aria-label': t('Open a file'),
    onchange: () => { const file = input.files?.[0]; if (file) void takeFile(app, file); } });
  return row(button(t('Open a file'), () => input.click()), input,
    el('span', { class: 'quiet' }, t('or drop one anywhere on the page')));
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
      const file = whole ? await fetchFile('/api/convert', lastOpened?.body, { to: format.value, ...query }) :
        await fetchFile('/api/save', gameOf(app), { format: format.value, ...query });
      saveFile(file, `${whole ? 'games' : fileName(app)}.${format.value === 'plain' ? 'txt' : format.value}`);
    } catch (error) {
      app.fail(error);
    }
  };
  const all = button('', () => void save(true));
  const draw = () => {
    all.hidden = openedGames().length < 2;
    all.textContent = t('Save all {n} games of the file', { n: openedGames().length });
  };
  app.on(['position', 'view'], draw);
  draw();
  return row(button(t('Save game'), () => void save()), all, format, app.game === 'xiangqi' && notation);
}

/** @param {App} app */
function fileName(app) {
  const { tags } = app.session;
  const name = playersOf(app.game, tags).filter(Boolean).join('-') || tags['Event'] || `${app.game}-${new Date().toLocaleDateString('sv')}`;
  return name.replace(/[^\p{L}\p{N}-]+/gu, '_').slice(0, 60);
}

/** Puts a pasted text on the board: a FEN or a game. @param {App} app @param {string} text @returns {Promise<boolean>} */
export async function takeText(app, text) {
  const clean = text.trim();
  if (!clean) return false;
  if (!clean.includes('\n') && parse(app.game, clean)) return app.loadFen(clean);
  return open(app, clean, '', null);
}

/** Opens a file. @param {App} app @param {File} file */
export async function takeFile(app, file) {
  app.say(t('Reading {name} …', { name: file.name }), 'busy');
  return open(app, await file.arrayBuffer(), file.name, null);
}

/** Opens another game of the file that was opened last. @param {App} app @param {number} index */
export function openAgain(app, index) {
  return lastOpened ? open(app, lastOpened.body, lastOpened.name, index) : Promise.resolve(false);
}

/** @param {App} app @param {ArrayBuffer | string} body @param {string} name @param {number | null} index as the list of games gives it @returns {Promise<boolean>} */
async function open(app, body, name, index) {
  try {
    /** @type {Opened} */
    const opened = await post('/api/open', body, { index, name, ...gameField(app) });
    lastOpened = { body, name, games: opened.games };
    showOpened(app, opened);
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
  const many = opened.games?.length ?? 1;
  const remark = opened.ends ?? opened.note;
  if (remark) app.say(remark, 'error');
  else if (many > 1) app.say(t('{n} games in this file: see Games.', { n: many }));
  app.emit('view');
}
