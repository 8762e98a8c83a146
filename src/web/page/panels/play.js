// The panel of a game against the engine, and the players beside the board.

import { button, checkbox, el, numberField, quiet, row, select } from '../dom.js';
import { engineChoices, engineName, enginePicker, factsOf, hasEngines, meant, OWN, rangeField } from '../engines.js';
import { parse } from '../fen.js';
import { t, withTexts } from '../i18n.js';
import { playersOf } from '../session.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {import('../play.js').Play} Play */

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
    said.classList.toggle('bad', play.failed !== null);
    const kind = `${play.on} ${play.atEnd} ${play.failed?.engine}`;
    if (kind !== shown) buttons.replaceChildren(play.on ? running(app, play) : beginning(app, play));
    shown = kind;
  };
  app.on(['play', 'tree', 'answer'], draw);
  draw();
  return el('section', { class: 'panel panel-play', 'aria-label': t('Play') },
    el('div', { class: 'stack' }, said, clock, buttons, note), sides(app, play), limits(app, play), learning(app));
}

/** Returns what is going on. @param {App} app @param {Play} play */
function sentence(app, play) {
  if (!play.on) return play.endText || t('Play against the engine from the position on the board.');
  if (play.failed) return t('{name} makes no move: {why}', { name: engineName(play.failed.engine), why: play.failed.text });
  if (play.thinking) return hasEngines(app) ? t('{name} is thinking …', { name: play.nameOf(play.mover) }) : t('The engine is thinking …');
  if (play.atEnd && play.mover !== 'human') return t('It is the turn of {name}.', { name: play.nameOf(play.mover) });
  if (play.atEnd) return t('Your move.');
  return app.session.studying ? t('The game waits while you study.') : t('You are looking at an earlier position.');
}

/** @param {App} app @param {Play} play */
function beginning(app, play) {
  const [first, second] = names(app);
  const opponent = () => meant(app, app.settings.opponent);
  const picked = hasEngines(app) && el('label', { class: 'field opponent' }, el('span', {}, t('Opponent')), enginePicker(app, opponent(), (name) => app.change({ opponent: name }), {}));
  return row(picked,
    button(t('Play {side}', { side: first }), () => play.begin('human', opponent(), false), { class: 'primary' }),
    button(t('Play {side}', { side: second }), () => play.begin(opponent(), 'human', false), { class: 'primary' }),
    button(t('Engine against itself'), () => play.begin(opponent(), opponent(), false)));
}

/** @param {App} app @param {Play} play */
function running(app, play) {
  const back = play.atEnd ? null : button(t('Back to the game'), () => {
    if (app.session.studying) app.session.backToGame();
    if (app.session.live) app.session.go(app.session.live);
  }, { class: 'primary' });
  const { failed } = play;
  return row(back,
    failed && failed.engine !== OWN && button(t('Let juzhong play on'), () => play.replaceFailed(), { class: 'primary' }),
    failed && button(t('Try again'), () => play.tryAgain()),
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
    const engines = hasEngines(app) ? engineChoices(app) : /** @type {[string, string][]} */ ([[OWN, t('the engine')]]);
    const list = select([['human', t('a person')], ...engines], isFirst ? play.first : play.second,
      (value) => play.setSide(isFirst, value));
    app.on(['play'], () => { list.value = isFirst ? play.first : play.second; });
    return el('label', { class: 'field' }, el('span', {}, name), list);
  };
  const box = row(choice(true, first), choice(false, second));
  const draw = () => { box.hidden = !play.on; };
  app.on(['play'], draw);
  draw();
  return box;
}

/** Returns the engines whose manner of playing is asked for. @param {App} app @param {Play} play */
function players(app, play) {
  const engines = play.on ? [play.first, play.second].filter((player) => player !== 'human') : [meant(app, app.settings.opponent)];
  return [...new Set(engines)];
}

/** @param {App} app @param {Play} play */
function limits(app, play) {
  const box = el('div', { class: 'limits' });
  let shown = '';
  const draw = () => {
    const engines = players(app, play);
    if (engines.join() === shown) return;
    shown = engines.join();
    box.replaceChildren(...limitFields(app, engines));
  };
  app.on(['play', 'style'], draw);
  draw();
  return box;
}

/** Returns a field for the strength of an engine, once it has said that it has one. @param {App} app @param {string} engine */
function strengthField(app, engine) {
  const place = el('span', { class: 'strength', hidden: true });
  factsOf(app, engine).then(({ strengths: [option] }) => {
    const field = option && rangeField(`${engine}: ${option.name}`, option, app.settings.strengths[engine], (value) => {
      const strengths = { ...app.settings.strengths };
      if (value === undefined) delete strengths[engine];
      else strengths[engine] = value;
      app.change({ strengths });
    });
    if (!field) return;
    place.hidden = false;
    place.replaceChildren(field);
  }, () => { /* It will say so when it is to move. */ });
  return place;
}

/** @param {App} app @param {readonly string[]} engines @returns {HTMLElement[]} */
function limitFields(app, engines) {
  const { settings, meta } = app;
  const [low, high] = meta.engine.levels;
  const levels = Array.from({ length: high - low + 1 }, (_, at) => String(low + at));
  const own = engines.length === 0 || engines.includes(OWN);
  const others = engines.filter((engine) => engine !== OWN);
  const fields = [
    own && el('label', { class: 'field' }, el('span', {}, t('Level')),
      select(levels.map((level) => /** @type {[string, string]} */ ([level, levelName(Number(level), low, high)])), String(settings.level), (value) => app.change({ level: Number(value) }))),
    numberField(t('Seconds a move'), settings.moveSeconds, (value) => app.change({ moveSeconds: Number(value) || 1 }), { min: 0.1, step: 0.1 }),
    others.length > 0 && numberField(t('Depth of other engines (0: by time)'), settings.moveDepth, (value) => app.change({ moveDepth: Math.max(0, Math.min(120, Math.round(Number(value) || 0))) }), { min: 0, max: 120 }),
    ...others.map((engine) => strengthField(app, engine)),
    numberField(t('Minutes each (0: no clock)'), settings.minutes, (value) => app.change({ minutes: Number(value) || 0 }), { min: 0 }),
    numberField(t('Increment in seconds'), settings.increment, (value) => app.change({ increment: Number(value) || 0 }), { min: 0 }),
    checkbox(t('use the book'), settings.useBook, (useBook) => app.change({ useBook })),
    app.game === 'xiangqi' && checkbox(t('use the tables'), settings.useTables, (useTables) => app.change({ useTables }))];
  return /** @type {HTMLElement[]} */ (fields.filter(Boolean));
}

/** Returns a level with a name that says what to expect. @param {number} level @param {number} low @param {number} high */
function levelName(level, low, high) {
  const names = [t('beginner'), t('novice'), t('casual player'), t('hobby player'), t('club player'), t('strong club player'), t('tournament player'),
    t('expert'), t('master'), t('full strength')];
  const at = high > low ? Math.round(((level - low) / (high - low)) * (names.length - 1)) : names.length - 1;
  return `${level} · ${names[at] ?? ''}`;
}

/** Returns the ways into lessons; what they are is loaded when one begins. @param {App} app */
function learning(app) {
  const { books, tables } = app.meta[app.game];
  const lessons = () => import('../teach/lessons.js');
  const buttons = [
    books.length > 0 && button(t('Openings from the book'), async () => (await lessons()).openings(app)),
    button(t('Repertoire on the board'), async () => (await lessons()).repertoire(app)),
    tables && button(t('Course of endings'), async () => (await lessons()).course(app)),
    tables && button(t('Endings against the tables'), async () => (await lessons()).endings(app)),
    app.meta.train && button(t('Exercises that are due'), async () => (await lessons()).exercises(app))].filter(Boolean);
  return el('section', { class: 'learning', 'aria-label': t('Learn') }, el('h3', {}, t('Learn')), row(...buttons));
}

/** Returns the plates with the players' names and clocks. @param {App} app @param {Play} play */
export function plates(app, play) {
  const top = plate('top');
  const bottom = plate('bottom');
  const draw = () => {
    const firstBelow = !app.settings.flipped;
    fill(app, play, bottom, firstBelow);
    fill(app, play, top, !firstBelow);
  };
  app.on(['play', 'tree', 'style', 'score', 'position'], draw);
  draw();
  return { top, bottom };
}

/** @param {string} at */
function plate(at) {
  return el('div', { class: `plate plate-${at}` }, el('span', { class: 'disc' }), el('span', { class: 'name' }), el('span', { class: 'clock', role: 'timer' }), el('span', { class: 'captured' }));
}

/** @param {App} app @param {Play} play @param {HTMLElement} box @param {boolean} first */
function fill(app, play, box, first) {
  const [disc, name, clock, captured] = /** @type {HTMLElement[]} */ ([...box.children]);
  const given = playersOf(app.game, app.session.tags)[first ? 0 : 1];
  const side = names(app)[first ? 0 : 1] ?? '';
  const gomoku = app.game === 'gomoku';
  if (!disc || !name || !clock || !captured) return;
  const colours = gomoku ? ['disc-black', 'disc-white'] : ['disc-red', 'disc-black'];
  disc.className = `disc ${colours[first ? 0 : 1]}`;
  name.textContent = given || side;
  showMen(app, captured, first);
  clock.textContent = play.timed ? clockText(play.clock[first ? 0 : 1]) : '';
  box.classList.toggle('turn', app.firstToMove === first);
  box.classList.toggle('named', Boolean(given) || play.on);
}

/** What draws captured men, once some were. @type {Promise<typeof import('./captured.js')> | null} */
let drawing = null;

/** Shows what a player has captured. @param {App} app @param {HTMLElement} box @param {boolean} first whether it is the first player */
function showMen(app, box, first) {
  if (!drawing && (app.game !== 'xiangqi' || app.session.position.men.size >= 32)) return;
  drawing ??= withTexts(import('./captured.js'));
  drawing.then(({ showCaptured }) => showCaptured(app, box, first), () => { drawing = null; });
}

/** @param {number} milliseconds */
function clockText(milliseconds) {
  const seconds = Math.ceil(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
