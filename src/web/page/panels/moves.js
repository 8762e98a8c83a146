// The tree of moves: variations, comments, and an entry for moves in any notation.

import { plainComment, withText } from '../annotations.js';
import { button, el, select } from '../dom.js';
import { t } from '../i18n.js';
import { iconButton } from '../icons.js';
import { MoveList, showComment } from '../movelist.js';
import { showRecent } from '../recent.js';
import { playersOf, playersText, resultText } from '../session.js';
import { loopMoves, loopText, verdictText } from '../status.js';
import * as tree from '../tree.js';
import { annotationMenu } from './annotate.js';

/** @typedef {import('../app.js').App} App */

/** Returns the panel with the moves. @param {App} app */
export function movesPanel(app) {
  const list = new MoveList(app);
  const loop = el('div', { class: 'loop' });
  const element = el('section', { class: 'panel panel-moves', 'aria-label': t('Moves') },
    head(app), list.element, loop, el('div', { class: 'moves-foot' }, ...commentField(app), entry(app), annotationMenu(app)));
  app.on(['tree', 'style', 'tab', 'view'], () => list.draw());
  app.on(['answer', 'position'], () => drawLoop(app, loop));
  list.draw();
  return element;
}

/** @param {App} app */
function head(app) {
  const title = el('span', { class: 'game-title' });
  const draw = () => {
    title.textContent = title.title = titleOf(app);
    title.classList.toggle('named', app.session.opened || title.textContent !== t('Analysis'));
  };
  app.on(['tree'], draw);
  draw();
  return el('div', { class: 'panel-head' }, title, notation(app), actions(app));
}

/** Returns who played whom, or what is on the board. @param {App} app */
function titleOf(app) {
  const { tags, result } = app.session;
  const who = playersText(playersOf(app.game, tags), '');
  if (!who) return app.session.opened ? tags['Event'] ?? t('Game') : t('Analysis');
  return who + (result && result !== '*' ? `  ${resultText(result)}` : '');
}

/** @param {App} app */
function notation(app) {
  if (app.game === 'gomoku') return null;
  return select([['chinese', t('Chinese')], ['wxf', 'WXF'], ['iccs', 'ICCS'], ['uci', 'UCI']], app.settings.notation,
    (value) => app.setNotation(/** @type {any} */ (value)), { 'aria-label': t('Notation'), class: 'small' });
}

/** @param {App} app */
function actions(app) {
  const up = iconButton('up', t('Make this the main line'), () => app.session.promote(app.session.path), { class: 'small' });
  const cut = iconButton('cut', t('Delete from here on'), () => app.session.remove(app.session.path), { class: 'small' });
  const study = button(t('Study'), () => app.session.studying ? app.session.backToGame() : app.session.beginStudy(),
    { title: t('Leave the game here, try things, and come back (s)'), class: 'small' });
  const draw = () => {
    study.setAttribute('aria-pressed', String(app.session.studying));
    up.disabled = tree.onMainLine(app.session.path);
    cut.disabled = app.session.path.length === 0;
  };
  app.on(['tree'], draw);
  draw();
  const games = iconButton('stack', t('Games on the board (g)'), () => showRecent(app), { class: 'small' });
  return el('span', { class: 'actions' }, games, study, up, cut);
}

/** @param {App} app @param {HTMLElement} box */
function drawLoop(app, box) {
  box.replaceChildren(...loopRows(app.answer));
}

/** Returns the verdict on a loop with its moves, or nothing. @param {import('../app.js').Answer | null} answer */
export function loopRows(answer) {
  const moves = loopMoves(answer);
  if (moves.length === 0 || !answer) return [];
  const rows = moves.map((move, at) => el('li', { value: at + 1 }, `${move.text ?? move.move}: ${loopText(move)}`));
  return [el('p', {}, t('The loop: {verdict}', { verdict: verdictText(answer) })), el('ol', {}, ...rows)];
}

/** The longest comment, in characters, that is changed in the field under the moves. */
const LONGEST = 2000;

/** Makes the field for comments; what is typed goes to the move it was begun at, whatever is on the board by then. @param {App} app @returns {HTMLElement[]} */
function commentField(app) {
  /** @type {{id: string, moves: readonly string[]} | null} */
  let begun = null;
  const keep = () => {
    const { session } = app;
    const path = begun && begun.id === session.id ? tree.find(session.root, begun.moves) : null;
    begun = null;
    if (path) session.comment(path, withText(tree.nodeAt(session.root, path).comment, field.value.trim()));
    draw();
  };
  const field = el('textarea', { rows: 1, class: 'comment-field', placeholder: t('Comment on this move'), 'aria-label': t('Comment on this move'),
    oninput: () => { begun ??= { id: app.session.id, moves: app.session.moves }; }, onchange: keep });
  const whole = button(t('whole comment'), () => void showComment(app, app.session.path), { class: 'small comment-whole' });
  const draw = () => {
    if (begun) return;
    const comment = plainComment(app.session.here.comment);
    field.hidden = comment.length > LONGEST;
    whole.hidden = !field.hidden;
    const shown = field.hidden ? '' : comment;
    if (field.value !== shown) field.value = shown;
  };
  app.on(['leave'], () => { if (begun) keep(); });
  app.on(['tree'], draw);
  draw();
  return [field, whole];
}

/** @param {App} app */
function entry(app) {
  const input = el('input', { type: 'text', id: 'move-entry', class: 'move-entry', autocomplete: 'off', spellcheck: 'false',
    placeholder: t('Type a move (/)'), 'aria-label': t('Type a move in any notation') });
  return el('form', { class: 'entry', onsubmit: (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    void app.playText(input.value).then((played) => { if (played) input.value = ''; });
  } }, input);
}
