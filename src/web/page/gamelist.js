// A list of games as a table that can be sorted and turned by pages: of the library, and of files that were opened.

import { button, cell, el, row, rowsTable } from './dom.js';
import { number, t } from './i18n.js';
import { playersText, resultText } from './session.js';

/** @typedef {import('./gamequery.js').GameQuery} GameQuery */
/** @typedef {{players: (string | null)[], event: string | null, year: number | string | null, result: string, opening: string, plies: number, file: string, number: number, copies: number, broken: boolean}} GameRow */

/** Games on a page. */
export const PAGE = 50;

/** The columns: by what they sort, and the classes of their cells. @returns {[string, string, string][]} */
function columns() {
  return [['first', t('Players'), ''], ['event', t('Event'), 'roomy'], ['date', t('Year'), 'num'], ['result', t('Result'), ''],
    ['opening', t('Opening'), ''], ['plies', t('Plies'), 'num roomy'], ['place', t('File'), 'wide']];
}

/**
 * Makes the table of some games.
 * @param {readonly GameRow[]} games @param {GameQuery} query
 * @param {{sort: (column: string) => void, open: (at: number) => void}} calls
 */
export function gamesTable(games, query, calls) {
  const rows = games.map((game, at) => gameRow(game, () => calls.open(at)));
  const all = columns();
  const table = rowsTable('games', all.map(([, label]) => label), rows, all.map(([, , kind]) => kind));
  [...table.querySelectorAll('thead th')].forEach((head, at) => {
    const [column = '', label = ''] = all[at] ?? [];
    const here = query.sort === column;
    if (here) head.setAttribute('aria-sort', query.descending ? 'descending' : 'ascending');
    head.replaceChildren(button(label, () => calls.sort(column), { class: 'sort', 'data-sort': column, title: t('Sort by this column') }));
  });
  return el('div', { class: 'scroll-x', tabindex: 0 }, table);
}

/** @param {GameRow} game @param {() => void} open */
function gameRow(game, open) {
  return el('tr', { onclick: open },
    el('td', {}, el('button', { type: 'button', class: 'link' }, titleOf(game)),
      game.copies > 1 && el('span', { class: 'quiet copies', title: t('{n} copies', { n: number(game.copies) }) }, ` ×${number(game.copies)}`),
      game.broken && el('span', { class: 'quiet', title: t('This game breaks off: its moves are those before the fault.') }, ' ✂')),
    el('td', { class: 'roomy quiet' }, game.event ?? ''), cell(game.year ?? ''), el('td', { class: 'result' }, resultText(game.result)),
    el('td', {}, game.opening), el('td', { class: 'num roomy' }, number(game.plies)), el('td', { class: 'wide quiet' }, game.file));
}

/** Returns who played; where nobody is named, the event, or the file with the number in it. @param {GameRow} game */
export function titleOf(game) {
  return playersText(game.players, game.event || `${game.file} ${game.number + 1}`);
}

/** Makes the buttons that turn pages; none for one page. @param {number} page @param {number} total @param {(page: number) => void} turn */
export function pager(page, total, turn) {
  const last = Math.max(1, Math.ceil(total / PAGE));
  if (last === 1) return '';
  return row(button(t('Previous page'), () => turn(page - 1), { disabled: page <= 1 }),
    el('span', { class: 'quiet' }, t('page {n} of {m}', { n: number(page), m: number(last) })),
    button(t('Next page'), () => turn(page + 1), { disabled: page >= last }));
}
