// The list of moves as it is drawn: the pieces that are seen, and room for the others.

import { glyphText, plainComment } from './annotations.js';
import { button, el, quiet } from './dom.js';
import { firstToMove, parse } from './fen.js';
import { moveLanguage, t } from './i18n.js';
import { Heights, pathOf, SHOWN, Tracks } from './tracks.js';
import * as tree from './tree.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./tracks.js').Item} Item */
/** @typedef {import('./tracks.js').Piece} Piece */

/** Pixels that are drawn above and below what is seen: at once, and when things are quiet. */
const NEAR = 60;
const MARGIN = 500;
/** Milliseconds after which things are quiet. */
const QUIET = 60;
/** The levels of variations that are set in. */
const LEVELS = 8;

/** Where moves come from. @type {Record<string, string>} */
export const SOURCES = { book: 'from the book', table: 'from the tables', search: 'found by search', only: 'the only move' };

/** Draws the moves of the game on the board. */
export class MoveList {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.element = el('div', { class: 'tree', 'aria-label': t('Moves') });
    this.before = el('div');
    this.after = el('div');
    this.lines = el('div', { class: 'line' });
    this.element.append(this.lines);
    /** @type {tree.Node | null} */
    this.root = null;
    this.game = '';
    this.tracks = new Tracks(tree.node());
    this.heights = new Heights();
    /** What is drawn: the elements of pieces, and the buttons of moves. @type {Map<number, HTMLElement>} */
    this.drawn = new Map();
    /** @type {Map<Item, HTMLButtonElement>} */
    this.buttons = new Map();
    this.width = 0;
    /** @type {Item | null} */
    this.current = null;
    this.asked = 0;
    this.resting = 0;
    new ResizeObserver(() => this.resized()).observe(this.element);
    const scrolled = () => {
      if (this.element.isConnected) this.later();
      else document.removeEventListener('scroll', scrolled, true);
    };
    document.addEventListener('scroll', scrolled, { capture: true, passive: true });
    app.unread = () => this.unread();
  }

  /** Follows the tree and the place in it. */
  draw() {
    const { session } = this.app;
    const first = parse(session.game, session.start);
    this.offset = first && !firstToMove(first) ? 1 : 0;
    const game = `${session.id} ${this.offset}`;
    if (session.root !== this.root || game !== this.game) this.change(session.root, game);
    const at = this.tracks.items.get(session.here) ?? null;
    const moved = at !== this.current;
    this.current = at;
    this.mark();
    if (moved || !at) this.showCurrent();
    else this.drawWindow();
  }

  /** @param {tree.Node} root @param {string} game */
  change(root, game) {
    if (game !== this.game) this.heights = new Heights();
    Object.assign(this, { root, game, current: null });
    this.tracks = new Tracks(root);
    this.heights.change(this.tracks.pieces.map(({ size }) => size));
    this.drawn.clear();
    this.buttons.clear();
    const empty = root.children.length === 0;
    this.element.setAttribute('role', empty ? 'group' : 'tree');
    this.lines.replaceChildren(this.before, this.after, ...empty ? [quiet(t('Play a move on the board, type one below, paste a game or drop a file on the board.'))] : []);
  }

  resized() {
    const { clientWidth } = this.element;
    if (clientWidth === 0) return;
    if (clientWidth !== this.width) this.heights.forget();
    this.width = clientWidth;
    this.showCurrent();
  }

  later() {
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => {
      this.asked = 0;
      this.drawWindow();
    });
  }

  /** Draws more than is seen, once that is on the screen. */
  rest() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.drawWindow(MARGIN), QUIET);
  }

  /** Returns the heights between which the list is seen. @returns {[number, number]} */
  seen() {
    const { element, lines } = this;
    const box = element.getBoundingClientRect();
    const top = lines.getBoundingClientRect().top;
    return [Math.max(box.top, 0) - top, Math.min(box.bottom, window.innerHeight) - top];
  }

  /** Draws the pieces that are seen, and a few beside them. @param {number} [margin] */
  drawWindow(margin = NEAR) {
    if (this.element.clientWidth === 0) return;
    // Once drawn, pieces may be lower than was guessed, so that more are seen.
    for (let round = 0; round < 3; round++) {
      const [top, bottom] = this.seen();
      const [from, to] = this.heights.between(top - margin, bottom + margin);
      if (margin < MARGIN && this.has(from, to)) break;
      if (!this.drawPieces(from, to)) break;
    }
    if (margin < MARGIN) this.rest();
    void this.app.fillTexts();
  }

  /** Returns whether pieces are drawn. @param {number} from @param {number} to */
  has(from, to) {
    for (let piece = from; piece < to; piece++) if (!this.drawn.has(piece)) return false;
    return to > from;
  }

  /** @param {number} from @param {number} to @returns {boolean} whether anything changed */
  drawPieces(from, to) {
    const { drawn, heights } = this;
    const gone = [...drawn.keys()].filter((piece) => piece < from || piece >= to);
    for (const piece of gone) this.drop(piece);
    const fresh = [];
    for (let piece = from, next = /** @type {Element} */ (this.before); piece < to; piece++) {
      let element = drawn.get(piece);
      if (!element) {
        element = this.piece(/** @type {Piece} */ (this.tracks.pieces[piece]));
        next.after(element);
        drawn.set(piece, element);
        fresh.push(piece);
      }
      next = element;
    }
    if (gone.length === 0 && fresh.length === 0) return false;
    for (const piece of fresh) heights.measure(piece, drawn.get(piece)?.getBoundingClientRect().height ?? 0);
    this.before.style.height = `${heights.sum(0, from)}px`;
    this.after.style.height = `${heights.sum(to, heights.sizes.length)}px`;
    this.mark();
    return true;
  }

  /** @param {number} piece */
  drop(piece) {
    this.drawn.get(piece)?.remove();
    this.drawn.delete(piece);
    for (const item of this.tracks.pieces[piece]?.items ?? []) this.buttons.delete(item);
  }

  /** Scrolls the list itself, never the page, to the move on the board. */
  showCurrent() {
    const { element, current } = this;
    if (element.clientWidth === 0) return;
    if (!current) { element.scrollTop = 0; this.drawWindow(); return; }
    if (!this.drawn.has(current.piece)) this.drawPieces(current.piece, current.piece + 1);
    // Heights are guesses until they are drawn, so that what is drawn above may push the move out again.
    for (let round = 0; round < 2; round++) {
      const move = this.buttons.get(current);
      const above = move ? move.offsetTop - element.offsetTop : 0;
      const out = move && (above < element.scrollTop || above + move.offsetHeight > element.scrollTop + element.clientHeight);
      if (round > 0 && !out) break;
      if (out) element.scrollTop = above - element.clientHeight / 2;
      this.drawWindow();
    }
  }

  /** Marks the move on the board, and the one that a study left. */
  mark() {
    const { session } = this.app;
    const left = session.left && tree.nodeAt(session.root, session.left);
    for (const [item, move] of this.buttons) {
      const current = item === this.current;
      move.classList.toggle('current', current);
      move.classList.toggle('left', item.node === left);
      const words = textOf(item.node);
      if (move.textContent !== words) this.write(move, item.node, words);
      if (current !== (move.getAttribute('aria-selected') === 'true')) {
        move.setAttribute('aria-selected', String(current));
        move.tabIndex = current ? 0 : -1;
      }
    }
  }

  /** @param {Piece} piece */
  piece({ depth, study, items, intro }) {
    const box = el('div', depth > 0 ? { class: study ? 'variation study' : 'variation', role: 'group' } : {});
    if (depth > 1) box.style.marginLeft = `${0.8 + (Math.min(depth, LEVELS) - 1) * 1.3}rem`;
    if (intro) box.append(...this.comment(intro, []));
    for (const item of items) {
      box.append(this.move(item, depth + 1));
      const begins = item.node.study && item.index > 0;
      if (begins) box.append(el('span', { class: 'badge badge-study' }, t('study')));
      const text = plainComment(item.node.comment);
      if (text) box.append(...this.comment(text, item));
    }
    return box;
  }

  /** @param {Item} item @param {number} level */
  move(item, level) {
    const { node } = item;
    const ply = item.ply + (this.offset ?? 0);
    const number = ply % 2 === 0 ? `${ply / 2 + 1}.` : item.fresh ? `${(ply + 1) / 2}…` : '';
    const move = button('', () => this.app.session.go(pathOf(item)), {
      class: node.source ? `move from-${node.source}` : 'move', role: 'treeitem', 'aria-selected': 'false', 'aria-level': level, tabindex: -1,
      title: node.source ? t(SOURCES[node.source] ?? node.source) : null,
    });
    this.write(move, node, textOf(node));
    this.buttons.set(item, move);
    return el('span', { class: 'ply', role: 'none' }, number && el('span', { class: 'number' }, number), move);
  }

  /** Writes a move, and in which language it is. @param {HTMLButtonElement} move @param {tree.Node} node @param {string} words */
  write(move, node, words) {
    move.textContent = words;
    const language = node.text ? moveLanguage(this.app.settings.notation) : null;
    if (language) move.lang = language;
    else move.removeAttribute('lang');
  }

  /** Makes a comment: a long one is cut, with a button that shows it whole. @param {string} comment @param {Item | []} of @returns {HTMLElement[]} */
  comment(comment, of) {
    if (comment.length <= SHOWN) return [el('span', { class: 'comment' }, comment)];
    // No character is cut in two.
    const start = comment.slice(0, SHOWN).replace(/[\ud800-\udbff]$/, '');
    return [el('span', { class: 'comment' }, `${start}…`),
      button(t('whole comment'), () => void showComment(this.app, Array.isArray(of) ? [] : pathOf(of)), { class: 'link small' })];
  }

  /** Returns the way to the first move that is drawn without a text. @returns {tree.Path | null} */
  unread() {
    if (this.root !== this.app.session.root || this.app.game === 'gomoku') return null;
    for (const item of this.buttons.keys()) if (!item.node.text) return pathOf(item);
    return null;
  }
}

/** @param {tree.Node} node */
function textOf(node) {
  return (node.text || node.move) + glyphText(node);
}

/** Shows the comment of a move to be read and changed as a whole. @param {App} app @param {tree.Path} path */
export async function showComment(app, path) {
  const { commentDialog } = await import('./comment.js');
  commentDialog(app, path);
}
