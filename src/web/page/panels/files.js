// Several files opened together, and all games of a file written. Loaded with the first files.

import { fetchFile, inSteps } from '../api.js';
import { readWhole } from '../divide.js';
import { t } from '../i18n.js';
import { keepOpened, MOST_BYTES, openedFiles, openedTotal, together } from '../opened.js';
import { gameField, openAgain, takeFile } from './file.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {import('../opened.js').OpenedFile} OpenedFile */

/** Bytes that the server converts at once, and the formats whose files can be joined. */
const CONVERTED = 8 << 20;
const JOINED = ['pgn', 'jsonl', 'plain', 'sgf', 'moves'];

/** Returns all games of the opened file in a format. @param {string} format @param {Record<string, string>} query @returns {Promise<Blob>} */
export function convertOpened(format, query) {
  const { body = '', parts = [] } = openedFiles()[0] ?? {};
  const asked = { to: format, ...query };
  if (typeof body === 'string' || body.byteLength <= CONVERTED || !JOINED.includes(format)) return fetchFile('/api/convert', body, asked);
  return inSteps(() => t('Writing the games …'), async (signal) => {
    const files = [];
    for (const { start, end } of parts) files.push(await fetchFile('/api/convert', body.slice(start, end), asked, signal));
    return new Blob(files);
  });
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
