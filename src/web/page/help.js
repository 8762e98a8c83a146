// The overlay with the keys, and the menu of styles.

import { button, checkbox, dialog, el, quiet, row, select } from './dom.js';
import { t } from './i18n.js';
import { PIECE_SETS } from './pieces.js';

/** @typedef {import('./app.js').App} App */

/** @type {[string, string][]} */
const KEYS = [
  ['← →', 'previous move, next move'], ['↑ ↓', 'the variation above, below'], ['Home End', 'to the start, to the end'],
  ['f', 'flip board'], ['e', 'engine on or off'], ['b', 'book'], ['t', 'table; in gomoku the proof'], ['v', 'values of the pieces'], ['p', 'play'], ['m', 'sound on or off'],
  ['s', 'study: leave the game here, come back'], ['u r', 'undo, redo'], ['n', 'new game'], ['g', 'games on the board'], ['Space', 'play the best move'],
  ['/', 'type a move in any notation'], ['Del', 'delete from here on'], ['?', 'this help'],
];

/** Opens a dialog that only closes. @param {string} title @param {...HTMLElement} children */
function leaflet(title, ...children) {
  const box = dialog(title, ...children, row(button(t('Close'), () => box.close(), { class: 'primary' })));
}

/** Shows the keys. @param {App} app */
export function showHelp(app) {
  const rows = KEYS.map(([keys, what]) => el('div', {}, el('dt', {}, ...keys.split(' ').flatMap((key) => [el('kbd', {}, key), ' '])), el('dd', {}, t(what))));
  leaflet(t('Keys'), el('dl', { class: 'keys' }, ...rows),
    el('p', {}, t('Drag a piece or click it and then a point. The right button draws arrows and circles, in red with Shift, in blue with Alt, in yellow with both; they are kept with the move. Drop a file anywhere, paste a FEN or a game with Ctrl+V.')),
    quiet(t('With Tab the board itself takes the keyboard: arrows go from point to point, Enter chooses.')),
    quiet(`juzhong ${app.meta.version}. `, t('The characters of the pieces are outlines of Noto Serif CJK by Adobe, under the SIL Open Font License.')));
}

/** Shows the choice of styles. @param {App} app */
export function showStyles(app) {
  const { settings } = app;
  /** @param {string} label @param {HTMLElement} choice */
  const field = (label, choice) => el('label', { class: 'field' }, el('span', {}, label), choice);
  /** @param {string} key */
  const set = (key) => (/** @type {string} */ value) => app.change({ [key]: value });
  leaflet(t('Style'),
    el('div', { class: 'styles' },
      field(t('Board'), select([['wood', t('wood')], ['paper', t('paper')], ['slate', t('slate')], ['dark', t('dark')]], settings.theme, set('theme'), { name: 'theme' })),
      field(t('Pieces'), select(PIECE_SETS.map((name) => /** @type {[string, string]} */ ([name, t(name)])), settings.set, set('set'), { name: 'set' })),
      field(t('Coordinates'), select([['', t('by the language')], ['western', 'a–i, 0–9'], ['chinese', '一–九, 1–9'], ['none', t('none')]], settings.coordinates, set('coordinates'), { name: 'coordinates' })),
      field(t('Light or dark'), select([['auto', t('as the system')], ['light', t('light')], ['dark', t('dark')]], settings.scheme, set('scheme'), { name: 'scheme' }))),
    el('div', { class: 'stack' },
      checkbox(t('arrows of book, table and engine'), settings.arrows, (arrows) => app.change({ arrows })),
      checkbox(t('numbers on the stones of gomoku'), settings.numbers, (numbers) => app.change({ numbers })),
      checkbox(t('sound of moves'), settings.sound, (sound) => app.change({ sound }))));
}
