// What a list of games shows: its words, its limits, its order and its page, as the address and questions have them.

/**
 * @typedef {object} GameQuery
 * @property {string} words
 * @property {string} yearFrom
 * @property {string} yearTo
 * @property {string} minRating
 * @property {string} material the men that were on the board at some time, such as `KRCvKR`
 * @property {string} sort the column, or nothing for the order of the files
 * @property {boolean} descending
 * @property {boolean} copies whether each copy of a game is listed
 * @property {boolean} through whether only games through the position on the board are
 * @property {number} page from 1
 */

/** @type {Readonly<GameQuery>} */
export const ALL_GAMES = Object.freeze({ words: '', yearFrom: '', yearTo: '', minRating: '', material: '', sort: '', descending: false, copies: false, through: false, page: 1 });

/** The columns by which lists can be sorted. */
const COLUMNS = new Set(['first', 'event', 'date', 'result', 'opening', 'plies', 'place', 'copies']);

/** Reads a question from the parameters of an address. @param {URLSearchParams} parts @returns {GameQuery} */
export function readGameQuery(parts) {
  const text = (/** @type {string} */ name) => (parts.get(name) ?? '').slice(0, 200);
  const digits = (/** @type {string} */ name) => (/^\d{1,4}$/.test(text(name)) ? text(name) : '');
  const sort = text('sort');
  return {
    words: text('q'), yearFrom: digits('from'), yearTo: digits('to'), minRating: digits('rating'), material: text('material'),
    sort: COLUMNS.has(sort) ? sort : '', descending: parts.get('desc') === '1', copies: parts.get('copies') === '1',
    through: parts.get('through') === '1', page: Math.max(1, Number(digits('page')) || 1),
  };
}

/** Returns the parameters of an address, each with a leading `&`: those that differ from all games. @param {GameQuery} query */
export function writeGameQuery(query) {
  const parts = new URLSearchParams();
  const put = (/** @type {string} */ name, /** @type {string} */ value) => { if (value) parts.set(name, value); };
  put('q', query.words);
  put('from', query.yearFrom);
  put('to', query.yearTo);
  put('rating', query.minRating);
  put('material', query.material);
  put('sort', query.sort);
  put('desc', query.descending ? '1' : '');
  put('copies', query.copies ? '1' : '');
  put('through', query.through ? '1' : '');
  put('page', query.page > 1 ? String(query.page) : '');
  const text = parts.toString();
  return text && `&${text}`;
}

/** Returns the question after a click on the head of a column: upwards, then downwards, then in the order of the files. @param {GameQuery} query @param {string} column @returns {GameQuery} */
export function sortedBy(query, column) {
  if (query.sort !== column) return { ...query, sort: column, descending: false, page: 1 };
  if (!query.descending) return { ...query, descending: true, page: 1 };
  return { ...query, sort: '', descending: false, page: 1 };
}

/** Returns material as it was typed, in half width and its letters in the case that the server reads. @param {string} typed */
export function materialOf(typed) {
  const [first = '', ...second] = typed.normalize('NFKC').replaceAll(/\s/g, '').split(/v/i);
  return [first, ...second].map((side) => side.toUpperCase()).join('v');
}
