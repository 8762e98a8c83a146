// The address of the page: the game, the start, the moves and the view.

import { START } from './fen.js';
import { readGameQuery } from './gamequery.js';
import { LONGEST } from './session.js';

/** @typedef {import('./fen.js').GameName} GameName */
/** @typedef {'board' | 'games' | 'tables'} View */
/** @typedef {import('./i18n.js').Language} Language */
/** @typedef {{game: GameName, view: View, fen: string, moves: string[], words: string[], given: boolean, tab: string, set: string, list: import('./gamequery.js').GameQuery, linked: string, language: Language | ''}} Address */

/** The language that the address names, so that whoever opens it reads the same. @type {Language | ''} */
let language = '';

/** Names a language in every address from now on. @param {Language} chosen */
export function nameLanguage(chosen) {
  language = chosen;
}

/** Takes over the language that the address names. @param {URLSearchParams} parts */
function readLanguage(parts) {
  const named = parts.get('lang')?.slice(0, 2).toLowerCase();
  if (named === 'en' || named === 'zh') language = named;
}

/** Moves in another notation than coordinates that an address may hold: each is a question to the server. */
const MOST_WORDS = 400;

/** Returns what the address of the window says. Moves in another notation than coordinates are `words`. @returns {Address} */
export function readAddress() {
  // A plus sign is part of a move, such as C2+1.
  const parts = new URLSearchParams(location.search.replaceAll('+', '%2B'));
  const view = parts.get('view');
  readLanguage(parts);
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
    list: readGameQuery(parts),
    linked: /^g[a-z2-7]{12}$/.exec(parts.get('library') ?? '')?.[0] ?? '',
    language,
    given: parts.has('fen') || parts.has('moves'),
  };
}

/** Takes a packed game out of the address, if it holds one. */
export function takePackedGame() {
  const packed = /^#tree=([\w-]+)$/.exec(location.hash)?.[1] ?? '';
  if (packed) history.replaceState(null, '', location.pathname + location.search);
  return packed;
}

/** Returns the address of a position. @param {View} view @param {string} part the tab or the set that is open @param {GameName} game @param {string} start @param {readonly string[]} moves @param {string} [more] further parameters, each with a leading `&` */
export function addressOf(view, part, game, start, moves, more = '') {
  const parts = [];
  if (view !== 'board') parts.push(`view=${view}`);
  if (game !== 'xiangqi') parts.push(`game=${game}`);
  if (part) parts.push(`${view === 'tables' ? 'set' : 'tab'}=${encodeURIComponent(part)}`);
  // A longer line is kept in the browser alone.
  const fits = moves.length <= LONGEST;
  if (fits && start !== START[game]) parts.push(`fen=${encodeURI(start.replaceAll(' ', '_'))}`);
  if (fits && moves.length > 0) parts.push(`moves=${moves.join(',')}`);
  if (language) parts.push(`lang=${language}`);
  const text = parts.join('&') + more;
  return location.pathname + (text ? `?${text.replace(/^&/, '')}` : '');
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
