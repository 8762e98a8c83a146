// Positions as far as drawing needs them. Whether a move or a position is legal is always
// the server's answer.

/** @typedef {'xiangqi' | 'gomoku'} GameName */

/**
 * A position for drawing: men or stones by point, the side to move and the counters.
 * @typedef {object} Position
 * @property {Map<string, string>} men letter of each man by point, `R` for Red's chariot, `x` for a black stone
 * @property {string} turn `w` or `b`; in gomoku `x` or `o`
 * @property {number} quiet plies since the last capture
 * @property {number} number number of the move
 * @property {number} columns
 * @property {number} rows
 * @property {string} rest what follows the side to move in a gomoku position
 */

/** The start of each game. @type {Readonly<Record<GameName, string>>} */
export const START = {
  xiangqi: 'rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1',
  gomoku: '15/15/15/15/15/15/15/15/15/15/15/15/15/15/15 x 5',
};

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** Returns the name of a point: `row` counts from the top. @param {GameName} game @param {number} column @param {number} row @param {number} rows */
export function pointName(game, column, row, rows) {
  return (LETTERS[column] ?? '') + (game === 'xiangqi' ? rows - 1 - row : rows - row);
}

/** Returns the column and the row (from the top) of a point. @param {GameName} game @param {string} point @param {number} rows @returns {[number, number]} */
export function pointPlace(game, point, rows) {
  const number = Number(point.slice(1));
  return [LETTERS.indexOf(point[0] ?? ''), game === 'xiangqi' ? rows - 1 - number : rows - number];
}

/** Returns the points that a move names: one for a stone, two for a man. @param {string} move */
export function pointsOf(move) {
  return move.match(/[a-z]\d+/g) ?? [];
}

/**
 * Reads one row of a position, calling `put` for each man.
 * @param {string} row @param {(column: number, man: string) => void} put @returns {number} points in the row
 */
function readRow(row, put) {
  let column = 0;
  for (const part of row.match(/\d+|[A-Za-z]/g) ?? []) {
    if (/\d/.test(part)) column += Number(part);
    else put(column++, part);
  }
  return column;
}

/** Reads a position; returns null where the text does not describe a board. @param {GameName} game @param {string} text @returns {Position | null} */
export function parse(game, text) {
  const [board, turn, ...rest] = text.trim().split(/\s+/);
  if (!board) return null;
  const lines = board.split('/');
  const rows = lines.length;
  const men = new Map();
  let columns = 0;
  lines.forEach((line, row) => {
    const width = readRow(line, (column, man) => men.set(pointName(game, column, row, rows), man));
    columns = Math.max(columns, width);
  });
  if (game === 'xiangqi' && (rows !== 10 || columns !== 9)) return null;
  if (game === 'gomoku' && (rows < 5 || columns < 5 || columns > 26)) return null;
  const counters = game === 'xiangqi' ? rest.slice(-2).map(Number) : [];
  return {
    men, rows, columns,
    turn: turnOf(game, turn),
    quiet: counters[0] || 0,
    number: counters[1] || 1,
    rest: game === 'gomoku' ? rest.join(' ') : '',
  };
}

/** @param {GameName} game @param {string | undefined} turn */
function turnOf(game, turn) {
  if (game === 'gomoku') return turn === 'o' ? 'o' : 'x';
  return turn === 'b' ? 'b' : 'w';
}

/** Writes a position as text. @param {GameName} game @param {Position} position */
export function write(game, position) {
  const lines = [];
  for (let row = 0; row < position.rows; row++) lines.push(writeRow(game, position, row));
  const tail = game === 'xiangqi' ? `- - ${position.quiet} ${position.number}` : position.rest || '5';
  return `${lines.join('/')} ${position.turn} ${tail}`;
}

/** @param {GameName} game @param {Position} position @param {number} row */
function writeRow(game, position, row) {
  let line = '';
  let empty = 0;
  for (let column = 0; column < position.columns; column++) {
    const man = position.men.get(pointName(game, column, row, position.rows));
    if (!man) { empty++; continue; }
    line += (empty || '') + man;
    empty = 0;
  }
  return line + (empty || '');
}

/** Returns the points of a move, the second of which a stone does not have. @param {GameName} game @param {string} move */
function fromTo(game, move) {
  return game === 'xiangqi' ? [move.slice(0, 2), move.slice(2, 4)] : [move, ''];
}

/** Plays a move on a position that nobody else has, without asking whether it is legal. @param {GameName} game @param {Position} position @param {string} move */
function advance(game, position, move) {
  const { men, turn } = position;
  const [from = '', to = ''] = fromTo(game, move);
  if (game === 'gomoku') {
    if (from) men.set(from, turn);
    position.turn = turn === 'x' ? 'o' : 'x';
    return;
  }
  const man = men.get(from);
  position.quiet = men.has(to) ? 0 : position.quiet + 1;
  position.number += turn === 'b' ? 1 : 0;
  position.turn = turn === 'w' ? 'b' : 'w';
  men.delete(from);
  if (man && to) men.set(to, man);
}

/** @param {Position} position @returns {Position} */
function copyOf(position) {
  return { ...position, men: new Map(position.men) };
}

/**
 * Plays a move without asking whether it is legal and returns the position after it.
 * @param {GameName} game @param {Position} position @param {string} move @returns {Position}
 */
export function play(game, position, move) {
  const next = copyOf(position);
  advance(game, next, move);
  return next;
}

/** Returns the position after a line of moves. @param {GameName} game @param {string} start @param {readonly string[]} moves @returns {Position} */
export function after(game, start, moves) {
  const first = parse(game, start) ?? /** @type {Position} */ (parse(game, START[game]));
  for (const move of moves) advance(game, first, move);
  return first;
}

/** Plies between two positions that are remembered. */
const STRIDE = 64;

/** The positions of a line of moves; from one place of a game to the next, few moves are played again. */
export class Positions {
  constructor() {
    this.start = '';
    /** @type {readonly string[]} */
    this.moves = [];
    /** The position after every so many plies. @type {Position[]} */
    this.kept = [];
  }

  /** Returns the position after a line of moves. @param {GameName} game @param {string} start @param {readonly string[]} moves @returns {Position} */
  after(game, start, moves) {
    let common = 0;
    if (this.start === start) while (common < moves.length && moves[common] === this.moves[common]) common++;
    else this.kept = [after(game, start, [])];
    Object.assign(this, { start, moves });
    this.kept.length = Math.min(this.kept.length, Math.floor(common / STRIDE) + 1);
    const position = copyOf(/** @type {Position} */ (this.kept.at(-1)));
    for (let ply = (this.kept.length - 1) * STRIDE; ply < moves.length;) {
      advance(game, position, moves[ply++] ?? '');
      if (ply % STRIDE === 0) this.kept.push(copyOf(position));
    }
    return position;
  }
}

/** Returns an empty board of gomoku of the same size and rules. @param {string} fen */
export function emptyLike(fen) {
  const position = parse('gomoku', fen);
  if (!position) return '';
  return write('gomoku', { ...position, men: new Map(), turn: 'x' });
}

/** Returns a position without its counters. @param {string} fen */
function placeOf(fen) {
  return fen.split(' ', 2).join(' ');
}

/** Returns where the loop begins in which a line of positions ends, or -1. @param {readonly string[]} fens */
export function loopStart(fens) {
  const places = fens.map(placeOf);
  const first = places.indexOf(places.at(-1) ?? '');
  return first < fens.length - 1 ? first : -1;
}

/**
 * Returns after how many moves of a line a position stands on the board, whatever its counters; 0 where it never does.
 * @param {GameName} game @param {string} start @param {readonly string[]} moves @param {string} fen
 */
export function plyOf(game, start, moves, fen) {
  const place = (/** @type {Position} */ position) => placeOf(write(game, position));
  const wanted = placeOf(fen);
  let position = after(game, start, []);
  for (let ply = 0; ply <= moves.length; ply++) {
    if (place(position) === wanted) return ply;
    position = play(game, position, moves[ply] ?? '');
  }
  return 0;
}

/** Returns whether the first player (Red, in gomoku Black) owns a man. @param {GameName} game @param {string} man */
export function isFirst(game, man) {
  return game === 'xiangqi' ? man === man.toUpperCase() : man === 'x';
}

/** Returns whether the first player is to move. @param {{turn: string}} position */
export function firstToMove(position) {
  return position.turn === 'w' || position.turn === 'x';
}
