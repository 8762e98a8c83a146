// A small board beside what the mouse is on, which shows where a line leads.

import { XiangqiBoard } from '../board.js';
import { el } from '../dom.js';
import { GomokuBoard } from '../gomoku.js';

/** @typedef {import('../app.js').App} App */

const WIDTH = 220;
const NOTHING = () => {};

/** Shows a position beside an element. @param {App} app @param {HTMLElement} at @param {{position: import('../fen.js').Position, last: readonly string[]}} what */
export function showPreview(app, at, { position, last }) {
  if (!at.isConnected) return;
  document.querySelector('.preview')?.remove();
  const events = { move: NOTHING, illegal: NOTHING, point: NOTHING, drop: NOTHING };
  const board = app.game === 'gomoku' ? new GomokuBoard(position.columns, position.rows, events) : new XiangqiBoard(events);
  if (board instanceof XiangqiBoard) board.setStyle(app.settings.set, 'none');
  board.setFlipped(app.settings.flipped);
  board.setPosition(position, last, null);
  board.grid.remove();
  const box = el('div', { class: 'preview', 'aria-hidden': 'true' }, board.element);
  box.style.width = `${WIDTH}px`;
  document.body.append(box);
  const { left, top, bottom } = at.getBoundingClientRect();
  const tall = box.offsetHeight;
  const x = Math.max(8, Math.min(left, window.innerWidth - WIDTH - 16));
  const y = bottom + tall + 12 < window.innerHeight ? bottom + 6 : Math.max(8, top - tall - 6);
  Object.assign(box.style, { left: `${x}px`, top: `${y}px` });
}
