// The board of gomoku.

import { svg } from './dom.js';
import { t } from './i18n.js';
import { MAN_NAMES } from './pieces.js';
import { CELL, MARGIN, PointBoard } from './points.js';
import { grain } from './board.js';

/** @typedef {import('./fen.js').Position} Position */

/** Directions of rows on the board: along, down and both slopes. @type {readonly [number, number][]} */
const DIRECTIONS = [[1, 0], [0, 1], [1, 1], [1, -1]];

/** Returns the longest row of stones of one colour through a point, if it has five or more. @param {ReadonlyMap<string, string>} men @param {string} point */
export function rowThrough(men, point) {
  const [column, line] = [point.charCodeAt(0), Number(point.slice(1))];
  const man = men.get(point);
  /** @param {[number, number]} direction @param {number} step @returns {string[]} */
  const going = ([dx, dy], step) => {
    const found = [];
    for (let at = step; ; at += step) {
      const next = String.fromCharCode(column + dx * at) + (line + dy * at);
      if (!man || men.get(next) !== man) return found;
      found.push(next);
    }
  };
  const rows = DIRECTIONS.map((direction) => [...going(direction, -1).reverse(), point, ...going(direction, 1)]);
  return rows.filter(({ length }) => length >= 5).sort((a, b) => b.length - a.length)[0] ?? [];
}

/** The board with its stones. */
export class GomokuBoard extends PointBoard {
  /** @param {number} columns @param {number} rows @param {import('./points.js').BoardEvents} events */
  constructor(columns, rows, events) {
    super('gomoku', columns, rows, events);
    /** @type {Map<string, number>} */
    this.numbers = new Map();
    /** @type {ReadonlyMap<string, string>} */
    this.forbidden = new Map();
    this.layers.ground.append(...this.ground());
    this.drawLabels();
  }

  /** @override @param {boolean} flipped */
  setFlipped(flipped) {
    if (this.flipped === flipped) return;
    super.setFlipped(flipped);
    this.drawLabels();
    if (this.position) this.setPosition(this.position, this.last ?? [], null);
    this.drawForbidden();
    this.drawArrows();
  }

  /** Shows a position. @param {Position} position @param {readonly string[]} last @param {string | null} _check */
  setPosition(position, last, _check) {
    this.position = position;
    this.last = last;
    const stones = [...position.men].map(([point, man]) => this.stone(point, man));
    this.layers.men.replaceChildren(...stones);
    this.namePoints();
  }

  /** @param {string} point @param {string} man */
  stone(point, man) {
    const [x, y] = this.place(point);
    const shape = svg('g', { class: `stone ${this.position?.men.has(point) ? '' : 'stone-next '}${man === 'x' ? 'stone-black' : 'stone-white'}`, transform: `translate(${x} ${y})` },
      svg('circle', { cy: 4, r: 45, class: 'man-shadow' }), svg('circle', { r: 44, class: 'stone-face' }));
    const number = this.numbers.get(point);
    if (number) shape.append(svg('text', { dy: '.36em' }, number));
    else if (this.last?.includes(point)) shape.append(svg('circle', { r: 13, class: 'stone-last' }));
    if (number && this.last?.includes(point)) shape.append(svg('circle', { r: 44, class: 'stone-last-ring' }));
    return shape;
  }

  /** Numbers the stones in the order they were played. @param {Map<string, number>} numbers */
  setNumbers(numbers) {
    this.numbers = numbers;
  }

  /** Draws the stones that a proof goes on with. @param {readonly string[]} moves @param {number} before how many of its stones are on the board @param {string} turn */
  setNext(moves, before, turn) {
    moves.forEach((move, at) => this.numbers.set(move, before + at + 1));
    this.layers.under.replaceChildren(...moves.map((move, at) => this.stone(move, (turn === 'x') === (at % 2 === 0) ? 'x' : 'o')));
  }

  /** Marks the stones in a row that won by the last one. @param {string} last its point, or nothing */
  setFive(last) {
    const row = last && this.position ? rowThrough(this.position.men, last) : [];
    const [first, end] = [row[0], row.at(-1)];
    if (!first || !end) { this.layers.last.replaceChildren(); return; }
    const [[x1, y1], [x2, y2]] = [this.place(first), this.place(end)];
    this.layers.last.replaceChildren(...row.map((point) => {
      const [cx, cy] = this.place(point);
      return svg('circle', { cx, cy, r: 50, class: 'five', 'data-point': point });
    }), svg('path', { d: `M${x1} ${y1}L${x2} ${y2}`, class: 'five' }));
  }

  /** Names the points that may be played. @param {readonly string[]} moves */
  setLegal(moves) {
    this.targets = new Map(moves.map((move) => [move, [move]]));
    this.element.classList.toggle('movable', moves.length > 0);
    this.namePoints();
  }

  /** Marks the points that are forbidden, with the reasons. @param {ReadonlyMap<string, string>} forbidden */
  setForbidden(forbidden) {
    this.forbidden = forbidden;
    this.drawForbidden();
    this.namePoints();
  }

  drawForbidden() {
    this.layers.hints.replaceChildren(...[...this.forbidden].map(([point, reason]) => {
      const [x, y] = this.place(point);
      return svg('g', { class: 'forbidden', 'data-point': point }, svg('title', {}, reason),
        svg('path', { d: `M${x - 18} ${y - 18}l36 36M${x + 18} ${y - 18}l-36 36` }));
    }));
  }

  /** @override @param {string} point */
  pressPoint(point) {
    if (!this.editing) this.selected = point;
  }

  /** @override @param {PointerEvent} event */
  release(event) {
    const grip = this.grip;
    if (!grip || grip.right || this.editing) { super.release(event); return; }
    this.letGo();
    this.selected = null;
    const point = this.pointAt(event);
    if (point === grip.from) this.choose(point);
  }

  /** @override @param {string} point */
  choose(point) {
    if (this.editing) this.events.point(point);
    else if (this.targets.has(point)) this.events.move(point, point);
    else if (this.targets.size > 0) this.events.illegal(point, point);
  }

  /** @override @param {string} point */
  nameOf(point) {
    const man = this.position?.men.get(point);
    const reason = this.forbidden.get(point);
    if (reason) return t('{point}: forbidden, {reason}', { point, reason });
    return t('{point}: {man}', { point, man: man ? t(MAN_NAMES[man] ?? man) : t('empty') });
  }

  drawLabels() {
    const texts = [];
    const [, height] = [this.columns * CELL + 2 * MARGIN, this.rows * CELL + 2 * MARGIN];
    for (let column = 0; column < this.columns; column++) {
      texts.push(svg('text', { x: MARGIN + CELL * (column + 0.5), y: height - MARGIN * 0.6, dy: '.36em' },
        this.pointAtPlace(column, 0)[0]));
    }
    for (let row = 0; row < this.rows; row++) {
      texts.push(svg('text', { x: MARGIN * 0.75, y: MARGIN + CELL * (row + 0.5), dy: '.36em' },
        this.pointAtPlace(0, row).slice(1)));
    }
    this.layers.labels.replaceChildren(...texts);
  }

  ground() {
    const [width, height] = [this.columns * CELL + 2 * MARGIN, this.rows * CELL + 2 * MARGIN];
    const [x0, y0, x1, y1] = [MARGIN + 50, MARGIN + 50, width - MARGIN - 50, height - MARGIN - 50];
    let d = '';
    for (let column = 0; column < this.columns; column++) d += `M${x0 + CELL * column} ${y0}V${y1}`;
    for (let row = 0; row < this.rows; row++) d += `M${x0} ${y0 + CELL * row}H${x1}`;
    return [
      svg('g', { class: 'wood' }, svg('rect', { width, height, rx: 14, class: 'plank' }),
        svg('path', { d: grain(width, height), class: 'grain' })),
      svg('path', { d, class: 'lines' }), ...this.stars(x0, y0),
    ];
  }

  /** @param {number} x0 @param {number} y0 */
  stars(x0, y0) {
    if (this.columns !== 15 || this.rows !== 15) return [];
    return [[3, 3], [11, 3], [3, 11], [11, 11], [7, 7]].map(([column, row]) =>
      svg('circle', { cx: x0 + CELL * (column ?? 0), cy: y0 + CELL * (row ?? 0), r: 9, class: 'star' }));
  }
}
