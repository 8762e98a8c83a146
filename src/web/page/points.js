// A board of points: what the boards of both games share. It draws arrows and marks, follows
// mouse, pen, touch and keyboard, and names every point for screen readers.

import { colourOf } from './annotations.js';
import { el, svg } from './dom.js';
import { pointName, pointPlace } from './fen.js';

/** @typedef {import('./fen.js').GameName} GameName */
/** @typedef {import('./fen.js').Position} Position */


/**
 * An arrow from point to point, or a ring where both are the same.
 * @typedef {object} Arrow
 * @property {string} from
 * @property {string} to
 * @property {string} kind `engine`, `book`, `table`, `hint`, `loop` or `user`
 * @property {number} [weight] 0 to 1, the thickness
 * @property {string} [label] a short text at the end
 * @property {boolean} [faint] whether it is drawn behind better ones
 */

/**
 * What a board tells its owner.
 * @typedef {object} BoardEvents
 * @property {(from: string, to: string) => void} move
 * @property {(from: string, to: string) => void} illegal
 * @property {(point: string) => void} point a point was chosen while editing
 * @property {(from: string, to: string | null) => void} drop a man was carried while editing, perhaps off the board
 * @property {(shape: import('./annotations.js').Shape) => void} [draw] an arrow or a circle was drawn
 * @property {() => void} [erase] a press on a point where nothing is to be done
 * @property {() => import('./annotations.js').Colour | ''} [brush] the colour that the main button draws with; empty: it moves men
 */

export const CELL = 100;
export const MARGIN = 36;

/** The surface of a board, without lines and men. */
export class PointBoard {
  /** @param {GameName} game @param {number} columns @param {number} rows @param {BoardEvents} events */
  constructor(game, columns, rows, events) {
    this.game = game;
    this.columns = columns;
    this.rows = rows;
    this.events = events;
    this.flipped = false;
    this.editing = false;
    /** @type {Position | null} */
    this.position = null;
    /** @type {Map<string, string[]>} */
    this.targets = new Map();
    /** @type {string | null} */
    this.selected = null;
    /** @type {readonly Arrow[]} */
    this.arrows = [];
    /** @type {{id: number, from: string, right: boolean, moved: boolean, was: boolean, x: number, y: number, colour: import('./annotations.js').Colour} | null} */
    this.grip = null;
    const width = columns * CELL + 2 * MARGIN;
    const height = rows * CELL + 2 * MARGIN;
    this.layers = {
      ground: svg('g', { class: 'ground' }), last: svg('g'), under: svg('g'), men: svg('g'),
      hints: svg('g'), arrows: svg('g'), marks: svg('g'), labels: svg('g', { class: 'labels' }),
    };
    this.svg = svg('svg', { viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' },
      ...Object.values(this.layers));
    this.grid = el('div', { class: `points points-${game}`, role: 'group' });
    this.grid.style.setProperty('--columns', String(columns));
    this.grid.style.setProperty('--rows', String(rows));
    this.grid.style.setProperty('--across', `${(MARGIN / width) * 100}%`);
    this.grid.style.setProperty('--down', `${(MARGIN / height) * 100}%`);
    this.element = el('div', { class: `board board-${game}` }, this.svg, this.grid);
    this.element.style.setProperty('--shape', `${width} / ${height}`);
    this.element.style.setProperty('--wide', String(width / height));
    this.buildPoints();
    this.listen();
  }

  /** Returns the middle of a point in units of the drawing. @param {string} point @returns {[number, number]} */
  place(point) {
    const [column, row] = pointPlace(this.game, point, this.rows);
    const [c, r] = this.flipped ? [this.columns - 1 - column, this.rows - 1 - row] : [column, row];
    return [MARGIN + CELL * (c + 0.5), MARGIN + CELL * (r + 0.5)];
  }

  /** Returns the name of the point at a column and a row as seen. @param {number} column @param {number} row */
  pointAtPlace(column, row) {
    return this.flipped
      ? pointName(this.game, this.columns - 1 - column, this.rows - 1 - row, this.rows)
      : pointName(this.game, column, row, this.rows);
  }

  /** Returns whether a text names a point of this board. @param {string} point */
  has(point) {
    const [column, row] = pointPlace(this.game, point, this.rows);
    return column >= 0 && column < this.columns && row >= 0 && row < this.rows;
  }

  /** Returns the point under a place on the screen, or null. @param {{clientX: number, clientY: number}} at */
  pointAt(at) {
    const box = this.grid.getBoundingClientRect();
    const column = Math.floor(((at.clientX - box.left) / box.width) * this.columns);
    const row = Math.floor(((at.clientY - box.top) / box.height) * this.rows);
    const inside = column >= 0 && row >= 0 && column < this.columns && row < this.rows;
    return inside ? this.pointAtPlace(column, row) : null;
  }

  /** Returns a place on the screen in units of the drawing. @param {{clientX: number, clientY: number}} at @returns {[number, number]} */
  unitsAt(at) {
    const box = this.svg.getBoundingClientRect();
    const scale = (this.columns * CELL + 2 * MARGIN) / box.width;
    return [(at.clientX - box.left) * scale, (at.clientY - box.top) * scale];
  }

  /** Makes a button for each point, in reading order. */
  buildPoints() {
    /** @type {HTMLButtonElement[]} */
    this.buttons = [];
    for (let at = 0; at < this.columns * this.rows; at++) {
      this.buttons.push(el('button', { type: 'button', tabindex: at === 0 ? 0 : -1,
        onclick: () => this.choose(this.pointOfButton(at)),
        onkeydown: (/** @type {KeyboardEvent} */ event) => this.moveFocus(event, at) }));
    }
    this.grid.append(...this.buttons);
  }

  /** @param {number} at */
  pointOfButton(at) {
    return this.pointAtPlace(at % this.columns, Math.floor(at / this.columns));
  }

  /** Moves the focus from point to point. @param {KeyboardEvent} event @param {number} at */
  moveFocus(event, at) {
    const column = at % this.columns;
    const row = Math.floor(at / this.columns);
    /** @type {Record<string, [number, number]>} */
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const step = steps[event.key];
    if (event.key === 'Escape') this.select(null);
    if (event.key === ' ' || event.key === 'Enter') event.stopPropagation();
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const [c, r] = [column + step[0], row + step[1]];
    if (c < 0 || r < 0 || c >= this.columns || r >= this.rows) return;
    const next = this.buttons?.[r * this.columns + c];
    this.buttons?.[at]?.setAttribute('tabindex', '-1');
    next?.setAttribute('tabindex', '0');
    next?.focus();
  }

  /** Names every point for screen readers. */
  namePoints() {
    this.buttons?.forEach((button_, at) => {
      const point = this.pointOfButton(at);
      const name = this.nameOf(point);
      if (button_.getAttribute('aria-label') !== name) button_.setAttribute('aria-label', name);
      button_.setAttribute('data-point', point);
      button_.toggleAttribute('data-target', this.isTarget(point));
    });
  }

  /** @param {string} point */
  nameOf(point) {
    return point;
  }

  /** @param {string} point */
  isTarget(point) {
    return this.selected !== null && (this.targets.get(this.selected) ?? []).includes(point);
  }

  listen() {
    const board = this.element;
    board.addEventListener('pointerdown', (event) => this.press(event));
    board.addEventListener('pointermove', (event) => this.carry(event));
    board.addEventListener('pointerup', (event) => this.release(event));
    board.addEventListener('pointercancel', () => this.cancel());
    board.addEventListener('contextmenu', (event) => event.preventDefault());
  }

  /** @param {PointerEvent} event */
  press(event) {
    const point = this.pointAt(event);
    if (!point || (event.button !== 0 && event.button !== 2)) return;
    event.preventDefault();
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    const brush = this.editing ? '' : this.events.brush?.() ?? '';
    const right = event.button === 2 || brush !== '';
    this.grip = { id: event.pointerId, from: point, right, moved: false,
      was: this.selected === point, x: event.clientX, y: event.clientY, colour: brush || colourOf(event) };
    this.element.setPointerCapture(event.pointerId);
    if (right) return;
    if (this.isIdle(point)) this.events.erase?.();
    this.pressPoint(point);
  }

  /** Returns whether a press on a point does nothing else. @param {string} point */
  isIdle(point) {
    return !this.editing && !this.selected && !this.canLift(point) && !this.position?.men.has(point);
  }

  /** Acts on a press of the main button. @param {string} point */
  pressPoint(point) {
    if (this.editing) return;
    if (this.isTarget(point)) this.finish(point);
    else if (this.canLift(point)) this.select(point);
  }

  /** @param {PointerEvent} event */
  carry(event) {
    const grip = this.grip;
    if (!grip || grip.id !== event.pointerId) return;
    if (Math.hypot(event.clientX - grip.x, event.clientY - grip.y) > 5) grip.moved = true;
    if (!grip.moved || grip.right) return;
    if (this.canLift(grip.from)) this.liftTo(grip.from, this.unitsAt(event), this.pointAt(event));
  }

  /** @param {PointerEvent} event */
  release(event) {
    const grip = this.grip;
    if (!grip || grip.id !== event.pointerId) return;
    this.grip = null;
    const point = this.pointAt(event);
    if (grip.right && this.editing) this.events.drop(grip.from, null);
    else if (grip.right) { if (point) this.events.draw?.({ from: grip.from, to: point, colour: grip.colour }); }
    else if (this.editing) this.releaseEditing(grip, point);
    else if (grip.moved) this.releaseCarried(grip.from, point);
    else if (grip.was || (this.selected && this.selected !== grip.from)) this.releaseTap(grip.from, grip.was);
  }

  /** @param {{from: string, moved: boolean}} grip @param {string | null} point */
  releaseEditing(grip, point) {
    this.settle(grip.from);
    if (grip.moved && this.canLift(grip.from)) this.events.drop(grip.from, point);
    else this.events.point(grip.from);
  }

  /** Ends a drag. @param {string} from @param {string | null} point */
  releaseCarried(from, point) {
    if (!this.canLift(from)) return;
    if (point && this.isTarget(point)) {
      this.finish(point);
      return;
    }
    this.settle(from);
    this.select(null);
    if (point && point !== from) this.events.illegal(from, point);
  }

  /** Ends a tap on a point that is no target. @param {string} point @param {boolean} was */
  releaseTap(point, was) {
    const from = this.selected;
    this.select(null);
    if (from && !was && from !== point) this.events.illegal(from, point);
  }

  letGo() {
    this.grip = null;
  }

  cancel() {
    if (this.grip) this.settle(this.grip.from);
    this.grip = null;
  }

  /** Acts on a point chosen by keyboard or by a screen reader. @param {string} point */
  choose(point) {
    if (this.editing) this.events.point(point);
    else if (this.isTarget(point)) this.finish(point);
    else if (this.selected === point) this.select(null);
    else if (this.canLift(point)) this.select(point);
    else if (this.selected) this.releaseTap(point, false);
  }

  /** Plays the selected man to a point. @param {string} point */
  finish(point) {
    const from = this.selected;
    this.select(null);
    if (from) this.events.move(from, point);
  }

  /** @param {string} point */
  canLift(point) {
    return this.editing ? this.position?.men.has(point) === true : this.targets.has(point);
  }

  /** @param {string | null} point */
  select(point) {
    this.selected = point;
    this.drawHints();
    this.namePoints();
  }

  drawHints() {}

  /** @param {string} _from @param {[number, number]} _at @param {string | null} _over */
  liftTo(_from, _at, _over) {}

  /** @param {string} _from */
  settle(_from) {}

  /** @param {readonly Arrow[]} arrows */
  setArrows(arrows) {
    this.arrows = arrows;
    this.drawArrows();
  }

  drawArrows() {
    const drawn = this.arrows.map((arrow) => this.arrowShape(arrow));
    this.layers.arrows.replaceChildren(...drawn);
  }

  /** @param {Arrow} arrow */
  arrowShape(arrow) {
    const [x1, y1] = this.place(arrow.from);
    const [x2, y2] = this.place(arrow.to);
    const group = svg('g', { class: `arrow arrow-${arrow.kind}${arrow.faint ? ' arrow-faint' : ''}`, 'data-from': arrow.from, 'data-to': arrow.to });
    const width = 8 + 14 * (arrow.weight ?? 0.5);
    if (arrow.from === arrow.to) group.append(svg('circle', { cx: x1, cy: y1, r: 42, 'stroke-width': width * 0.6 }));
    else group.append(svg('path', { d: arrowPath(x1, y1, x2, y2, width) }));
    if (arrow.label) {
      const [x, y] = beside(x1, y1, x2, y2);
      group.append(svg('circle', { cx: x, cy: y, r: 19, class: 'arrow-number' }), svg('text', { x, y, dy: '.36em' }, arrow.label));
    }
    return group;
  }

  /** Draws a short text in a box at some points. @param {ReadonlyMap<string, string>} marks */
  setMarks(marks) {
    const drawn = [...marks].map(([point, text]) => {
      const [x, y] = this.place(point);
      const tall = this.game === 'gomoku' ? 40 : 30;
      const wide = tall * (0.3 + 0.54 * text.length);
      const top = this.position?.men.has(point) ? y + 24 : y - tall / 2;
      return svg('g', { class: 'mark' },
        svg('rect', { x: x - wide / 2, y: top, width: wide, height: tall, rx: 8 }),
        svg('text', { x, y: top + tall / 2, dy: '.36em', 'font-size': tall * 0.85 }, text));
    });
    this.layers.marks.replaceChildren(...drawn);
  }

  /** Turns the board around. @param {boolean} flipped */
  setFlipped(flipped) {
    this.flipped = flipped;
  }
}

/**
 * Returns the outline of an arrow that stops short of the man it points at.
 * @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 @param {number} width
 */
function arrowPath(x1, y1, x2, y2, width) {
  const length = Math.hypot(x2 - x1, y2 - y1);
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const head = 20 + width * 1.3;
  const stop = length - 12;
  /** @param {number} along @param {number} side */
  const at = (along, side) => `${round(x1 + ux * along - uy * side)} ${round(y1 + uy * along + ux * side)}`;
  const half = width / 2;
  const wing = half + 6 + width * 0.5;
  return `M${at(30, half)}L${at(stop - head, half)}L${at(stop - head, wing)}L${at(stop, 0)}` +
    `L${at(stop - head, -wing)}L${at(stop - head, -half)}L${at(30, -half)}z`;
}

/**
 * Returns a place to the left of an arrow, for its number.
 * @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 @returns {[number, number]}
 */
function beside(x1, y1, x2, y2) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  return [(x1 + x2) / 2 + (34 * (y2 - y1)) / length, (y1 + y2) / 2 - (34 * (x2 - x1)) / length];
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 10) / 10;
}
