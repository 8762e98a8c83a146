// Pictures of a board: SVG and PNG of a position, and the game as an SVG that moves. Loaded when one is asked for.

import { XiangqiBoard } from './board.js';
import { el, svg } from './dom.js';
import { after, pointsOf } from './fen.js';
import { GomokuBoard } from './gomoku.js';
import { currentLanguage } from './i18n.js';
import { movesTo } from './tree.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./points.js').Arrow} Arrow */
/** @typedef {XiangqiBoard | GomokuBoard} AnyBoard */

/** What style sheets say of drawings, as attributes of SVG. */
const STYLES = ['fill', 'fill-opacity', 'fill-rule', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-dasharray', 'stroke-linecap', 'stroke-linejoin',
  'opacity', 'stop-color', 'font-family', 'font-size', 'font-weight', 'text-anchor'];
/** Plies of a moving picture at most. */
export const MOST_PLIES = 600;
/** Seconds of a ply. */
const PACE = 1.2;
/** The part of a ply in which a man glides. */
const GLIDE = 0.25;

/** @type {import('./points.js').BoardEvents} */
const NOTHING = { move: () => {}, illegal: () => {}, point: () => {}, drop: () => {} };

/**
 * Draws a position on a board of its own.
 * @param {App} app @param {import('./fen.js').Position} position @param {readonly string[]} last @param {readonly Arrow[]} arrows @returns {AnyBoard}
 */
export function boardOf(app, position, last, arrows) {
  const { settings, game } = app;
  const board = game === 'gomoku' ? new GomokuBoard(position.columns, position.rows, NOTHING) : new XiangqiBoard(NOTHING);
  if (board instanceof XiangqiBoard) board.setStyle(settings.set, settings.coordinates || (currentLanguage() === 'zh' ? 'chinese' : 'western'));
  board.setFlipped(settings.flipped);
  board.setPosition(position, last, null);
  board.setArrows(arrows.filter(({ from, to }) => board.has(from) && board.has(to)));
  return board;
}

/**
 * Draws a position and hands the board over while it stands in the page, where styles count.
 * @template T
 * @param {App} app @param {import('./fen.js').Position} position @param {readonly string[]} last @param {readonly Arrow[]} arrows
 * @param {(board: AnyBoard) => T} take @returns {T}
 */
function onBoard(app, position, last, arrows, take) {
  const board = boardOf(app, position, last, arrows);
  const stage = el('div', { class: 'stage', 'aria-hidden': 'true' }, board.element);
  document.body.append(stage);
  try {
    return take(board);
  } finally {
    stage.remove();
  }
}

/** Returns a drawing that looks the same without style sheets. @param {SVGElement} drawing */
function standalone(drawing) {
  const copy = /** @type {SVGElement} */ (drawing.cloneNode(true));
  const copies = [copy, ...copy.querySelectorAll('*')];
  [drawing, ...drawing.querySelectorAll('*')].forEach((element, at) => settle(element, /** @type {Element} */ (copies[at])));
  for (const name of ['class', 'aria-hidden']) copy.removeAttribute(name);
  copy.setAttribute('font-family', 'system-ui, sans-serif');
  return copy;
}

/** Writes what the styles of an element say into its copy. @param {Element} element @param {Element} copy */
function settle(element, copy) {
  const style = getComputedStyle(element);
  const parent = element.parentElement && getComputedStyle(element.parentElement);
  for (const name of STYLES) {
    const value = style.getPropertyValue(name);
    // What is inherited need not be said again.
    const usual = name === 'opacity' ? '1' : name === 'stop-color' && element.tagName === 'stop' ? '' : parent?.getPropertyValue(name);
    if (value !== usual) copy.setAttribute(name, value.replaceAll('"', "'"));
  }
  const { transform } = /** @type {SVGElement} */ (element).style;
  if (transform) copy.setAttribute('transform', transform.replaceAll('px', '').replace(',', ' '));
  for (const name of ['class', 'style', 'data-point', 'data-from', 'data-to']) if (element !== copy) copy.removeAttribute(name);
}

/** Returns a drawing as a text, with a width and a height. @param {SVGElement} drawing @param {number} [width] in pixels */
function textOf(drawing, width = 720) {
  const [, , wide = 1, tall = 1] = (drawing.getAttribute('viewBox') ?? '').split(' ').map(Number);
  drawing.setAttribute('width', String(width));
  drawing.setAttribute('height', String(Math.round((width * tall) / wide)));
  return new XMLSerializer().serializeToString(drawing);
}

/** Returns the drawing of the position on the board. @param {App} app @returns {SVGElement} */
export function drawingOf(app) {
  const { position, last } = app.session;
  return onBoard(app, position, last, app.shown, (board) => standalone(board.svg));
}

/** Returns the position on the board as SVG. @param {App} app */
export function svgOf(app) {
  return new Blob([textOf(drawingOf(app))], { type: 'image/svg+xml' });
}

/** Returns the position on the board as PNG. @param {App} app @param {number} [width] in pixels @returns {Promise<Blob>} */
export async function pngOf(app, width = 1080) {
  const text = textOf(drawingOf(app), width);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = el('canvas', { width: image.naturalWidth, height: image.naturalHeight });
  canvas.getContext('2d')?.drawImage(image, 0, 0);
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('PNG'))), 'image/png'));
}

/** Returns the line on the board, from the start to its end, as an SVG that moves. @param {App} app @param {import('./tree.js').Path} end */
export function movingOf(app, end) {
  const { session } = app;
  const moves = movesTo(session.root, end).slice(0, MOST_PLIES);
  const start = after(app.game, session.start, []);
  const stays = staysOf(app, moves);
  const drawing = onBoard(app, start, [], [], (board) => {
    board.layers.men.replaceChildren(...stays.map((stay) => manOf(board, stay)));
    const made = standalone(board.svg);
    const men = made.children[[...board.svg.children].indexOf(board.layers.men)];
    stays.forEach((stay, at) => move(board, /** @type {Element} */ (men?.children[at]), stay, moves.length));
    moves.forEach((step, at) => men?.before(frameOf(board, step, at + 1, moves.length)));
    shareMen(made, men);
    return made;
  });
  return new Blob([textOf(drawing, 540)], { type: 'image/svg+xml' });
}

/** A man from its first point to the ply at which it is captured. @typedef {{man: string, points: [number, string][], until: number | null}} Stay */

/** Returns where every man stands at which ply. @param {App} app @param {readonly string[]} moves @returns {Stay[]} */
function staysOf(app, moves) {
  const start = after(app.game, app.session.start, []);
  /** @type {Stay[]} */
  const stays = [...start.men].map(([point, man]) => ({ man, points: [[0, point]], until: null }));
  /** @type {Map<string, Stay>} */
  const here = new Map(stays.map((stay) => [stay.points[0]?.[1] ?? '', stay]));
  const first = start.turn === 'x';
  moves.forEach((move_, at) => {
    const [from = '', to] = pointsOf(move_);
    if (app.game === 'gomoku' || !to) {
      stays.push({ man: first === (at % 2 === 0) ? 'x' : 'o', points: [[at + 1, from]], until: null });
      return;
    }
    const captured = here.get(to);
    if (captured) captured.until = at + 1;
    const mover = here.get(from);
    if (!mover) return;
    mover.points.push([at + 1, to]);
    here.delete(from);
    here.set(to, mover);
  });
  return stays;
}

/** @param {AnyBoard} board @param {Stay} stay */
function manOf(board, { man, points }) {
  return board instanceof GomokuBoard ? board.stone(points[0]?.[1] ?? '', man) : board.makeMan(man);
}

/** Makes a copy of a man move. @param {AnyBoard} board @param {Element} shape @param {Stay} stay @param {number} plies */
function move(board, shape, { points, until }, plies) {
  const [x, y] = board.place(points[0]?.[1] ?? '');
  shape.setAttribute('transform', `translate(${x} ${y})`);
  const all = plies + 1;
  const since = points[0]?.[0] ?? 0;
  if (points.length > 1) shape.append(glide(points.map(([ply, point]) => [ply, board.place(point)]), all));
  if (since > 0 || until !== null) shape.append(shownFrom(since, until === null ? null : until, all));
}

/** Returns the way of a man. @param {[number, [number, number]][]} places @param {number} all */
function glide(places, all) {
  /** @type {string[]} */
  const values = [];
  /** @type {number[]} */
  const times = [];
  places.forEach(([ply, [x, y]], at) => {
    const before = places[at - 1]?.[1];
    if (before) { values.push(`${before[0]} ${before[1]}`); times.push((ply - GLIDE) / all); }
    values.push(`${x} ${y}`);
    times.push(ply / all);
  });
  values.push(values.at(-1) ?? '');
  return svg('animateTransform', { attributeName: 'transform', type: 'translate', values: values.join(';'), keyTimes: keyTimes(times), ...timing(all) });
}

/** Returns when a man or a frame is seen. @param {number} since @param {number | null} until @param {number} all */
function shownFrom(since, until, all) {
  const values = since > 0 ? ['hidden', 'visible'] : ['visible'];
  const times = since > 0 ? [0, since / all] : [0];
  if (until !== null) { values.push('hidden'); times.push(until / all); }
  return svg('animate', { attributeName: 'visibility', calcMode: 'discrete', values: values.join(';'), keyTimes: times.map(time).join(';'), ...timing(all) });
}

/** @param {readonly number[]} times */
function keyTimes(times) {
  return [...times, 1].map(time).join(';');
}

/** @param {number} value */
function time(value) {
  return String(Math.round(value * 100000) / 100000);
}

/** @param {number} all */
function timing(all) {
  return { dur: `${(all * PACE).toFixed(1)}s`, repeatCount: 'indefinite' };
}

/** Returns the frame of a move, seen while it is the last one. @param {AnyBoard} board @param {string} step @param {number} ply @param {number} plies */
function frameOf(board, step, ply, plies) {
  const frame = svg('g', { visibility: 'hidden', fill: 'none', stroke: '#0f5fa8', 'stroke-width': 5 }, ...pointsOf(step).map((point) => {
    const [x, y] = board.place(point);
    return svg('circle', { cx: x, cy: y, r: 47 });
  }));
  frame.append(shownFrom(ply, ply < plies ? ply + 1 : null, plies + 1));
  return frame;
}

/** Draws men that look the same once. @param {SVGElement} drawing @param {Element | undefined} men */
function shareMen(drawing, men) {
  /** @type {Map<string, string>} */
  const known = new Map();
  const shapes = svg('defs');
  for (const man of men?.children ?? []) {
    const parts = [...man.children].filter((part) => !part.tagName.startsWith('animate'));
    const key = parts.map((part) => new XMLSerializer().serializeToString(part)).join('') + (man.getAttribute('opacity') ?? '');
    const id = known.get(key) ?? `man${known.size}`;
    if (!known.has(key)) shapes.append(svg('g', { id }, ...parts));
    else parts.forEach((part) => part.remove());
    known.set(key, id);
    man.prepend(svg('use', { href: `#${id}` }));
  }
  drawing.prepend(shapes);
}
