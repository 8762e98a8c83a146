// The board of xiangqi.

import { svg } from './dom.js';
import { GLYPHS } from './glyphs.js';
import { t } from './i18n.js';
import { drawing, MAN_NAMES } from './pieces.js';
import { CELL, MARGIN, PointBoard } from './points.js';

/** @typedef {import('./fen.js').Position} Position */
/** @typedef {import('./pieces.js').PieceSet} PieceSet */
/** @typedef {'western' | 'chinese' | 'none'} Coordinates */

const NUMERALS = '一二三四五六七八九';
const WIDE_DIGITS = '１２３４５６７８９';

/** @param {number} column */
const X = (column) => MARGIN + CELL * (column + 0.5);
/** @param {number} row */
const Y = (row) => MARGIN + CELL * (row + 0.5);

/** The board with its men. */
export class XiangqiBoard extends PointBoard {
  /** @param {import('./points.js').BoardEvents} events */
  constructor(events) {
    super('xiangqi', 9, 10, events);
    /** @type {PieceSet} */
    this.set = 'traditional';
    /** @type {Coordinates} */
    this.coordinates = 'western';
    /** @type {Map<string, {man: string, shape: SVGGElement}>} */
    this.shapes = new Map();
    this.svg.prepend(faceGradient());
    this.layers.ground.append(...ground(), river(this.set));
    this.drawLabels();
  }

  /** Chooses pieces and coordinates. @param {PieceSet} set @param {Coordinates} coordinates */
  setStyle(set, coordinates) {
    this.set = set;
    this.coordinates = coordinates;
    this.rebuild();
  }

  /** @override @param {boolean} flipped */
  setFlipped(flipped) {
    if (this.flipped === flipped) return;
    super.setFlipped(flipped);
    this.rebuild();
  }

  /** Draws everything again without animation. */
  rebuild() {
    this.layers.ground.querySelector('.river')?.replaceWith(river(this.set));
    this.layers.men.replaceChildren();
    this.shapes.clear();
    this.drawLabels();
    if (this.position) this.setPosition(this.position, this.lastMove ?? [], this.check ?? null);
    this.drawArrows();
  }

  /**
   * Shows a position: men glide from where they stood.
   * @param {Position} position @param {readonly string[]} last points of the last move
   * @param {string | null} check point of a king in check
   */
  setPosition(position, last, check) {
    this.position = position;
    this.lastMove = last;
    this.check = check;
    this.selected = null;
    this.placeMen(position.men);
    this.drawLast(last);
    this.drawCheck(check);
    this.drawHints();
    this.namePoints();
  }

  /** Names the points that each man may go to. @param {readonly string[]} moves */
  setLegal(moves) {
    this.targets = new Map();
    for (const move of moves) {
      const [from, to] = [move.slice(0, 2), move.slice(2, 4)];
      this.targets.set(from, [...(this.targets.get(from) ?? []), to]);
    }
    if (this.selected && !this.targets.has(this.selected)) this.selected = null;
    this.element.classList.toggle('movable', moves.length > 0);
    this.drawHints();
    this.namePoints();
  }

  /** @override @param {string} point */
  nameOf(point) {
    const man = this.position?.men.get(point);
    const what = man ? t(MAN_NAMES[man] ?? man) : t('empty');
    if (this.selected === point) return t('{point}: {man}, selected', { point, man: what });
    if (this.isTarget(point)) return t('{point}: {man}, can be reached', { point, man: what });
    return t('{point}: {man}', { point, man: what });
  }

  /** @param {Map<string, string>} men */
  placeMen(men) {
    const gone = [...this.shapes].filter(([point, { man }]) => men.get(point) !== man);
    const fresh = [...men].filter(([point, man]) => this.shapes.get(point)?.man !== man);
    for (const [point] of gone) this.shapes.delete(point);
    for (const [point, man] of fresh) {
      const from = gone.findIndex(([, old]) => old.man === man);
      const shape = from >= 0 ? gone.splice(from, 1)[0]?.[1].shape : undefined;
      this.shapes.set(point, { man, shape: shape ?? this.makeMan(man) });
      if (shape) this.layers.men.append(shape);
      this.settle(point);
    }
    for (const [, { shape }] of gone) shape.remove();
  }

  /** @param {string} man */
  makeMan(man) {
    const shape = manShape(this.set, man);
    this.layers.men.append(shape);
    return shape;
  }

  /** @override @param {string} from @param {[number, number]} at @param {string | null} over */
  liftTo(from, at, over) {
    const shape = this.shapes.get(from)?.shape;
    if (!shape) return;
    if (!shape.classList.contains('lifted')) {
      shape.classList.add('lifted');
      this.layers.men.append(shape);
      if (!this.editing) this.select(from);
    }
    shape.style.transform = `translate(${at[0]}px, ${at[1]}px)`;
    this.layers.hints.querySelector('.over')?.classList.remove('over');
    if (over) this.layers.hints.querySelector(`[data-point="${over}"]`)?.classList.add('over');
  }

  /** @override Puts a man back on its point. @param {string} point */
  settle(point) {
    const shape = this.shapes.get(point)?.shape;
    if (!shape) return;
    const [x, y] = this.place(point);
    shape.classList.remove('lifted');
    shape.style.transform = `translate(${x}px, ${y}px)`;
  }

  /** @param {readonly string[]} last */
  drawLast(last) {
    const drawn = last.map((point, at) => {
      const [x, y] = this.place(point);
      const s = 46;
      const c = 18;
      const d = `M${x - s} ${y - s + c}v${-c}h${c}M${x + s - c} ${y - s}h${c}v${c}` +
        `M${x + s} ${y + s - c}v${c}h${-c}M${x - s + c} ${y + s}h${-c}v${-c}`;
      return svg('path', { d, class: at === 0 ? 'last last-from' : 'last', 'data-point': point });
    });
    this.layers.last.replaceChildren(...drawn);
  }

  /** @param {string | null} check */
  drawCheck(check) {
    if (!check) {
      this.layers.under.replaceChildren();
      return;
    }
    const [x, y] = this.place(check);
    this.layers.under.replaceChildren(svg('circle', { cx: x, cy: y, r: 54, class: 'check-halo', 'data-point': check }));
  }

  /** @override */
  drawHints() {
    /** @type {Element[]} */
    const drawn = [];
    if (this.selected) {
      const [x, y] = this.place(this.selected);
      drawn.push(svg('circle', { cx: x, cy: y, r: 47, class: 'chosen' }));
      for (const point of this.targets.get(this.selected) ?? []) drawn.push(this.hint(point));
    }
    this.layers.hints.replaceChildren(...drawn);
  }

  /** @param {string} point */
  hint(point) {
    const [x, y] = this.place(point);
    const taken = this.position?.men.has(point);
    return svg('circle', { cx: x, cy: y, r: taken ? 46 : 14, class: taken ? 'hint-ring' : 'hint-dot', 'data-point': point });
  }

  drawLabels() {
    const texts = this.coordinates === 'none' ? [] :
      this.coordinates === 'western' ? this.westernLabels() : this.chineseLabels();
    this.layers.labels.replaceChildren(...texts);
  }

  westernLabels() {
    const texts = [];
    for (let column = 0; column < 9; column++) {
      const name = this.pointAtPlace(column, 0)[0] ?? '';
      texts.push(label(X(column), MARGIN * 0.62, name), label(X(column), 2 * MARGIN + 1000 - MARGIN * 0.62, name));
    }
    for (let row = 0; row < 10; row++) {
      const name = this.pointAtPlace(0, row).slice(1);
      texts.push(label(MARGIN * 0.6, Y(row), name), label(2 * MARGIN + 900 - MARGIN * 0.6, Y(row), name));
    }
    return texts;
  }

  chineseLabels() {
    const texts = [];
    const [top, bottom] = [MARGIN * 0.62, 2 * MARGIN + 1000 - MARGIN * 0.62];
    for (let column = 0; column < 9; column++) {
      const file = this.flipped ? 8 - column : column;
      texts.push(label(X(column), this.flipped ? bottom : top, WIDE_DIGITS[file] ?? ''));
      texts.push(label(X(column), this.flipped ? top : bottom, NUMERALS[8 - file] ?? ''));
    }
    return texts;
  }
}

/** Returns the drawing of a man around its middle. @param {PieceSet} set @param {string} man */
export function manShape(set, man) {
  const { d, size, box } = drawing(set, man);
  const red = man === man.toUpperCase();
  const shape = svg('g', { class: `man ${red ? 'red' : 'black'} set-${set}` },
    svg('ellipse', { cy: 5, rx: 45, ry: 45, class: 'man-shadow' }),
    svg('circle', { r: 44.5, class: 'man-rim' }),
    svg('circle', { r: 41.5, class: 'man-face' }),
    svg('circle', { r: 36, class: 'man-ring' }));
  if (!red) shape.append(svg('circle', { r: 32.5, class: 'man-ring man-ring-inner' }));
  shape.append(svg('path', { d, class: 'man-glyph', 'fill-rule': set === 'pictograms' ? 'evenodd' : 'nonzero',
    transform: `scale(${size / box}) translate(${-box / 2} ${-box / 2})` }));
  return shape;
}

/** @param {number} x @param {number} y @param {string} text */
function label(x, y, text) {
  return svg('text', { x, y, dy: '.36em' }, text);
}

/** Returns the wood, the lines and the river. */
function ground() {
  const wood = svg('g', { class: 'wood' },
    svg('rect', { width: 900 + 2 * MARGIN, height: 1000 + 2 * MARGIN, rx: 10, class: 'plank' }),
    svg('path', { d: grain(900 + 2 * MARGIN, 1000 + 2 * MARGIN), class: 'grain' }));
  const frame = svg('rect', { x: X(0) - 9, y: Y(0) - 9, width: 818, height: 918, class: 'frame' });
  return [wood, frame, svg('path', { d: lines(), class: 'lines' }), svg('path', { d: crosses(), class: 'crosses' })];
}

/** Returns the light on the faces of the men. */
function faceGradient() {
  return svg('defs', {}, svg('radialGradient', { id: 'face', cx: '42%', cy: '34%', r: '72%' },
    svg('stop', { offset: '0', class: 'face-light' }), svg('stop', { offset: '.7', class: 'face-middle' }), svg('stop', { offset: '1', class: 'face-edge' })));
}

/** Returns wavy lines like those of sawn wood. @param {number} width @param {number} height */
export function grain(width, height) {
  let d = '';
  for (let at = 0; at < 26; at++) {
    const y = (height * (at + 0.5)) / 26 + 9 * Math.sin(at * 2.4);
    const swing = 7 + 6 * Math.sin(at * 1.7);
    d += `M0 ${y.toFixed(0)}C${(width * 0.3).toFixed(0)} ${(y + swing).toFixed(0)} ` +
      `${(width * 0.6).toFixed(0)} ${(y - swing * 1.6).toFixed(0)} ${width} ${(y + swing * 0.7).toFixed(0)}`;
  }
  return d;
}

function lines() {
  let d = '';
  for (let row = 0; row < 10; row++) d += `M${X(0)} ${Y(row)}H${X(8)}`;
  for (let column = 0; column < 9; column++) {
    d += column === 0 || column === 8 ? `M${X(column)} ${Y(0)}V${Y(9)}` :
      `M${X(column)} ${Y(0)}V${Y(4)}M${X(column)} ${Y(5)}V${Y(9)}`;
  }
  for (const top of [0, 7]) {
    d += `M${X(3)} ${Y(top)}L${X(5)} ${Y(top + 2)}M${X(5)} ${Y(top)}L${X(3)} ${Y(top + 2)}`;
  }
  return d;
}

/** Returns the marks at the points of cannons and pawns. */
function crosses() {
  let d = '';
  /** @type {[number, number][]} */
  const points = [[1, 2], [7, 2], [1, 7], [7, 7]];
  for (const column of [0, 2, 4, 6, 8]) points.push([column, 3], [column, 6]);
  for (const [column, row] of points) {
    for (const [sx, sy] of [[-1, -1], [1, -1], [-1, 1], [1, 1]]) {
      if ((column === 0 && sx === -1) || (column === 8 && sx === 1)) continue;
      const [x, y] = [X(column) + 7 * (sx ?? 1), Y(row) + 7 * (sy ?? 1)];
      d += `M${x + 14 * (sx ?? 1)} ${y}H${x}V${y + 14 * (sy ?? 1)}`;
    }
  }
  return d;
}

/** Returns the words of the river, in the characters of the men. @param {PieceSet} set */
function river(set) {
  const words = set === 'simplified' ? '楚河汉界' : '楚河漢界';
  const group = svg('g', { class: 'river' });
  [1.55, 2.75, 5.25, 6.45].forEach((column, at) => {
    group.append(svg('path', { d: GLYPHS[words[at] ?? ''] ?? '',
      transform: `translate(${X(column) - 32} ${Y(4.5) - 32}) scale(.256)` }));
  });
  return group;
}
