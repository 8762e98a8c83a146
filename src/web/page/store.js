// Games kept in the browser, so that nothing is lost: those on the boards of all its windows, and those that were there
// before. A list names them; the tree of each is stored apart from the place in it, which changes at every step. Small
// trees are in the local storage, which keeps them before the next line runs; large ones are in a database.

import { START } from './fen.js';
import { playersOf } from './session.js';
import { count, fromList, mainLine, toList } from './tree.js';

/** @typedef {import('./session.js').Session} Session */
/** @typedef {import('./session.js').Whole} Whole */
/** @typedef {import('./fen.js').GameName} GameName */

/**
 * What the list says of a game.
 * @typedef {object} Kept
 * @property {string} id
 * @property {GameName} game
 * @property {[string, string]} players
 * @property {string} event
 * @property {string} result
 * @property {string} begins its first moves
 * @property {number} moves of all lines
 * @property {boolean} playing
 * @property {number} when
 */

const LIST = 'juzhong.games';
const TREE = 'juzhong.tree.';
const PLACE = 'juzhong.place.';
const WINDOW = 'juzhong.window';
/** Games that are kept. */
const MOST = 40;
/** The longest tree, in characters, that is kept at once; longer ones when things are quiet. */
const SMALL = 60_000;
const QUIET = 400;
/** Moves by which the list tells a game from others. */
const SHOWN = 3;

/** The storages; a browser that keeps nothing may refuse them even to be named. @typedef {() => Storage} Place */

/** @type {Place} */
const browser = () => localStorage;
/** @type {Place} */
const visit = () => sessionStorage;

/** @param {Place} place @param {string} key @returns {any} */
function read(place, key) {
  try {
    return JSON.parse(place().getItem(key) ?? 'null');
  } catch {
    return null;
  }
}

/** @param {Place} place @param {string} key @param {string} text @returns {boolean} whether there was room */
function put(place, key, text) {
  try {
    place().setItem(key, text);
    return true;
  } catch {
    return false;
  }
}

/** @param {string} key */
function remove(key) {
  try {
    localStorage.removeItem(key);
  } catch {
    // Then nothing is kept.
  }
}

// --- the database of large trees ---

/** @type {Promise<IDBDatabase> | null} */
let database = null;

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
function done(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function openDatabase() {
  database ??= (() => {
    const request = indexedDB.open('juzhong', 1);
    request.onupgradeneeded = () => request.result.createObjectStore('trees');
    return done(request);
  })();
  return database;
}

/** @template T @param {IDBTransactionMode} mode @param {(store: IDBObjectStore) => IDBRequest<T>} work @returns {Promise<T | null>} */
async function inDatabase(mode, work) {
  try {
    const transaction = (await openDatabase()).transaction('trees', mode);
    const request = work(transaction.objectStore('trees'));
    // So that it is kept even if the window closes now.
    transaction.commit();
    return await done(request);
  } catch {
    return null;
  }
}

// --- the list ---

/** Returns the games of this browser, the one changed last first. @returns {Kept[]} */
export function keptGames() {
  const list = read(browser, LIST);
  return Array.isArray(list) ? list : [];
}

/** @param {Kept[]} list */
function putList(list) {
  put(browser, LIST, JSON.stringify(list.slice(0, MOST)));
  for (const { id } of list.slice(MOST)) forget(id);
}

/** @param {string} id */
function forget(id) {
  remove(TREE + id);
  remove(PLACE + id);
  void inDatabase('readwrite', (store) => store.delete(id));
}

/** Forgets a game. @param {string} id */
export function dropGame(id) {
  putList(keptGames().filter((kept) => kept.id !== id));
  forget(id);
}

/** @param {Session} session @returns {Kept} */
function entryOf(session) {
  const { id, game, tags, result, root, playing } = session;
  return { id, game, players: playersOf(game, tags), event: tags['Event'] ?? '', result, begins: mainLine(root).slice(0, SHOWN).map(({ move, text }) => text || move).join(' '), moves: count(root),
    playing: playing !== null, when: Date.now() };
}

/** Puts a game at the head of the list. @param {Session} session */
function listGame(session) {
  putList([entryOf(session), ...keptGames().filter(({ id }) => id !== session.id)]);
}

// --- keeping ---

/**
 * What was kept last of each game: the same need not be kept again.
 * @type {Map<string, {root: unknown, tags: unknown, start: string, result: string, large: boolean, copy?: boolean}>}
 */
const last = new Map();
/** Large games that wait to be kept. @type {Map<string, () => void>} */
const waiting = new Map();
let timer = 0;

/** Keeps the game on the board. @param {Session} session */
export function keepGame(session) {
  const { id, game, root, tags, start, result, opened, blank } = session;
  if (here.get(game) !== id) void claimGame(game, id, false);
  const before = last.get(id);
  const same = before && before.root === root && before.tags === tags && before.start === start && before.result === result;
  if (before ? same && before.copy : blank) return;
  keepPlace(session);
  if (same) return;
  const large = before?.large ?? false;
  last.set(id, { root, tags, start, result, large });
  const write = () => {
    const text = JSON.stringify({ game, start, tags, result, opened, tree: toList(root) });
    last.set(id, { root, tags, start, result, large: text.length > SMALL });
    writeTree(id, text);
    if (session.id === id) listGame(session);
  };
  if (!large) { write(); return; }
  waiting.set(id, write);
  clearTimeout(timer);
  timer = window.setTimeout(keepWaiting, QUIET);
}

/** Keeps what waits to be kept. */
export function keepWaiting() {
  for (const write of waiting.values()) write();
  waiting.clear();
}

/** @param {string} id @param {string} text */
function writeTree(id, text) {
  if (text.length <= SMALL && put(browser, TREE + id, text)) return;
  void inDatabase('readwrite', (store) => store.put(text, id)).then((key) => { if (key !== null) remove(TREE + id); });
}

/** Keeps the place in the game, and how it is played. @param {Session} session */
function keepPlace({ id, path, left, live, playing }) {
  put(browser, PLACE + id, JSON.stringify({ path: shortened(path), left: left && shortened(left), live: live && shortened(live), playing }));
}

/** Returns a path with each run of steps to the first child as a negative number. @param {readonly number[]} path @returns {number[]} */
function shortened(path) {
  /** @type {number[]} */
  const short = [];
  for (const step of path) {
    const end = short.at(-1) ?? 0;
    if (step > 0) short.push(step);
    else if (end < 0) short[short.length - 1] = end - 1;
    else short.push(-1);
  }
  return short;
}

/** @param {unknown} short @returns {number[] | null} */
function lengthened(short) {
  return Array.isArray(short) ? short.flatMap((step) => step < 0 ? Array(-step).fill(0) : [step]) : null;
}

// --- taking back ---

/** Returns a game of this browser. @param {string} id @returns {Promise<Whole & {game: GameName} | null>} */
export async function keptGame(id) {
  keepWaiting();
  const tree = read(browser, TREE + id) ?? await inDatabase('readonly', (store) => store.get(id)).then((text) => JSON.parse(text ?? 'null'));
  if (!tree) return null;
  const { tree: list, game, start, tags, result, opened } = tree;
  const root = fromList(list);
  last.set(id, { root, tags, start, result, large: list.length > SMALL / 40 });
  const { path = [], left = null, live = null, playing = null } = read(browser, PLACE + id) ?? {};
  return { id, game, start: start || START[/** @type {GameName} */ (game)], tags, result, opened, root, path: lengthened(path) ?? [], left: lengthened(left), live: lengthened(live), playing, texts: 0 };
}

// --- windows ---

/** The game on each board of this window. @type {Map<GameName, string>} */
const here = new Map();
/** Lets go of the game of each board. @type {Map<GameName, () => void>} */
const held = new Map();

/**
 * Takes a game for a board of this window; returns whether no other window has it. Where the browser cannot tell,
 * only the window that had it before a reload may take it.
 * @param {GameName} game @param {string} id @param {boolean} own whether this window had it
 */
export function claimGame(game, id, own) {
  here.set(game, id);
  put(visit, WINDOW, JSON.stringify({ ...read(visit, WINDOW), [game]: id }));
  held.get(game)?.();
  held.delete(game);
  if (!navigator.locks) return Promise.resolve(own);
  // A window that is loaded again has let go of its game a moment ago.
  const wait = own ? { signal: AbortSignal.timeout(400) } : { ifAvailable: true };
  return new Promise((/** @type {(taken: boolean) => void} */ resolve) => {
    navigator.locks.request(`juzhong.game.${id}`, wait, (lock) => {
      resolve(lock !== null);
      return lock && here.get(game) === id ? new Promise((release) => { held.set(game, () => release(null)); }) : null;
    }).catch(() => resolve(false));
  });
}

/** Returns the game that this window had on its board, or the one that any had last; null if there is none. @param {GameName} game */
export async function lastGame(game) {
  const own = read(visit, WINDOW)?.[game];
  const kept = own ? await keptGame(own) : null;
  if (kept) return { whole: kept, own: await claimGame(game, kept.id, true) };
  const id = keptGames().find((other) => other.game === game)?.id;
  const whole = id ? await keptGame(id) : null;
  return whole && { whole, own: await claimGame(game, whole.id, false) };
}

/** Notes that a board has the copy of a game, which is kept once it is another. @param {Session} session */
export function noteCopy({ id, root, tags, start, result }) {
  last.set(id, { root, tags, start, result, large: false, copy: true });
}
