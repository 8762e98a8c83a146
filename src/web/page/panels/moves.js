// The tree of moves: variations, comments, and an entry for moves in any notation.

import { glyphText, plainComment, withText } from '../annotations.js';
import { button, el, quiet, select } from '../dom.js';
import { firstToMove, parse } from '../fen.js';
import { moveLanguage, t } from '../i18n.js';
import { iconButton } from '../icons.js';
import { playersOf, playersText, resultText } from '../session.js';
import { loopMoves, loopText, verdictText } from '../status.js';
import * as tree from '../tree.js';
import { annotationMenu } from './annotate.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {tree.Node} Node */
/** @typedef {tree.Path} Path */

/** Returns the panel with the moves. @param {App} app */
export function movesPanel(app) {
  const list = el('div', { class: 'tree', 'aria-label': t('Moves') });
  const loop = el('div', { class: 'loop' });
  const comment = commentField(app);
  const element = el('section', { class: 'panel panel-moves', 'aria-label': t('Moves') },
    head(app), list, loop, el('div', { class: 'moves-foot' }, comment, entry(app), annotationMenu(app)));
  const draw = () => {
    drawTree(app, list);
    comment.value = plainComment(app.session.here.comment);
  };
  app.on(['tree', 'style'], draw);
  app.on(['answer', 'position'], () => drawLoop(app, loop));
  draw();
  return element;
}

/** @param {App} app */
function head(app) {
  const title = el('span', { class: 'game-title' });
  const draw = () => { title.textContent = title.title = titleOf(app); };
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
  return el('span', { class: 'actions' }, study, up, cut);
}

/** @param {App} app @param {HTMLElement} list */
function drawTree(app, list) {
  const { root } = app.session;
  const first = parse(app.game, app.session.start);
  const offset = first && !firstToMove(first) ? 1 : 0;
  const rows = el('div', { class: 'line' });
  rows.append(...commentText(root));
  appendLine(app, rows, root, [], offset);
  if (root.children.length === 0) rows.append(quiet(t('Play a move on the board, type one below, paste a game or drop a file on the board.')));
  list.setAttribute('role', root.children.length > 0 ? 'tree' : 'group');
  list.replaceChildren(rows);
  scrollTo(list);
}

/** Scrolls the list itself, never the page. @param {HTMLElement} list */
function scrollTo(list) {
  const current = list.querySelector('.current');
  if (!(current instanceof HTMLElement)) { list.scrollTop = 0; return; }
  const top = current.offsetTop - list.offsetTop;
  if (top < list.scrollTop || top + current.offsetHeight > list.scrollTop + list.clientHeight) {
    list.scrollTop = top - list.clientHeight / 2;
  }
}

/**
 * Adds what follows a node: the main line, and each variation in a box of its own.
 * @param {App} app @param {HTMLElement} box @param {Node} from @param {Path} path @param {number} offset
 */
function appendLine(app, box, from, path, offset) {
  let here = from;
  let way = path;
  let fresh = true;
  for (;;) {
    const main = here.children[0];
    if (!main) return;
    const parent = here;
    const before = way;
    way = [...way, 0];
    box.append(moveButton(app, main, way, offset, fresh));
    fresh = main.comment !== '' || parent.children.length > 1;
    box.append(...commentText(main));
    parent.children.slice(1).forEach((child, at) => box.append(variation(app, child, [...before, at + 1], offset)));
    here = main;
  }
}

/** Returns what people read of a comment. @param {Node} node */
function commentText({ comment }) {
  const text = plainComment(comment);
  return text ? [el('span', { class: 'comment' }, text)] : [];
}

/** @param {App} app @param {Node} node @param {Path} path @param {number} offset */
function variation(app, node, path, offset) {
  const box = el('div', { class: node.study ? 'variation study' : 'variation', role: 'group' });
  box.append(moveButton(app, node, path, offset, true));
  if (node.study) box.append(el('span', { class: 'badge badge-study' }, t('study')));
  box.append(...commentText(node));
  appendLine(app, box, node, path, offset);
  return box;
}

/** @param {App} app @param {Node} node @param {Path} path @param {number} offset @param {boolean} fresh */
function moveButton(app, node, path, offset, fresh) {
  const ply = path.length - 1 + offset;
  const { session } = app;
  const current = tree.samePath(path, session.path);
  const text = node.text || node.move;
  const number = ply % 2 === 0 ? `${ply / 2 + 1}.` : fresh ? `${(ply + 1) / 2}…` : '';
  const move = button(text + glyphText(node), () => session.go(path), {
    class: ['move', current ? 'current' : '', node.source ? `from-${node.source}` : '',
      session.left && tree.samePath(path, session.left) ? 'left' : ''].join(' ').trim(),
    role: 'treeitem', 'aria-selected': String(current), tabindex: current ? 0 : -1,
    lang: node.text ? moveLanguage(app.settings.notation) : null, title: node.source ? t(SOURCES[node.source] ?? node.source) : null,
  });
  return el('span', { class: 'ply', role: 'none' }, number && el('span', { class: 'number' }, number), move);
}

/** Where moves come from. @type {Record<string, string>} */
export const SOURCES = { book: 'from the book', table: 'from the tables', search: 'found by search', only: 'the only move' };

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

/** @param {App} app */
function commentField(app) {
  return el('textarea', { rows: 1, class: 'comment-field', placeholder: t('Comment on this move'), 'aria-label': t('Comment on this move'),
    onchange: (/** @type {Event} */ event) => app.session.comment(app.session.path,
      withText(app.session.here.comment, /** @type {HTMLTextAreaElement} */ (event.currentTarget).value.trim())) });
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
