// The files that were opened last, with all their games: what was dropped or chosen together, files in folders too.

import { post } from './api.js';

/** @typedef {{index: number, first: string | null, second: string | null, event: string | null, date: string | null, result: string, plies: number}} Entry */
/** A part of a long file: its bytes, and the number of its first game. @typedef {{start: number, end: number, first: number}} Part */
/** @typedef {{name: string, body: ArrayBuffer | string, games: Entry[], total: number, bad: number, parts?: Part[]}} OpenedFile */
/** @typedef {{file: OpenedFile, entry: Entry}} OpenedGame */

/** Files that are opened together, and bytes of them, at most. */
const MOST_FILES = 500;
export const MOST_BYTES = 64 << 20;

/** Bytes of files that outlast a reload, at most. */
const MOST_KEPT = 32 << 20;

/** @type {OpenedFile[]} */
let files = [];

/** The files of the last visit are read at most once. @type {Promise<void> | null} */
let restoring = null;

/** Returns the files that were opened last. */
export function openedFiles() {
  return files;
}

/** Returns the games of the files that were opened last. @returns {OpenedGame[]} */
export function openedGames() {
  return files.flatMap((file) => file.games.map((entry) => ({ file, entry })));
}

/** Returns how many games the files hold, those that are not listed included. */
export function openedTotal() {
  return files.reduce((sum, { total }) => sum + total, 0);
}

/** Keeps the files that were opened, in the browser, too, if they are not too long. @param {OpenedFile[]} opened */
export function keepOpened(opened) {
  files = opened;
  restoring = Promise.resolve();
  const bytes = opened.reduce((sum, { body }) => sum + (typeof body === 'string' ? 2 * body.length : body.byteLength), 0);
  const kept = bytes <= MOST_KEPT ? opened : [];
  void storage('readwrite', (store) => store.put(kept, 'files')).catch(() => {});
}

/** Brings back the files that were open before the page was loaded. */
export function restoreOpened() {
  restoring ??= storage('readonly', (store) => store.get('files')).then((kept) => {
    if (files.length === 0 && Array.isArray(kept)) files = kept;
  }, () => {});
  return restoring;
}

/**
 * Asks the browser's storage; fails where it has none.
 * @param {IDBTransactionMode} mode @param {(store: IDBObjectStore) => IDBRequest} ask @returns {Promise<any>}
 */
async function storage(mode, ask) {
  const opening = indexedDB.open('juzhong-opened', 1);
  opening.onupgradeneeded = () => { opening.result.createObjectStore('opened'); };
  const base = await answer(opening);
  try {
    return await answer(ask(base.transaction('opened', mode).objectStore('opened')));
  } finally {
    base.close();
  }
}

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
function answer(request) {
  return new Promise((found, fail) => {
    request.onsuccess = () => { found(request.result); };
    request.onerror = () => { fail(request.error); };
  });
}

/**
 * Asks what a file holds.
 * @param {string} name @param {ArrayBuffer | string} body @param {number | null} index the game that is wanted whole
 * @param {Record<string, string>} query @param {AbortSignal} [signal] @returns {Promise<import('./panels/file.js').Opened>}
 */
export function readFile(name, body, index, query, signal) {
  return post('/api/open', body, { index, name, ...query }, signal);
}

/** Asks for a game of a file that is open. @param {OpenedFile} file @param {number} index @param {Record<string, string>} query */
export function readAgain({ name, body, parts }, index, query) {
  const part = parts?.findLast(({ first }) => first <= index);
  return part ? readFile(name, body.slice(part.start, part.end), index - part.first, query) : readFile(name, body, index, query);
}

/**
 * Returns the files of a drop, those in folders too.
 * @param {DataTransfer} data @returns {Promise<File[]>}
 */
export async function droppedFiles(data) {
  // Only now: the list is empty after the first wait.
  const entries = [...data.items].flatMap((item) => item.webkitGetAsEntry?.() ?? []);
  if (!entries.some((entry) => entry.isDirectory)) return [...data.files];
  /** @type {File[]} */
  const found = [];
  const waiting = [...entries];
  while (waiting.length > 0 && found.length < MOST_FILES) {
    const entry = waiting.shift();
    if (entry?.isDirectory) waiting.push(...await entriesOf(/** @type {FileSystemDirectoryEntry} */ (entry)));
    else if (entry) found.push(await fileOf(/** @type {FileSystemFileEntry} */ (entry)));
  }
  return found;
}

/** @param {FileSystemDirectoryEntry} folder @returns {Promise<FileSystemEntry[]>} */
async function entriesOf(folder) {
  const reader = folder.createReader();
  /** @type {FileSystemEntry[]} */
  const all = [];
  // A reader hands over a hundred entries at a time.
  for (;;) {
    const some = await new Promise((/** @type {(some: FileSystemEntry[]) => void} */ found, fail) => { reader.readEntries(found, fail); });
    if (some.length === 0 || all.length > MOST_FILES) return all.sort((a, b) => a.name.localeCompare(b.name));
    all.push(...some.filter(({ name }) => !name.startsWith('.')));
  }
}

/** @param {FileSystemFileEntry} entry @returns {Promise<File>} */
function fileOf(entry) {
  return new Promise((found, fail) => { entry.file(found, fail); });
}

/** Returns the files that can be opened together: not too many, and not too long. @param {readonly File[]} all */
export function together(all) {
  let bytes = 0;
  return all.slice(0, MOST_FILES).filter(({ size }) => {
    const fits = bytes + size <= MOST_BYTES;
    if (fits) bytes += size;
    return fits;
  });
}
