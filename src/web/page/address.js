// The address of the page: the game, the start, the moves and the view.

import { START } from './fen.js';
import { LONGEST } from './session.js';

/** @typedef {import('./fen.js').GameName} GameName */
/** @typedef {'board' | 'games' | 'tables'} View */
/** @typedef {{game: GameName, view: View, fen: string, moves: string[], words: string[], given: boolean, tab: string, set: string}} Address */

/** Moves in another notation than coordinates that an address may hold: each is a question to the server. */
const MOST_WORDS = 400;

/** Returns what the address of the window says. Moves in another notation than coordinates are `words`. @returns {Address} */
export function readAddress() {
  // A plus sign is part of a move, such as C2+1.
  const parts = new URLSearchParams(location.search.replaceAll('+', '%2B'));
  const view = parts.get('view');
  const moves = (parts.get('moves') ?? '').split(/[\s,，]+/).filter(Boolean);
  const plain = moves.every((move) => /^[a-z]\d+([a-z]\d+)?$/.test(move));
  return {
    game: parts.get('game') === 'gomoku' ? 'gomoku' : 'xiangqi',
    view: view === 'games' || view === 'tables' ? view : 'board',
    fen: (parts.get('fen') ?? '').replaceAll(/[_+]/g, ' '),
    moves: plain ? moves : [],
    words: plain ? [] : moves.slice(0, MOST_WORDS),
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
