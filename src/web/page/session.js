// A game on the board: its tree, the place in it, and the study beside it.

import { parse, pointsOf, Positions, START, write } from './fen.js';
import * as tree from './tree.js';

/** @typedef {import('./fen.js').GameName} GameName */
/** @typedef {import('./tree.js').Path} Path */
/** @typedef {import('./tree.js').Node} Node */

/**
 * All that a game on the board is.
 * @typedef {object} Whole
 * @property {string} id its name in this browser
 * @property {string} start
 * @property {Record<string, string>} tags
 * @property {string} result
 * @property {boolean} opened
 * @property {Node} root
 * @property {Path} path
 * @property {Path | null} left
 * @property {Path | null} live
 * @property {import('./play.js').KeptPlay | null} playing
 * @property {number} texts how often texts had been forgotten
 * @property {boolean} [described] whether the edit after it was one of tags and result
 */

/** @typedef {{game: string, fen: string, moves: string}} Query */

/** The longest line of moves, in plies, that questions and addresses hold. */
export const LONGEST = 10_000;

/** Returns a name for a game that no other game of this browser has. */
function newId() {
  return `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;
}

/**
 * Returns the names of the first and the second player, or empty texts.
 * @param {GameName} game @param {Record<string, string>} tags @returns {[string, string]}
 */
export function playersOf(game, tags) {
  return game === 'gomoku' ? [tags['Black'] ?? '', tags['White'] ?? ''] : [tags['Red'] ?? tags['White'] ?? '', tags['Black'] ?? ''];
}

/** Returns who played, or another text where nobody is named. @param {readonly (string | null | undefined)[]} players @param {string} other */
export function playersText([first, second], other = '? – ?') {
  return first || second ? `${first || '?'} – ${second || '?'}` : other;
}

/** Returns a result as people write it. @param {string | null} result */
export function resultText(result) {
  return (result ?? '*').replaceAll('1/2', '½');
}

/** Returns whether tags have the same names and values. @param {Record<string, string>} a @param {Record<string, string>} b */
function sameTags(a, b) {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

/** One game with its variations. */
export class Session {
  /** @param {GameName} game @param {() => void} changed called after the place or the tree changed */
  constructor(game, changed) {
    this.game = game;
    this.changed = changed;
    this.id = newId();
    this.start = START[game];
    /** @type {Record<string, string>} */
    this.tags = {};
    this.result = '*';
    this.opened = false;
    this.root = tree.node();
    /** @type {Path} */
    this.path = [];
    /** The place in the game that a study left. @type {Path | null} */
    this.left = null;
    /** The end of a game that is being played. @type {Path | null} */
    this.live = null;
    /** How the game is being played, if it is. @type {import('./play.js').KeptPlay | null} */
    this.playing = null;
    this.texts = 0;
    /** @type {tree.History<Whole>} */
    this.history = new tree.History();
    this.positions = new Positions();
    /** The line and the position that were asked for last. @type {{root: Node, path: Path, start: string, moves: string[], position: import('./fen.js').Position | null, query: Query | null} | null} */
    this.known = null;
  }

  get line() {
    const { root, path, start } = this;
    const same = this.known?.root === root && this.known.path === path && this.known.start === start;
    if (!this.known || !same) this.known = { root, path, start, moves: tree.movesTo(root, path), position: null, query: null };
    return this.known;
  }

  /** The moves from the start to the place. */
  get moves() {
    return this.line.moves;
  }

  /** The position on the board, for drawing. */
  get position() {
    const { line } = this;
    line.position ??= this.positions.after(this.game, this.start, line.moves);
    return line.position;
  }

  /** Whether nothing is on the board but the start of the game. */
  get blank() {
    return this.root.children.length === 0 && this.root.comment === '' && this.start === START[this.game] && this.playing === null;
  }

  /** The game as it is now. @returns {Whole} */
  get whole() {
    const { id, start, tags, result, opened, root, path, left, live, playing, texts } = this;
    return { id, start, tags, result, opened, root, path, left, live, playing, texts };
  }

  /** The node at the place. */
  get here() {
    return tree.nodeAt(this.root, this.path);
  }

  /** The points of the last move. */
  get last() {
    return pointsOf(this.here.move);
  }

  /** Whether the place is in a study. */
  get studying() {
    return this.left !== null;
  }

  /** What stands for the position in questions to the server. */
  get query() {
    this.line.query ??= this.lineQuery(this.moves);
    return this.line.query;
  }

  /** @param {string} start @param {readonly string[]} moves */
  questionOf(start, moves) {
    return { game: this.game === 'xiangqi' ? '' : this.game, fen: start === START[this.game] ? '' : start, moves: moves.join(',') };
  }

  /**
   * Returns what stands for a line in questions about its last moves: no more moves are sent than an address can hold.
   * @param {readonly string[]} moves from the start @param {number} [most] moves that matter
   */
  lineQuery(moves, most = LONGEST) {
    if (moves.length <= most) return this.questionOf(this.start, moves);
    const cut = moves.length - most;
    return this.questionOf(write(this.game, this.positions.after(this.game, this.start, moves.slice(0, cut))), moves.slice(cut));
  }

  /** Goes to a place of the tree. @param {Path} path */
  go(path) {
    if (tree.samePath(path, this.path)) return;
    this.path = path;
    this.changed();
  }

  /** Goes a move forth or back. @param {number} step */
  step(step) {
    if (step < 0) this.go(this.path.slice(0, step));
    else if (this.here.children.length > 0) this.go([...this.path, this.remembered()]);
  }

  /** Returns the child that leads back to the game, or the main line. */
  remembered() {
    const way = this.left ?? this.live;
    const inside = way && way.length > this.path.length && this.path.every((index, at) => index === way[at]);
    return inside ? way[this.path.length] ?? 0 : 0;
  }

  toStart() { this.go([]); }

  toEnd() { this.go(tree.endOf(this.root, this.path)); }

  /** Goes to the variation above or below. @param {number} step */
  beside(step) { this.go(tree.beside(this.root, this.path, step)); }

  /** @param {tree.Place} place */
  edit(place) {
    if (place.root !== this.root) this.history.note(this.whole);
    this.root = place.root;
    this.path = place.path;
    this.changed();
  }

  /** Plays a move at the place; a new move away from a game opens a study. @param {string} move @param {{text?: string, source?: string}} [parts] */
  play(move, parts = {}) {
    const extends_ = this.live !== null && tree.samePath(this.live, this.path);
    const known = this.here.children.some((child) => child.move === move);
    const leaves = !extends_ && !known && !this.studying && (this.live !== null || this.opened);
    if (leaves) this.left = this.path;
    const place = tree.addMove(this.root, this.path, { move, ...parts, study: this.studying });
    if (extends_) this.live = place.path;
    this.edit(place);
  }

  undo() { this.restore(this.history.undo(this.besides(this.history.past))); }

  redo() { this.restore(this.history.redo(this.besides(this.history.future))); }

  /** Returns the game as it is now, to be kept on the other side of the last of some edits. @param {readonly Whole[]} edits @returns {Whole} */
  besides(edits) {
    return { ...this.whole, described: edits.at(-1)?.described ?? false };
  }

  /** @param {Whole | null} before */
  restore(before) {
    if (!before) return;
    if (before.id === this.id) {
      // The result of a game that was played out since another edit stays.
      if (before.described) Object.assign(this, { tags: before.tags, result: before.result });
      const keep = this.movesOfMarks();
      this.root = this.readable(before);
      this.path = before.path;
      this.findMarks(keep);
    } else {
      this.put(before);
    }
    this.changed();
  }

  /** Returns the tree of a game, without the texts of a notation that is no longer in force. @param {Whole} whole */
  readable({ root, texts }) {
    return texts === this.texts ? root : tree.withoutTexts(root);
  }

  /** Makes the branch of a path the main line. @param {Path} path */
  promote(path) { this.reshape(tree.promote(this.root, path)); }

  /** Removes a move with what follows. @param {Path} path */
  remove(path) {
    const inside = path.every((index, at) => index === this.path[at]);
    const moves = this.moves;
    const place = tree.remove(this.root, path);
    const now = inside ? place.path : tree.find(place.root, moves) ?? place.path;
    this.reshape({ root: place.root, path: now });
  }

  /** @param {tree.Place} place */
  reshape(place) {
    const keep = this.movesOfMarks();
    const root = this.root;
    this.root = place.root;
    this.findMarks(keep);
    this.root = root;
    this.edit(place);
  }

  movesOfMarks() {
    return [this.left, this.live].map((path) => path && tree.movesTo(this.root, path));
  }

  /** @param {(string[] | null)[]} keep */
  findMarks(keep) {
    const [left, live] = keep.map((moves) => moves && tree.find(this.root, moves));
    this.left = left ?? null;
    this.live = live ?? null;
  }

  /** Forgets the texts of all moves; those before and after an edit once it is undone. */
  forgetTexts() {
    this.root = tree.withoutTexts(this.root);
    this.texts++;
  }

  /** Sets the comment of a move. @param {Path} path @param {string} comment */
  comment(path, comment) {
    if (tree.nodeAt(this.root, path).comment !== comment) {
      this.edit({ root: tree.setComment(this.root, path, comment), path: this.path });
    }
  }

  /** Changes annotations of a move, with an entry in the history; the place stays. @param {Path} path @param {Partial<Node>} parts */
  annotate(path, parts) {
    this.history.note(this.whole);
    this.note(path, parts);
  }

  /** Sets the tags and the result. @param {Record<string, string>} tags @param {string} result */
  describe(tags, result) {
    if (result === this.result && sameTags(tags, this.tags)) return;
    this.history.note({ ...this.whole, described: true });
    this.tags = tags;
    this.result = result;
    this.changed();
  }

  /** Notes texts, sources or marks of moves without an entry in the history. @param {Path} path @param {Partial<Node>} parts */
  note(path, parts) {
    this.root = tree.change(this.root, path, (old) => ({ ...old, ...parts }));
  }

  /** Fills in the texts of moves. They are no part of the game, but what was last read of it: so they are set in place, in the trees before and after an edit too. @param {readonly Node[]} nodes @param {(node: Node, at: number) => string | undefined} textOf */
  fill(nodes, textOf) {
    nodes.forEach((node, at) => { node.text = textOf(node, at) ?? ''; });
  }

  beginStudy() {
    if (this.studying) return;
    this.left = this.path;
    this.changed();
  }

  /** Goes back to where the game was left. */
  backToGame() {
    if (!this.left) return;
    const left = this.left;
    this.left = null;
    this.path = left;
    this.changed();
  }

  /**
   * Puts another game on the board; undo brings back the one that was there.
   * @param {Partial<Whole>} parts with the name of the game, if it has been on a board before
   */
  load(parts) {
    if (!this.blank) this.history.note(this.whole);
    this.put(parts);
    this.changed();
  }

  /** @param {Partial<Whole>} parts */
  put(parts) {
    this.id = parts.id || newId();
    this.start = parts.start || START[this.game];
    this.tags = parts.tags ?? {};
    this.result = parts.result ?? '*';
    this.opened = parts.opened ?? false;
    this.root = parts.root ? this.readable({ ...this.whole, texts: this.texts, ...parts, root: parts.root }) : tree.node();
    this.path = parts.path ?? [];
    this.left = parts.left ?? null;
    this.live = parts.live ?? null;
    this.playing = parts.playing ?? null;
  }

  /** Puts the board of a lesson in the place of the game, with a history of its own. @param {Partial<Whole>} parts */
  lend(parts) {
    this.history = new tree.History();
    this.put(parts);
    this.changed();
  }

  /** Puts a game back, with its history, once a lesson is over. @param {Whole} whole @param {tree.History<Whole>} history */
  giveBack(whole, history) {
    this.history = history;
    this.put(whole);
    this.changed();
  }

  /** Puts a game on the board that was there in another window or before a reload. @param {Whole} kept @param {boolean} own whether no other window has it */
  takeBack(kept, own) {
    if (!parse(this.game, kept.start)) return;
    this.put({ ...kept, id: own ? kept.id : newId() });
  }
}
