// The tree of moves cut into pieces that are drawn by themselves: a run of moves of one line with the comments between
// them. However large a game is, only the pieces that are seen are drawn.

import { plainComment } from './annotations.js';

/** @typedef {import('./tree.js').Node} Node */
/** @typedef {import('./tree.js').Path} Path */

/**
 * A move as it is drawn.
 * @typedef {object} Item
 * @property {Node} node
 * @property {Item | null} above the move before it; none after the root
 * @property {number} index among the moves at its place
 * @property {number} ply
 * @property {boolean} fresh whether it begins a run, so that it is numbered in any case
 * @property {number} piece the number of its piece
 */

/** @typedef {{depth: number, study: boolean, items: Item[], size: number, intro: string}} Piece where `intro` is the comment before the first move */

/** Moves of a piece, and characters of its comments, at most. */
const MOST_MOVES = 48;
const MOST_CHARACTERS = 2000;
/** Characters of a comment that are drawn among the moves. */
export const SHOWN = 280;
/** Characters of a comment that take as much room as a move. */
const CHARACTERS = 8;

/** Moves from whose height that of all others is guessed. */
const ENOUGH = 200;

/** Returns the way to a move. @param {Item} item @returns {Path} */
export function pathOf(item) {
  const path = [];
  for (let here = /** @type {Item | null} */ (item); here; here = here.above) path.push(here.index);
  return path.reverse();
}

/** The pieces of a tree, in the order in which they are read. */
export class Tracks {
  /** @param {Node} root */
  constructor(root) {
    /** @type {Piece[]} */
    this.pieces = [];
    /** @type {Map<Node, Item>} */
    this.items = new Map();
    this.characters = 0;
    const intro = plainComment(root.comment);
    if (intro) this.begin(0, false, intro);
    this.addAll(root);
  }

  /** @param {number} depth @param {boolean} study @param {string} [intro] */
  begin(depth, study, intro = '') {
    this.characters = Math.min(SHOWN, intro.length);
    this.pieces.push({ depth, study, items: [], size: this.characters / CHARACTERS, intro });
  }

  /** @param {Node} root */
  addAll(root) {
    /** @type {{from: Node, item: Item | null, next: number, depth: number, study: boolean, fresh: boolean, broken: boolean}[]} */
    const open = [{ from: root, item: null, next: 0, depth: 0, study: false, fresh: true, broken: this.pieces.length === 0 }];
    for (let line = open.at(-1); line; line = open.at(-1)) {
      const child = line.from.children[line.next];
      if (child && line.next === 0) {
        line.item = this.add(child, line.item, 0, line);
        line.next++;
      } else if (child) {
        const side = { from: child, item: line.item, next: 0, depth: line.depth + 1, study: child.study, fresh: true, broken: true };
        side.item = this.add(child, line.item?.above ?? null, line.next++, side);
        side.fresh = child.comment !== '';
        line.broken = true;
        open.push(side);
      } else if (line.next === 0) {
        open.pop();
      } else {
        const main = /** @type {Node} */ (line.from.children[0]);
        Object.assign(line, { from: main, next: 0, fresh: main.comment !== '' || line.from.children.length > 1 });
      }
    }
  }

  /**
   * Adds a move to the piece in hand, or to a new one.
   * @param {Node} node @param {Item | null} above @param {number} index @param {{depth: number, study: boolean, fresh: boolean, broken: boolean}} line
   */
  add(node, above, index, line) {
    const full = (this.pieces.at(-1)?.items.length ?? 0) >= MOST_MOVES || this.characters >= MOST_CHARACTERS;
    if (line.broken || full) this.begin(line.depth, line.study);
    line.broken = false;
    const piece = /** @type {Piece} */ (this.pieces.at(-1));
    const item = { node, above, index, ply: above ? above.ply + 1 : 0, fresh: line.fresh, piece: this.pieces.length - 1 };
    const characters = Math.min(SHOWN, plainComment(node.comment).length);
    piece.items.push(item);
    piece.size += 1 + characters / CHARACTERS;
    this.characters += characters;
    this.items.set(node, item);
    return item;
  }
}

/**
 * The heights of the pieces of a list: measured where they were drawn, guessed elsewhere.
 */
export class Heights {
  constructor() {
    /** @type {readonly number[]} */
    this.sizes = [];
    /** @type {number[]} */
    this.measured = [];
    this.unit = 7;
    this.known = { size: 0, height: 0 };
  }

  /** Takes other pieces; what was measured of those at both ends that stay as large is kept. @param {readonly number[]} sizes */
  change(sizes) {
    const { sizes: before, measured } = this;
    const least = Math.min(sizes.length, before.length);
    let head = 0;
    while (head < least && sizes[head] === before[head]) head++;
    let tail = 0;
    while (tail < least - head && sizes[sizes.length - 1 - tail] === before[before.length - 1 - tail]) tail++;
    this.measured = [...measured.slice(0, head), ...Array(sizes.length - head - tail).fill(0), ...measured.slice(before.length - tail)];
    this.sizes = sizes;
  }

  /** Forgets what was measured, for another width. */
  forget() {
    this.measured = this.sizes.map(() => 0);
    this.known = { size: 0, height: 0 };
  }

  /** @param {number} piece @param {number} height */
  measure(piece, height) {
    if (this.measured[piece] === height) return;
    if (!this.measured[piece]) {
      this.learn(this.sizes[piece] ?? 0, height);
    }
    this.measured[piece] = height;
  }

  /** Learns how high pieces are, from the first ones that are drawn: what is guessed stays the same then. @param {number} size @param {number} height */
  learn(size, height) {
    const { known } = this;
    if (known.size > ENOUGH) return;
    known.size += size;
    known.height += height;
    this.unit = known.height / Math.max(1, known.size);
  }

  /** Returns the height of a piece. @param {number} piece */
  of(piece) {
    return this.measured[piece] || Math.max(20, (this.sizes[piece] ?? 0) * this.unit);
  }

  /** Returns the height of the pieces from one to another. @param {number} from @param {number} to the first that does not count */
  sum(from, to) {
    let sum = 0;
    for (let piece = from; piece < to; piece++) sum += this.of(piece);
    return sum;
  }

  /** Returns the pieces, the first and the one after the last, between two heights from the top. @param {number} top @param {number} bottom @returns {[number, number]} */
  between(top, bottom) {
    let first = 0;
    let height = 0;
    for (; first < this.sizes.length - 1 && height + this.of(first) <= top; first++) height += this.of(first);
    let end = first;
    for (; end < this.sizes.length && height < bottom; end++) height += this.of(end);
    return [first, Math.max(end, Math.min(first + 1, this.sizes.length))];
  }
}
