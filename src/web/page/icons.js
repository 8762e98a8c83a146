// Signs on buttons, drawn so that no font is needed.

import { button, svg } from './dom.js';

/** Paths in a box of 24 units. */
const PATHS = {
  first: 'M6 5v14M19 5l-9 7 9 7z', back: 'M17 5l-10 7 10 7z', next: 'M7 5l10 7-10 7z', last: 'M18 5v14M5 5l9 7-9 7z',
  undo: 'M9 5L4 10l5 5M4 10h10a5 5 0 0 1 0 10h-4', redo: 'M15 5l5 5-5 5M20 10H10a5 5 0 0 0 0 10h4',
  flip: 'M8 4v16M8 4L4 8M8 4l4 4M16 20V4M16 20l-4-4M16 20l4-4', edit: 'M4 20l1-5L16 4l4 4L9 19zM13 7l4 4', plus: 'M12 5v14M5 12h14',
  shade: '', style: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 4.5v5M8 14.5v5',
  up: 'M12 19V5M6 11l6-6 6 6', cut: 'M6 6l12 12M18 6L6 18', stack: 'M8 4h12v12M4 8h12v12H4z',
};

/** @typedef {keyof typeof PATHS} Icon */

/** Signs that are filled, not only outlined. @type {ReadonlySet<string>} */
const FILLED = new Set(['first', 'back', 'next', 'last']);

/**
 * Makes a button with a sign; its label is the name for screen readers and the tip.
 * @param {Icon} icon @param {string} label @param {(event: MouseEvent) => void} onclick @param {import('./dom.js').Attributes} [attributes]
 */
export function iconButton(icon, label, onclick, attributes = {}) {
  const made = button('', onclick, { 'aria-label': label, title: label, ...attributes });
  const path = svg('path', { d: PATHS[icon] });
  if (icon === 'shade') made.append(svg('svg', { viewBox: '0 0 24 24', class: 'icon', 'aria-hidden': 'true' },
    svg('path', { d: 'M12 3a9 9 0 1 0 0 18z', class: 'icon-filled' }), svg('circle', { cx: 12, cy: 12, r: 9 })));
  else made.append(svg('svg', { viewBox: '0 0 24 24', class: FILLED.has(icon) ? 'icon icon-filled' : 'icon', 'aria-hidden': 'true' }, path));
  return made;
}
