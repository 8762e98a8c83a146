// Games kept in the browser, so that nothing is lost on reload.

/** @typedef {import('./session.js').Kept} Kept */

const CURRENT = 'juzhong.game.';
const RECENT = 'juzhong.recent';
const MOST = 20;

/** @param {string} key @returns {any} */
function read(key) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null');
  } catch {
    return null;
  }
}

/** @param {string} key @param {unknown} value */
function put(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Without room the game stays on the board only.
  }
}

/** Keeps the game on the board. @param {Kept} kept */
export function keepCurrent(kept) {
  put(CURRENT + kept.game, kept);
}

/** Returns the game that was on the board last. @param {string} game @returns {Kept | null} */
export function currentGame(game) {
  return read(CURRENT + game);
}

/** Returns the games that were on the board before, the last first. @returns {Kept[]} */
export function recentGames() {
  return read(RECENT) ?? [];
}

/** Puts a game that leaves the board among the recent ones. @param {Kept} kept */
export function keepRecent(kept) {
  if (kept.root.children.length === 0) return;
  const moves = JSON.stringify(kept.root);
  const others = recentGames().filter((other) => JSON.stringify(other.root) !== moves);
  put(RECENT, [kept, ...others].slice(0, MOST));
}
