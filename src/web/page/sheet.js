// A sheet of the game to be printed: what is known of it, its moves with comments and variations, and diagrams. Loaded
// when it is asked for.

import { COLOURS, glyphText, plainComment, shapesOf } from './annotations.js';
import { button, dialog, el, quiet, row, select } from './dom.js';
import { after, firstToMove, parse, pointsOf } from './fen.js';
import { t } from './i18n.js';
import { boardOf } from './picture.js';
import { playersOf, playersText, resultText } from './session.js';
import { endOf, lineTo, movesTo, nodeAt } from './tree.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./tree.js').Node} Node */
/** @typedef {import('./tree.js').Path} Path */
/** @typedef {'place' | 'comments' | '10' | '20' | 'none'} Diagrams */

/** Diagrams and moves of a sheet at most, and variations within variations. */
const MOST_DIAGRAMS = 60;
const MOST_MOVES = 4000;
const DEEPEST = 12;
/** Tags under the title. */
const TAGS = ['Event', 'Site', 'Date', 'Round', 'Opening', 'Annotator'];

/** Asks where diagrams are wanted, and prints. @param {App} app */
export function showSheet(app) {
  /** @type {Diagrams} */
  let diagrams = app.session.root.children.length > 0 ? 'comments' : 'place';
  const choice = select([['comments', t('at comments and at the end')], ['10', t('every 5 moves')], ['20', t('every 10 moves')], ['place', t('the position on the board')], ['none', t('none')]],
    diagrams, (value) => { diagrams = /** @type {Diagrams} */ (value); }, { name: 'diagrams' });
  const box = dialog(t('Print'), el('label', { class: 'field' }, el('span', {}, t('Diagrams')), choice),
    quiet(t('The sheet has the moves, comments and variations of the game. The browser can save it as PDF.')),
    row(button(t('Print'), () => { box.close(); print(app, diagrams); }, { class: 'primary' }), button(t('Cancel'), () => box.close())));
}

/** @param {App} app @param {Diagrams} diagrams */
function print(app, diagrams) {
  document.querySelector('.sheet')?.remove();
  const sheet = sheetOf(app, diagrams);
  document.body.append(sheet);
  document.body.classList.add('printing');
  window.addEventListener('afterprint', () => {
    sheet.remove();
    document.body.classList.remove('printing');
  }, { once: true });
  window.print();
}

/** Returns the sheet. @param {App} app @param {Diagrams} diagrams */
export function sheetOf(app, diagrams) {
  const { tags, result } = app.session;
  const who = playersText(playersOf(app.game, tags), t('Analysis'));
  const known = TAGS.flatMap((name) => (tags[name] ? [tags[name]] : []));
  const head = el('header', {}, el('h1', {}, who, ' ', result !== '*' ? resultText(result) : ''), known.length > 0 && el('p', {}, known.join(' · ')));
  const sheet = el('section', { class: 'sheet', lang: app.moveLanguage }, head);
  new Writer(app, sheet, diagrams).write();
  return sheet;
}

/** Writes the moves of a game. */
class Writer {
  /** @param {App} app @param {HTMLElement} sheet @param {Diagrams} diagrams */
  constructor(app, sheet, diagrams) {
    this.app = app;
    this.sheet = sheet;
    this.diagrams = diagrams;
    this.count = 0;
    this.moves = 0;
    const first = parse(app.game, app.session.start);
    /** Plies before the first, so that Black may begin. */
    this.offset = first && !firstToMove(first) ? 1 : 0;
    this.text = el('p', { class: 'sheet-moves' });
  }

  write() {
    const { session } = this.app;
    if (this.diagrams === 'place') this.diagram(session.path);
    const fromStart = session.query.fen !== '' && this.diagrams !== 'place' && this.diagrams !== 'none';
    if (fromStart) this.diagram([]);
    this.comment(session.root);
    this.sheet.append(this.text);
    const end = endOf(session.root, []);
    let parent = session.root;
    lineTo(session.root, end).forEach((node, at) => {
      this.step(parent, node, end.slice(0, at + 1), at + 1 === end.length);
      parent = node;
    });
    if (session.result !== '*') this.text.append(el('b', {}, ` ${resultText(session.result)}`));
    if (this.moves >= MOST_MOVES) this.sheet.append(el('p', {}, t('The sheet ends here: it holds {n} moves at most.', { n: MOST_MOVES })));
  }

  /** Writes a move of the main line with what belongs to it. @param {Node} parent @param {Node} node @param {Path} path @param {boolean} last */
  step(parent, node, path, last) {
    if (this.moves++ >= MOST_MOVES) return;
    this.text.append(el('b', {}, this.moveText(node, path.length - 1, this.text.childNodes.length === 0)), ' ');
    this.comment(node);
    for (const other of parent.children.slice(1)) this.text.append(el('span', { class: 'sheet-variation' }, `(${this.variation(other, path.length, 0)})`), ' ');
    if (this.isShown(node, path.length, last)) {
      this.diagram(path);
      this.text = el('p', { class: 'sheet-moves' });
      this.sheet.append(this.text);
    }
  }

  /** @param {Node} node @param {number} ply @param {boolean} last */
  isShown(node, ply, last) {
    if (this.diagrams === 'comments') return last || node.comment !== '';
    return (this.diagrams === '10' || this.diagrams === '20') && (last || ply % Number(this.diagrams) === 0);
  }

  /** @param {Node} node */
  comment(node) {
    const text = plainComment(node.comment);
    if (text) this.text.append(el('span', { class: 'sheet-comment' }, text), ' ');
  }

  /** Returns a variation as text. @param {Node} first @param {number} ply of its first move, from 1 @param {number} depth @returns {string} */
  variation(first, ply, depth) {
    const words = [];
    /** @type {readonly Node[]} */
    let others = [];
    for (let [node, at] = [/** @type {Node | undefined} */ (first), ply]; node && this.moves < MOST_MOVES; node = node.children[0], at++) {
      this.moves++;
      words.push(this.moveText(node, at - 1, at === ply), plainComment(node.comment));
      if (depth < DEEPEST) for (const other of others) words.push(`(${this.variation(other, at, depth + 1)})`);
      others = node.children.slice(1);
    }
    return words.filter(Boolean).join(' ');
  }

  /** @param {Node} node @param {number} at @param {boolean} fresh */
  moveText(node, at, fresh) {
    const ply = at + this.offset;
    const number = ply % 2 === 0 ? `${ply / 2 + 1}. ` : fresh ? `${(ply + 1) / 2}… ` : '';
    return number + (node.text || node.move) + glyphText(node);
  }

  /** @param {Path} path */
  diagram(path) {
    if (this.count++ >= MOST_DIAGRAMS) return;
    const { app } = this;
    const { session } = app;
    const node = nodeAt(session.root, path);
    const position = after(app.game, session.start, movesTo(session.root, path));
    const shapes = shapesOf(node.comment).map(({ from, to, colour }) => ({ from, to, kind: COLOURS[colour], weight: 0.5 }));
    const board = boardOf(app, position, pointsOf(node.move), shapes);
    const name = path.length > 0 ? this.moveText(node, path.length - 1, true) : t('the start');
    this.sheet.append(el('figure', { class: `board board-${app.game}` }, board.svg, el('figcaption', {}, name)));
  }
}
