// The moves of a position as far as a board needs them until the server answers: how men move, and that the own king
// may not be taken. Repetition, forbidden points and the end of a game are always the server's to judge.

import { pointName, pointPlace } from './fen.js';

/** @typedef {import('./fen.js').Position} Position */
/** @typedef {import('./fen.js').GameName} GameName */
/** Calls back with each move. @typedef {(from: number, to: number) => void} Take */

const COLUMNS = 9;
const ROWS = 10;
const STRAIGHT = /** @type {const} */ ([[1, 0], [-1, 0], [0, 1], [0, -1]]);
const SLANTED = /** @type {const} */ ([[1, 1], [1, -1], [-1, 1], [-1, -1]]);

/** @param {number} column @param {number} row */
function at(column, row) {
  return column >= 0 && column < COLUMNS && row >= 0 && row < ROWS ? row * COLUMNS + column : -1;
}

/** @param {string} man */
const isRed = (man) => man !== '' && man < 'a';

/** Returns the moves that may be played in a position. @param {GameName} game @param {Position} position @param {boolean} alone whether nobody else will say which are forbidden */
export function legalMoves(game, position, alone) {
  if (game === 'gomoku') return stones(position, alone);
  const board = Array(COLUMNS * ROWS).fill('');
  for (const [point, man] of position.men) {
    const [column, row] = pointPlace(game, point, ROWS);
    board[at(column, row)] = man;
  }
  const red = position.turn === 'w';
  /** @type {string[]} */
  const moves = [];
  const name = (/** @type {number} */ place) => pointName(game, place % COLUMNS, Math.floor(place / COLUMNS), ROWS);
  forAll(board, red, (from, to) => { if (isSafe(board, from, to, red)) moves.push(name(from) + name(to)); });
  return moves;
}

/** Calls back with the moves of all men of a side, whether or not its king can be taken then. @param {readonly string[]} board @param {boolean} red @param {Take} take */
function forAll(board, red, take) {
  board.forEach((man, from) => {
    if (man === '' || isRed(man) !== red) return;
    const [column, row] = [from % COLUMNS, Math.floor(from / COLUMNS)];
    const to = (/** @type {number} */ place) => {
      const other = place < 0 ? man : board[place] ?? '';
      if (other === '' || isRed(other) !== red) take(from, place);
    };
    MOVES[man.toLowerCase()]?.(board, column, row, red, to);
  });
}

/** @typedef {(board: readonly string[], column: number, row: number, red: boolean, to: (place: number) => void) => void} Walk */

/** Whether a point is in the palace of a side. @param {number} column @param {number} row @param {boolean} red */
const inPalace = (column, row, red) => column >= 3 && column <= 5 && (red ? row >= 7 && row <= 9 : row >= 0 && row <= 2);

/** How each man moves, by its letter. @type {Record<string, Walk>} */
const MOVES = {
  k: (board, column, row, red, to) => {
    for (const [x, y] of STRAIGHT) if (inPalace(column + x, row + y, red)) to(at(column + x, row + y));
    // The kings see each other along an open file.
    const step = red ? -1 : 1;
    let next = row + step;
    while (board[at(column, next)] === '') next += step;
    if (board[at(column, next)]?.toLowerCase() === 'k') to(at(column, next));
  },
  a: (_board, column, row, red, to) => {
    for (const [x, y] of SLANTED) if (inPalace(column + x, row + y, red)) to(at(column + x, row + y));
  },
  b: (board, column, row, red, to) => {
    for (const [x, y] of SLANTED) {
      const home = red ? row + 2 * y >= 5 : row + 2 * y <= 4;
      if (home && board[at(column + x, row + y)] === '') to(at(column + 2 * x, row + 2 * y));
    }
  },
  n: (board, column, row, _red, to) => {
    for (const [x, y] of STRAIGHT) {
      if (board[at(column + x, row + y)] !== '') continue;
      for (const side of [-1, 1]) to(at(column + 2 * x + (x ? 0 : side), row + 2 * y + (y ? 0 : side)));
    }
  },
  r: (board, column, row, _red, to) => slide(board, column, row, (place) => { to(place); }, () => {}),
  c: (board, column, row, _red, to) => slide(board, column, row, (place, taken) => { if (!taken) to(place); }, to),
  p: (_board, column, row, red, to) => {
    to(at(column, row + (red ? -1 : 1)));
    if (red ? row <= 4 : row >= 5) for (const side of [-1, 1]) to(at(column + side, row));
  },
};

/**
 * Goes along the lines from a point.
 * @param {readonly string[]} board @param {number} column @param {number} row
 * @param {(place: number, taken: boolean) => void} reach called for each point up to the first man, which is told
 * @param {(place: number) => void} over called for the first man behind that one
 */
function slide(board, column, row, reach, over) {
  for (const [x, y] of STRAIGHT) {
    let steps = 1;
    const place = () => at(column + steps * x, row + steps * y);
    for (; board[place()] === ''; steps++) reach(place(), false);
    if (place() < 0) continue;
    reach(place(), true);
    steps++;
    while (board[place()] === '') steps++;
    if (place() >= 0) over(place());
  }
}

/** Whether a side's king cannot be taken after its move. @param {string[]} board @param {number} from @param {number} to @param {boolean} red */
function isSafe(board, from, to, red) {
  const [man = '', taken = ''] = [board[from], board[to]];
  board[from] = '';
  board[to] = man;
  const king = board.indexOf(red ? 'K' : 'k');
  let safe = taken.toLowerCase() !== 'k';
  forAll(board, !red, (_, place) => { if (place === king) safe = false; });
  board[from] = man;
  board[to] = taken;
  return safe;
}

/** Returns the empty points, if nobody has his row. @param {Position} position @param {boolean} alone */
function stones(position, alone) {
  const { men, columns, rows, rest } = position;
  if (!alone && rest.includes('renju')) return [];
  const long = Number.parseInt(rest, 10) || 5;
  const stone = (/** @type {number} */ column, /** @type {number} */ row) => men.get(pointName('gomoku', column, row, rows));
  const empty = [];
  for (let column = 0; column < columns; column++) {
    for (let row = 0; row < rows; row++) {
      const colour = stone(column, row);
      if (!colour) { empty.push(pointName('gomoku', column, row, rows)); continue; }
      for (const [x, y] of /** @type {const} */ ([[1, 0], [0, 1], [1, 1], [1, -1]])) {
        let length = 1;
        while (length < long && stone(column + length * x, row + length * y) === colour) length++;
        if (length >= long) return [];
      }
    }
  }
  return empty;
}
