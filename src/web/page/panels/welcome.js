// The ways into the page, in place of the moves while there are none: play, analyse, open games.

import { el, quiet, row, select, svg } from '../dom.js';
import { parse, START } from '../fen.js';
import { t } from '../i18n.js';

/** @typedef {import('../app.js').App} App */

/**
 * What the ways in do.
 * @typedef {object} Ways
 * @property {() => void} play
 * @property {() => void} analyse
 * @property {() => void} games
 */

/** Drawings in a box of 24 units. */
const SIGNS = {
  play: 'M12 3a9 9 0 1 0 .1 0zM10 8.5v7l6-3.5z',
  analyse: 'M10.5 4a6.5 6.5 0 1 0 .1 0zM15.5 15.5L21 21M8 10.5h5M10.5 8v5',
  games: 'M4 5h6l2 2.5h8V19H4zM4 10.5h16',
};

/** Returns the ways into the page; they are shown while nothing is on the board but the start, not in lessons. @param {App} app @param {Ways} ways */
export function welcome(app, ways) {
  const making = el('p', { class: 'making', role: 'status' });
  const box = el('div', { class: 'welcome' },
    el('div', { class: 'ways' },
      way('play', t('Play'), t('against the engine, at the level you choose'), ways.play),
      way('analyse', t('Analyse'), t('with the engine, the book and the tables'), ways.analyse),
      way('games', t('Open games'), t('of the library, of files, and recent ones'), ways.games)),
    app.game === 'gomoku' && rules(app), making,
    quiet(t('Or move on the board, type a move, paste a game, drop a file.')));
  const draw = () => {
    document.body.toggleAttribute('data-fresh', isFresh(app) && !app.lesson);
    making.textContent = makingText(app);
    making.hidden = !making.textContent;
  };
  app.on(['tree', 'play', 'editing', 'made', 'lesson'], draw);
  draw();
  return box;
}

/** Returns whether nothing but a start is on the board. @param {App} app */
function isFresh({ session }) {
  const empty = session.root.children.length === 0 && !session.root.comment && !session.opened && session.live === null;
  const start = session.game === 'gomoku' ? parse('gomoku', session.start)?.men.size === 0 : session.start === START.xiangqi;
  return empty && start;
}

/** @param {keyof typeof SIGNS} sign @param {string} name @param {string} what @param {() => void} act */
function way(sign, name, what, act) {
  return el('button', { type: 'button', class: `way way-${sign}`, onclick: act },
    svg('svg', { viewBox: '0 0 24 24', class: 'icon', 'aria-hidden': 'true' }, svg('path', { d: SIGNS[sign] })),
    el('span', { class: 'way-name' }, name), ' ', el('span', { class: 'way-what' }, what));
}

/** Says that book and tables are being made, or why they are not. @param {App} app */
function makingText({ meta }) {
  const about = meta.built_in;
  if (about?.making) return t('A small book and endgame tables are being made; they appear by themselves, within a minute.');
  return about?.error ? t('The built-in book and tables could not be made: {why}', { why: about.error }) : '';
}

/** The rules of gomoku, to start anew by. @param {App} app */
function rules(app) {
  const [count = '5', rule = 'freestyle'] = parse('gomoku', app.session.start)?.rest.split(' ') ?? [];
  const choice = select([['freestyle', t('freestyle')], ['standard', t('exactly five')], ['renju', t('renju')]], rule,
    (chosen) => app.load({ start: withRule(app.session.start, count, chosen) }), { class: 'rules' });
  return row(el('label', { class: 'field' }, el('span', {}, t('Rules')), choice));
}

/** @param {string} start @param {string} count @param {string} rule */
function withRule(start, count, rule) {
  const [board, turn] = start.split(' ');
  return [board, turn, count, ...(rule === 'freestyle' ? [] : [rule])].join(' ');
}
