// A repertoire: the game on the board with its variations. The opponent answers from it, the first move the likeliest, and
// what was missed is asked again at the end.

import { plainComment } from '../annotations.js';
import { button } from '../dom.js';
import { firstToMove, parse } from '../fen.js';
import { number, plural, t } from '../i18n.js';
import { addLine, movesTo, node, nodeAt } from '../tree.js';
import { byWeight, Lesson, sideButtons } from './lesson.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {import('../tree.js').Node} Node */
/** @typedef {import('../tree.js').Path} Path */
/** @typedef {import('./lesson.js').Said} Said */

/** Glyphs of moves that a repertoire warns of: `?`, `??`, `?!`. */
const FAULTS = [2, 4, 6];
/** The share of the likelihood that the next variation has. */
const FALL = 0.5;
/** Characters of a comment that are shown. */
const COMMENT = 280;
/** Rounds of what was missed, at most. */
const ROUNDS = 3;

/** A game through the variations of a tree. */
export class Repertoire extends Lesson {
  /** @param {App} app */
  constructor(app) {
    super(app, t('Repertoire on the board'));
    const { root, start } = app.session;
    this.root = root;
    this.from = start;
    this.first = true;
    /** Whether the first side is to move at the start. */
    const position = parse(app.game, start);
    this.beginsFirst = position === null || firstToMove(position);
    /** Where the lesson stands in the tree. @type {Path} */
    this.place = [];
    /** How often each move of the opponent was chosen. @type {Map<Node, number>} */
    this.chosen = new Map();
    /** The positions that were not known, and come again. @type {Path[]} */
    this.missed = [];
    /** Those that are asked again in this round. @type {Path[]} */
    this.pending = [];
    this.round = 0;
    this.isMissed = false;
    this.asked = 0;
    this.right = 0;
  }

  /** @override */
  async start() {
    if (this.root.children.length === 0) {
      this.say([{ text: t('There is no repertoire on the board: open a game with variations first.'), kind: 'sentence' }]);
      return;
    }
    this.say([{ text: t('The moves on the board are the repertoire. Which side is yours?'), kind: 'sentence' }],
      sideButtons(this.app, (first) => void this.begin(first)));
  }

  /** @param {boolean} first whose moves the person makes */
  async begin(first) {
    Object.assign(this, { first, place: [], missed: [], round: 0, asked: 0, right: 0 });
    this.load({ start: this.from });
    this.app.change({ flipped: !first });
    await this.go([]);
  }

  /** Returns whether the person is to move at a place of the tree. @param {Path} place */
  isOwn(place) {
    return (place.length % 2 === 0) === (this.beginsFirst === this.first);
  }

  /** Goes on in the line: the opponent moves, or the person is asked. @param {Said[]} said of the last move */
  async go(said) {
    this.at = null;
    if (!this.isOwn(this.place) && movesAt(this.root, this.place).length > 0) {
      this.say([...said, { text: t('The opponent answers …'), kind: 'quiet' }]);
      await new Promise((resolve) => { setTimeout(resolve, 250); });
      if (this.over) return;
      said = [...said, ...this.answer()];
    }
    if (movesAt(this.root, this.place).length === 0) this.endLine(said);
    else this.ask(said);
  }

  /** Makes a move of the opponent: the first one the likeliest, those that came before less so. @returns {Said[]} */
  answer() {
    const known = movesAt(this.root, this.place);
    const { index, child } = byWeight(known, (move, at) => FALL ** at / (1 + (this.chosen.get(move.child) ?? 0)));
    this.chosen.set(child, (this.chosen.get(child) ?? 0) + 1);
    this.play(child.move, child.text);
    this.place = [...this.place, index];
    return commentSaid(child);
  }

  /** @param {Said[]} said */
  ask(said) {
    this.isMissed = false;
    if (this.round === 0) this.asked++;
    this.progress = `${number(this.right)} / ${number(this.round === 0 ? this.asked - 1 : this.asked)}`;
    this.say([...said, { text: t('Your move: what does the repertoire play?'), kind: 'sentence' }], this.tools());
    this.wait();
  }

  tools() {
    return [button(t('Show the move'), () => this.show())];
  }

  /** Shows the moves of the repertoire. */
  show() {
    const known = movesAt(this.root, this.place).map(({ child }) => child);
    this.miss();
    this.point(known.slice(0, 3).map(({ move }) => move));
    this.say([{ text: known.slice(0, 6).map(textOf).join(' · ') }, { text: t('Your move.'), kind: 'quiet' }]);
    this.wait();
  }

  /** Notes that the move was not known: it is asked again. */
  miss() {
    if (this.isMissed) return;
    this.isMissed = true;
    this.missed.push(this.place);
  }

  /** @override @param {string} move @param {string} text */
  take(move, text) {
    const known = movesAt(this.root, this.place);
    const found = known.find(({ child }) => child.move === move);
    this.app.setArrows('lesson', []);
    if (!found) { this.tellWrong(move, text || move, known[0]?.child); return; }
    if (!this.isMissed && this.round === 0) this.right++;
    this.play(move, text);
    this.place = [...this.place, found.index];
    const other = found === known[0] || !known[0] ? '' : t('A variation; the first choice is {move}.', { move: textOf(known[0].child) });
    const said = [{ text: t('{move} is in the repertoire.', { move: text || move }), kind: /** @type {const} */ ('good') }, { text: other }, ...commentSaid(found.child)];
    if (this.round > 0) this.again(said);
    else void this.go(said);
  }

  /** Tells a move that the repertoire does not have, and its own one. @param {string} move @param {string} text @param {Node | undefined} own */
  tellWrong(move, text, own) {
    this.miss();
    const warned = nodeAt(this.root, this.place).children.find((child) => child.move === move);
    this.point(own ? [own.move] : []);
    this.say([{ text: warned ? t('The repertoire marks {move} as a mistake.', { move: text }) : t('{move} is not in the repertoire.', { move: text }), kind: 'bad' },
      ...(warned ? commentSaid(warned) : []), { text: own ? t('It plays {move}. Make that move.', { move: textOf(own) }) : '' }]);
    this.wait();
  }

  /** Ends a line of the tree: what was missed comes again. @param {Said[]} said */
  endLine(said) {
    if (this.missed.length > 0) {
      this.round = 1;
      this.pending = this.missed;
      this.missed = [];
      this.say([...said, { text: t('The line ends here. What was missed comes again.'), kind: 'sentence' }],
        [button(t('Next'), () => this.again([]), { class: 'primary' })]);
      return;
    }
    this.finish(said);
  }

  /** Asks the next of the positions that were missed. @param {Said[]} said */
  again(said) {
    const next = this.pending.shift();
    if (next) { this.askAt(next, said); return; }
    if (this.missed.length > 0 && this.round < ROUNDS) {
      this.round++;
      this.pending = this.missed;
      this.missed = [];
      this.again(said);
      return;
    }
    this.finish(said);
  }

  /** Puts a position of the tree on the board and asks it. @param {Path} place @param {Said[]} said */
  askAt(place, said) {
    const line = addLine(node(), [], movesTo(this.root, place));
    this.place = place;
    this.load({ start: this.from, root: line.root, path: line.path });
    this.ask(said);
  }

  /** @param {Said[]} said */
  finish(said) {
    this.progress = '';
    this.at = null;
    const found = plural(this.asked, '{right} of {n} move known.', '{right} of {n} moves known.').replace('{right}', number(this.right));
    const open = this.missed.map((place) => movesAt(this.root, place)[0]?.child).filter((child) => child !== undefined).map(textOf);
    this.say([...said, { text: found, kind: 'sentence' }, ...(open.length > 0 ? [{ text: t('To be learnt: {moves}', { moves: open.join('; ') }) }] : [])], [
      button(t('Another line'), () => void this.begin(this.first), { class: 'primary' }), button(t('The other side'), () => void this.begin(!this.first))]);
  }
}

/** Returns the moves of a repertoire at a place, without those that it marks as mistakes. @param {Node} root @param {Path} place */
function movesAt(root, place) {
  return nodeAt(root, place).children.map((child, index) => ({ child, index }))
    .filter(({ child }) => !child.mark.startsWith('?') && !(child.glyphs ?? []).some((glyph) => FAULTS.includes(glyph)));
}

/** @param {Node} child */
function textOf({ text, move }) {
  return text || move;
}

/** Returns what the repertoire says of a move. @param {Node} child @returns {Said[]} */
function commentSaid({ comment }) {
  const text = plainComment(comment).trim();
  if (!text) return [];
  return [{ text: text.length > COMMENT ? `${text.slice(0, COMMENT)}…` : text, kind: 'quiet' }];
}
