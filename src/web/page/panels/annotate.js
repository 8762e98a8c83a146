// The menu of annotations of a move: glyphs, colours to draw with, and what is known of the game.

import { COLOURS, GLYPH_NAMES, toggleGlyph } from '../annotations.js';
import { button, el, row } from '../dom.js';
import { t } from '../i18n.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {import('../annotations.js').Colour} Colour */

/** @type {readonly [Colour, string][]} */
const COLOUR_NAMES = [['G', 'green'], ['R', 'red'], ['B', 'blue'], ['Y', 'yellow']];

/** Returns the menu, closed. @param {App} app */
export function annotationMenu(app) {
  const menu = el('details', { class: 'annotate' });
  const body = el('div', { class: 'annotate-body' });
  menu.append(el('summary', { title: t('Annotate: glyphs, arrows, game information'), 'aria-label': t('Annotate') }, '!?'), body);
  const draw = () => { if (menu.open) body.replaceChildren(...content(app)); };
  menu.addEventListener('toggle', draw);
  menu.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    menu.open = false;
    menu.querySelector('summary')?.focus();
  });
  app.on(['tree', 'style'], () => { if (!menu.contains(document.activeElement)) draw(); else mark(app, body); });
  return menu;
}

/** @param {App} app @returns {HTMLElement[]} */
function content(app) {
  const glyphs = GLYPH_NAMES.map(([glyph, text, name]) => button(text, () => annotate(app, glyph), { class: 'small', 'data-glyph': glyph, title: t(name), 'aria-label': t(name) }));
  const colours = COLOUR_NAMES.map(([colour, name]) => button('', () => choose(app, colour),
    { class: `small brush ${COLOURS[colour]}`, 'data-brush': colour, title: t('Draw in {colour} with a finger or the left button', { colour: t(name) }), 'aria-label': t('Draw in {colour}', { colour: t(name) }) }));
  const tags = button(t('Game information'), () => void import('../tags.js').then(({ showTags }) => showTags(app)), { class: 'small' });
  const rows = [row(...glyphs.slice(0, 6)), row(...glyphs.slice(6)), row(el('span', { class: 'quiet' }, t('Draw with')), ...colours), row(tags)];
  rows.forEach((line) => mark(app, line));
  return rows;
}

/** Shows which glyphs the move has and which colour draws. @param {App} app @param {HTMLElement} box */
function mark(app, box) {
  const { glyphs = [] } = app.session.here;
  for (const made of box.querySelectorAll('[data-glyph]')) {
    made.setAttribute('aria-pressed', String(glyphs.includes(Number(made.getAttribute('data-glyph')))));
    made.toggleAttribute('disabled', app.session.path.length === 0);
  }
  for (const made of box.querySelectorAll('[data-brush]')) made.setAttribute('aria-pressed', String(app.brush === made.getAttribute('data-brush')));
}

/** @param {App} app @param {number} glyph */
function annotate(app, glyph) {
  if (app.session.path.length > 0) app.annotate({ glyphs: toggleGlyph(app.session.here.glyphs, glyph) });
}

/** @param {App} app @param {Colour} colour */
function choose(app, colour) {
  app.brush = app.brush === colour ? '' : colour;
  app.emit('style');
}
