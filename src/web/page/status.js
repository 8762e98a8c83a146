// What the line under the board says of a position.

import { t } from './i18n.js';
import { MAN_NAMES } from './pieces.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./app.js').Answer} Answer */
/** @typedef {import('./app.js').LoopMove} LoopMove */

/** Returns what is to be said of the position on the board. @param {App} app @returns {{text: string}} */
export function statusText(app) {
  const { answer } = app;
  if (!answer) return { text: toMove(app) };
  if (answer.status === 'illegal') return { text: t('Illegal position: {reasons}', { reasons: reasons(answer) }) };
  const end = endText(app, answer);
  if (end) return { text: end };
  const parts = [toMove(app)];
  if (answer.in_check) parts.push(t('check'));
  const verdict = verdictText(answer);
  if (verdict) parts.push(verdict);
  return { text: parts.join(' · ') };
}

/** Returns the name of a side. @param {import('./fen.js').GameName} game @param {boolean} first */
export function sideName(game, first) {
  if (game === 'gomoku') return first ? t('Black') : t('White');
  return first ? t('Red') : t('Black');
}

/** @param {Answer} answer */
function reasons(answer) {
  return (answer.reasons ?? [answer.reason ?? '']).join('; ');
}

/** @param {App} app */
function toMove(app) {
  if (app.game === 'gomoku') return app.firstToMove ? t('Black to move') : t('White to move');
  return app.firstToMove ? t('Red to move') : t('Black to move');
}

/** Returns who wins. @param {App} app @param {boolean} first whether it is the first player */
export function wins(app, first) {
  if (app.game === 'gomoku') return first ? t('Black wins') : t('White wins');
  return first ? t('Red wins') : t('Black wins');
}

/** Returns by what a position is the end of the game, or nothing. @param {Answer} answer */
export function howText(answer) {
  if (answer.status === 'checkmate') return t('Checkmate');
  if (answer.status === 'stalemate') return t('Stalemate');
  if (answer.status === 'won') return t('Five in a row');
  if (answer.status === 'drawn') return answer.reason ?? '';
  return '';
}

/**
 * Returns who won a game that is over on the board: 1 for the first player, 0 for the second, one half for a draw; null if it goes on.
 * @param {App} app
 */
export function resultHere(app) {
  const { answer } = app;
  if (!answer) return null;
  if (answer.status === 'drawn') return 0.5;
  return ['checkmate', 'stalemate', 'won'].includes(answer.status) ? Number(!app.firstToMove) : null;
}

/** Returns how a game ended, or nothing. @param {App} app @param {Answer} answer */
function endText(app, answer) {
  const winner = wins(app, !app.firstToMove);
  if (answer.status === 'checkmate') return `${t('Checkmate')} · ${winner}`;
  if (answer.status === 'stalemate') return `${t('Stalemate')} · ${winner}`;
  if (answer.status === 'won') return winner;
  if (answer.status === 'drawn') return [t('Draw'), answer.reason ?? ''].filter(Boolean).join(' · ');
  return '';
}

/** Returns the verdict of the rules on a repetition, or nothing. @param {Answer} answer */
export function verdictText(answer) {
  const verdict = answer.verdict.replaceAll('_', ' ');
  if (verdict === 'none' || verdict === '') return '';
  /** @type {Record<string, string>} */
  const words = {
    draw: t('a draw by the rules'), 'red wins': t('Red wins by the rules'), 'black wins': t('Black wins by the rules'),
    'red loses': t('Red loses by the rules'), 'black loses': t('Black loses by the rules'),
  };
  return (words[verdict] ?? verdict) + (answer.reason ? ` (${answer.reason})` : '');
}

/** Returns the moves of a loop that was judged, once each. @param {Answer | null} answer @returns {readonly LoopMove[]} */
export function loopMoves(answer) {
  const moves = answer?.loop?.moves ?? [];
  const period = moves.findIndex((_, length) => length > 0 && moves.every(({ move }, at) => move === moves[at % length]?.move));
  if ((answer?.verdict ?? 'none') === 'none') return [];
  return period > 0 ? moves.slice(0, period) : moves;
}

/** Returns arrows that number the moves of a loop. @param {Answer | null} answer @returns {import('./points.js').Arrow[]} */
export function loopArrows(answer) {
  /** @type {Map<string, number[]>} */
  const numbers = new Map();
  loopMoves(answer).forEach(({ move }, at) => numbers.set(move, [...(numbers.get(move) ?? []), at + 1]));
  return [...numbers].map(([move, at]) => ({
    from: move.slice(0, 2), to: move.slice(2, 4), kind: 'loop', weight: 0.3, label: String(at[0]),
  }));
}

/** Returns what each move of a loop attacks. @param {LoopMove} move @returns {string} */
export function loopText(move) {
  const parts = [];
  const names = (/** @type {import('./app.js').ManAt[]} */ men) => men.map(({ man, at }) => `${t(MAN_NAMES[man ?? ''] ?? '')} ${at}`.trim()).join(', ');
  if (move.checks?.length) parts.push(t('check by {men}', { men: names(move.checks) }));
  if (move.chases?.length) parts.push(t('chases {men}', { men: names(move.chases) }));
  return parts.join('; ') || t('quiet');
}
