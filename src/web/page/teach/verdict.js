// The verdict of the server on a move, in words.

import { number, percent, plural, t } from '../i18n.js';
import { readScore, scoreText } from '../score.js';

/** @typedef {import('./lesson.js').Said} Said */
/** @typedef {{games: number, score: number | null}} Share */
/** @typedef {{wdl: 'win' | 'draw' | 'loss', order: number, distance: number | null}} Truth */

/**
 * A move that is right.
 * @typedef {object} Accepted
 * @property {string} move
 * @property {string} [text]
 * @property {Share | null} book
 * @property {Truth | null} table
 * @property {unknown} score
 * @property {string[]} line
 * @property {string} [line_text]
 */

/**
 * The verdict on a move.
 * @typedef {object} Verdict
 * @property {string | null} move
 * @property {string} [text]
 * @property {boolean} right
 * @property {string | null} ground
 * @property {Share | null} book
 * @property {Truth | null} table
 * @property {{move: unknown, right: unknown, loss: number} | null} search
 * @property {Accepted[]} accepted
 * @property {string | null} due
 * @property {number} days
 */

/** Returns what a verdict says: whether the move is right, and by which truth. @param {Verdict} verdict @returns {Said[]} */
export function verdictSaid(verdict) {
  const move = verdict.text || verdict.move || '';
  /** @type {Said} */
  const first = verdict.right ? { text: t('{move} is right.', { move }), kind: 'good' } : { text: t('{move} is not it.', { move }), kind: 'bad' };
  const why = [verdict.table && tableSaid(verdict.table), verdict.search && searchSaid(verdict.search), verdict.book && bookSaid(verdict.book),
    verdict.ground === 'repertoire' ? t('The repertoire has another move.') : ''];
  return [first, ...why.flatMap((text) => text ? [{ text }] : [])];
}

/** @param {Truth} truth */
export function tableSaid({ wdl, distance }) {
  const plies = distance === null ? '' : plural(distance, ' in {n} ply', ' in {n} plies');
  if (wdl === 'draw') return t('Tables: a draw.');
  return wdl === 'win' ? t('Tables: it wins{plies}.', { plies }) : t('Tables: it loses{plies}.', { plies });
}

/** @param {{move: unknown, right: unknown, loss: number}} search */
function searchSaid({ move, right, loss }) {
  const values = { move: scoreText(readScore(move)), right: scoreText(readScore(right)), loss: percent(loss, 0) };
  return t('Engine: {move}, and {right} after the better move; {loss} of the expected score is lost.', values);
}

/** @param {Share} share */
export function bookSaid({ games, score }) {
  const played = plural(games, '{n} game', '{n} games');
  return score === null ? t('Book: {games}.', { games: played }) : t('Book: {games}, scores {share}.', { games: played, share: percent(score, 0) });
}

/** Returns a right move with what is known of it. @param {Accepted} accepted */
export function acceptedText({ move, text, book, table, score }) {
  const known = [table && tableSaid(table), book && bookSaid(book), score ? t('Engine: {score}.', { score: scoreText(readScore(score)) }) : ''].filter(Boolean);
  return `${text || move}${known.length > 0 ? ` · ${known.join(' ')}` : ''}`;
}

/** Returns how many were found of how many. @param {number} found @param {number} all */
export function foundText(found, all) {
  return t('{found} of {all} found at the first try.', { found: number(found), all: number(all) });
}
