// The panel of a game against the engine, and the players beside the board.

import { button, checkbox, el, numberField, quiet, row, select } from '../dom.js';
import { parse } from '../fen.js';
import { t } from '../i18n.js';
import { playersOf } from '../session.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {import('../play.js').Play} Play */
/** @typedef {import('../play.js').Player} Player */

/** Returns the panel to begin and to steer a game. @param {App} app @param {Play} play */
export function playPanel(app, play) {
  const said = el('p');
  const clock = quiet('');
  const note = el('p', { class: 'quiet saved' });
  // Buttons stay what they are from move to move: one that is replaced under the mouse takes no click.
  const buttons = el('div');
  let shown = '';
  const draw = () => {
    said.textContent = sentence(app, play);
    clock.textContent = play.on && play.perfect ? clock120(app) : '';
    note.textContent = play.saver.note;
    for (const line of [clock, note]) line.hidden = !line.textContent;
    const kind = `${play.on} ${play.atEnd}`;
    if (kind !== shown) buttons.replaceChildren(play.on ? running(app, play) : beginning(app, play));
    shown = kind;
  };
  app.on(['play', 'tree', 'answer'], draw);
  draw();
  return el('section', { class: 'panel panel-play', 'aria-label': t('Play') },
    el('div', { class: 'stack' }, said, clock, buttons, note), sides(app, play), limits(app));
}

/** Returns what is going on. @param {App} app @param {Play} play */
function sentence(app, play) {
  if (!play.on) return play.ended || t('Play against the engine from the position on the board.');
  if (play.thinking) return t('The engine is thinking …');
  if (play.atEnd) return t('Your move.');
  return app.session.studying ? t('The game waits while you study.') : t('You are looking at an earlier position.');
}

/** @param {App} app @param {Play} play */
function beginning(app, play) {
  const [first, second] = names(app);
  return row(
    button(t('Play {side}', { side: first }), () => play.begin('human', 'engine', false), { class: 'primary' }),
    button(t('Play {side}', { side: second }), () => play.begin('engine', 'human', false), { class: 'primary' }),
    button(t('Engine against itself'), () => play.begin('engine', 'engine', false)));
}

/** @param {App} app @param {Play} play */
function running(app, play) {
  const back = play.atEnd ? null : button(t('Back to the game'), () => {
    if (app.session.studying) app.session.backToGame();
    if (app.session.live) app.session.go(app.session.live);
  }, { class: 'primary' });
  return row(back,
    button(t('Hint'), () => void play.hint()), button(t('Take back'), () => play.takeBack()),
    button(t('Offer a draw'), () => void play.offerDraw()), button(t('Resign'), () => play.resign()),
    button(t('Leave the game'), () => play.leave()));
}

/** Returns how much of the limit without a capture is used. @param {App} app */
function clock120(app) {
  return t('{n} of 120 plies without a capture', { n: parse('xiangqi', app.fen())?.quiet ?? 0 });
}

/** @param {App} app @returns {[string, string]} */
function names(app) {
  return app.game === 'gomoku' ? [t('Black'), t('White')] : [t('Red'), t('Black')];
}

/** @param {App} app @param {Play} play */
function sides(app, play) {
  const [first, second] = names(app);
  /** @param {boolean} isFirst @param {string} name */
  const choice = (isFirst, name) => {
    const list = select([['human', t('a person')], ['engine', t('the engine')]], isFirst ? play.first : play.second,
      (value) => play.setSide(isFirst, /** @type {Player} */ (value)));
    app.on(['play'], () => { list.value = isFirst ? play.first : play.second; });
    return el('label', { class: 'field' }, el('span', {}, name), list);
  };
  const box = row(choice(true, first), choice(false, second));
  const draw = () => { box.hidden = !play.on; };
  app.on(['play'], draw);
  draw();
  return box;
}

/** @param {App} app */
function limits(app) {
  const { settings, meta } = app;
  const [low, high] = meta.engine.levels;
  const levels = Array.from({ length: high - low + 1 }, (_, at) => String(low + at));
  return el('div', { class: 'limits' },
    el('label', { class: 'field' }, el('span', {}, t('Level')),
      select(levels.map((level) => /** @type {[string, string]} */ ([level, level])), String(settings.level), (value) => app.change({ level: Number(value) }))),
    numberField(t('Seconds a move'), settings.moveSeconds, (value) => app.change({ moveSeconds: Number(value) || 1 }), { min: 0.1, step: 0.1 }),
    numberField(t('Minutes each (0: no clock)'), settings.minutes, (value) => app.change({ minutes: Number(value) || 0 }), { min: 0 }),
    numberField(t('Increment in seconds'), settings.increment, (value) => app.change({ increment: Number(value) || 0 }), { min: 0 }),
    checkbox(t('use the book'), settings.useBook, (useBook) => app.change({ useBook })),
    app.game === 'xiangqi' && checkbox(t('use the tables'), settings.useTables, (useTables) => app.change({ useTables })));
}

/** Returns the plates with the players' names and clocks. @param {App} app @param {Play} play */
export function plates(app, play) {
  const top = plate();
  const bottom = plate();
  const draw = () => {
    const firstBelow = !app.settings.flipped;
    fill(app, play, bottom, firstBelow);
    fill(app, play, top, !firstBelow);
  };
  app.on(['play', 'tree', 'style', 'score', 'position'], draw);
  draw();
  return { top, bottom };
}

function plate() {
  return el('div', { class: 'plate' }, el('span', { class: 'disc' }), el('span', { class: 'name' }), el('span', { class: 'clock', role: 'timer' }));
}

/** @param {App} app @param {Play} play @param {HTMLElement} box @param {boolean} first */
function fill(app, play, box, first) {
  const [disc, name, clock] = /** @type {HTMLElement[]} */ ([...box.children]);
  const given = playersOf(app.game, app.session.tags)[first ? 0 : 1];
  const side = names(app)[first ? 0 : 1] ?? '';
  const gomoku = app.game === 'gomoku';
  if (!disc || !name || !clock) return;
  const colours = gomoku ? ['disc-black', 'disc-white'] : ['disc-red', 'disc-black'];
  disc.className = `disc ${colours[first ? 0 : 1]}`;
  name.textContent = given || side;
  clock.textContent = play.timed ? clockText(play.clock[first ? 0 : 1]) : '';
  box.classList.toggle('turn', app.firstToMove === first);
  box.classList.toggle('named', Boolean(given) || play.on);
}

/** @param {number} milliseconds */
function clockText(milliseconds) {
  const seconds = Math.ceil(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
