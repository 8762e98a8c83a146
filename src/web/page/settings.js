// What a person chose, kept in the browser.

/**
 * @typedef {object} Settings
 * @property {'en' | 'zh' | ''} language empty: the browser's
 * @property {'auto' | 'light' | 'dark'} scheme
 * @property {'wood' | 'paper' | 'slate' | 'dark'} theme of the board
 * @property {import('./pieces.js').PieceSet} set
 * @property {import('./board.js').Coordinates | ''} coordinates empty: by the language
 * @property {'uci' | 'iccs' | 'wxf' | 'chinese'} notation
 * @property {boolean} notationChosen whether the notation stays when the language changes
 * @property {boolean} arrows
 * @property {number} lines lines of analysis
 * @property {number} seconds of analysis for a position
 * @property {boolean} engine whether analysis is on
 * @property {string} analyst the engine that analyses; empty: the server's usual one
 * @property {string} second the engine that analyses beside it; empty: none
 * @property {Record<string, {threads?: number, hash?: number, evaluation?: string}>} sizes of engines, and the evaluation of the own one, where they are not their own
 * @property {boolean} flipped
 * @property {boolean} numbers whether stones of gomoku are numbered
 * @property {number} minGames
 * @property {string} yearFrom
 * @property {string} yearTo
 * @property {string} minRating
 * @property {boolean} library whether the games of the library stand beside the books
 * @property {string[]} books shown side by side; empty: all
 * @property {number} level of the opponent
 * @property {string} opponent the engine to play against; empty: the server's usual one
 * @property {Record<string, number>} strengths of opponents, where they are not their own
 * @property {number} moveSeconds of the opponent
 * @property {number} moveDepth of the opponent in place of a time; 0: by time
 * @property {number} minutes on each clock, 0 for none
 * @property {number} increment seconds a move
 * @property {boolean} sound whether moves are heard
 * @property {boolean} useBook
 * @property {boolean} useTables
 */

const KEY = 'juzhong.settings';

/** @type {Settings} */
const DEFAULTS = {
  language: '', scheme: 'auto', theme: 'wood', set: 'traditional', coordinates: '', notation: 'chinese', notationChosen: false,
  arrows: true, lines: 1, seconds: 15, engine: false, analyst: '', second: '', sizes: {}, flipped: false, numbers: true,
  minGames: 0, yearFrom: '', yearTo: '', minRating: '', library: false, books: [],
  level: 5, opponent: '', strengths: {}, moveSeconds: 1, moveDepth: 0, minutes: 0, increment: 0, sound: true, useBook: true, useTables: true,
};

/** @returns {Partial<Settings>} */
function stored() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}');
  } catch {
    return {};
  }
}

/** Returns the settings kept in the browser, or the defaults. @returns {Settings} */
export function loadSettings() {
  const kept = stored();
  // Settings of earlier versions do not say who chose the notation; theirs was Chinese unless somebody did.
  const notationChosen = kept.notationChosen ?? (kept.notation !== undefined && kept.notation !== DEFAULTS.notation);
  return { ...DEFAULTS, ...kept, notationChosen };
}

/** Keeps the settings in the browser. @param {Settings} settings */
export function saveSettings(settings) {
  try {
    localStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // A browser that keeps nothing still shows the page.
  }
}
