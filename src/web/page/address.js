// The address of the page: the game, the start, the moves and the view.

import { START } from './fen.js';
import { LONGEST } from './session.js';

/** @typedef {import('./fen.js').GameName} GameName */
/** @typedef {'board' | 'games' | 'tables'} View */
/** @typedef {{game: GameName, view: View, fen: string, moves: string[], given: boolean, tab: string, set: string}} Address */

/** Returns what the address of the window says. @returns {Address} */
export function readAddress() {
  const parts = new URLSearchParams(location.search);
  const view = parts.get('view');
  const moves = (parts.get('moves') ?? '').split(/[\s,]+/).filter((move) => /^[a-z]\d+([a-z]\d+)?$/.test(move));
  return {
    game: parts.get('game') === 'gomoku' ? 'gomoku' : 'xiangqi',
    view: view === 'games' || view === 'tables' ? view : 'board',
    fen: (parts.get('fen') ?? '').replaceAll('_', ' '),
    moves,
    tab: parts.get('tab') ?? '',
    set: parts.get('set') ?? '',
    given: parts.has('fen') || parts.has('moves'),
  };
}

/** Returns the address of a position. @param {View} view @param {string} part the tab or the set that is open @param {GameName} game @param {string} start @param {readonly string[]} moves */
export function addressOf(view, part, game, start, moves) {
  const parts = [];
  if (view !== 'board') parts.push(`view=${view}`);
  if (game !== 'xiangqi') parts.push(`game=${game}`);
  if (part) parts.push(`${view === 'tables' ? 'set' : 'tab'}=${encodeURIComponent(part)}`);
  // A longer line is kept in the browser alone.
  const fits = moves.length <= LONGEST;
  if (fits && start !== START[game]) parts.push(`fen=${encodeURI(start.replaceAll(' ', '_'))}`);
  if (fits && moves.length > 0) parts.push(`moves=${moves.join(',')}`);
  return location.pathname + (parts.length > 0 ? `?${parts.join('&')}` : '');
}

/**
 * Shows an address without loading anything.
 * @param {string} address @param {boolean} step whether the way back leads to the one before @param {string} id the game on the board
 */
export function showAddress(address, step, id) {
  if (address === location.pathname + location.search && history.state?.id === id) return;
  if (step) history.pushState({ id }, '', address);
  else history.replaceState({ id }, '', address);
}
