// The report of a review: the sums of both sides, the move that decided the game, and the mistakes with what is better.

import { button, cell, el, quiet, row, rowsTable } from '../dom.js';
import { number, percent, plural, t } from '../i18n.js';
import { markOf, numberText } from '../panels/review.js';
import { after, pointsOf } from '../fen.js';
import * as tree from '../tree.js';
import { begin } from './lesson.js';
import { Mistakes } from './mistakes.js';

/** @typedef {import('../panels/review.js').ReviewPanel} ReviewPanel */
/** @typedef {import('../panels/review.js').Judged} Judged */
/** @typedef {import('../panels/review.js').Sums} Sums */
/** @typedef {import('../panels/review.js').SideSums} SideSums */

/** Returns the report of a review that is done. @param {ReviewPanel} panel */
export function report(panel) {
  const sums = /** @type {Sums} */ (panel.sums);
  const { app } = panel;
  const note = el('p', { class: 'move-note', role: 'status' });
  panel.follow = () => { note.replaceChildren(...factsHere(panel)); };
  panel.follow();
  const mistakes = panel.moves.filter((judged) => markOf(judged) && lossOf(judged) > 0).sort((a, b) => lossOf(b) - lossOf(a));
  const list = mistakes.length > 0 ? [
    row(button(t('Learn from your mistakes'), () => begin(app, new Mistakes(app, panel.moves)), { class: 'primary learn' }), ...keeping(panel)),
    el('h3', {}, t('Mistakes, the largest first')),
    quiet(t('Percentages are of the expected score, where a win counts 100 % and a draw 50 %.')),
    el('ul', { class: 'mistakes' }, ...mistakes.map((judged) => mistake(panel, judged)))] : [quiet(t('No mistake was found.'))];
  return el('div', { class: 'report' }, note, sides(panel, sums), ...story(panel, sums), ...list);
}

/** Returns the names of the first and the second player. @param {ReviewPanel} panel @returns {[string, string]} */
function names({ app }) {
  return app.game === 'gomoku' ? [t('Black'), t('White')] : [t('Red'), t('Black')];
}

/** Returns the accuracies, and the sums of both sides where the server has them. @param {ReviewPanel} panel @param {Sums} sums */
function sides(panel, sums) {
  const shares = { red: accuracyText(sums.accuracy.red), black: accuracyText(sums.accuracy.black) };
  const text = panel.app.game === 'gomoku' ? t('Accuracy: Black {red}, White {black}', shares) : t('Accuracy: Red {red}, Black {black}', shares);
  const about = t('The mean over the moves: 100 % for a move that loses nothing, less the more of the expected score it loses.');
  const line = el('p', { class: 'accuracy', title: about }, text);
  if (!sums.sides) return line;
  const { first, second } = sums.sides;
  /** @param {string} name @param {(side: SideSums) => string} value @param {string} [title] */
  const each = (name, value, title = '') => el('tr', { title: title || null }, el('th', { scope: 'row' }, name), cell(value(first)), cell(value(second)));
  const phases = /** @type {[string, string][]} */ ([['opening', t('Opening')], ['middle_game', t('Middle game')], ['ending', t('Ending')]])
    .filter(([phase]) => (first.phases[phase]?.moves ?? 0) + (second.phases[phase]?.moves ?? 0) > 0)
    .map(([phase, name]) => each(t('Accuracy: {phase}', { phase: name }), (side) => accuracyText(side.phases[phase]?.accuracy ?? null), about));
  const timed = first.time_used !== null || second.time_used !== null;
  return el('div', {}, line, rowsTable('sums', ['', ...names(panel)], [
    each(`${t('Inaccuracies')} ?!`, (side) => number(side.inaccuracies), t('Moves that lose at least 5 % of the expected score')),
    each(`${t('Mistakes')} ?`, (side) => number(side.mistakes), t('Moves that lose at least 10 % of the expected score')),
    each(`${t('Blunders')} ??`, (side) => number(side.blunders), t('Moves that lose at least 20 % of the expected score')),
    each(t('Points lost'), (side) => number(side.lost, 2), t('The sum of the expected score lost; a game is worth one point')),
    ...phases, ...(timed ? [each(t('Time used'), (side) => timeText(side.time_used))] : [])]));
}

/** Returns where the game left the book and which move decided it. @param {ReviewPanel} panel @param {Sums} sums */
function story(panel, sums) {
  const { decided, left_book: left } = sums;
  const parts = [];
  if (left) {
    parts.push(quiet(t('Left the book with'), ' ', goTo(panel, left.ply, left.text ?? left.move),
      left.book_move ? ` · ${t('the book plays {move}', { move: left.book_text ?? left.book_move })}${left.book ? ` (${plural(left.book.games, '{n} game', '{n} games')})` : ''}` : ''));
  }
  if (decided) {
    const judged = panel.moves[decided.ply - 1];
    const [before, now] = [percent(decided.before, 0), percent(decided.after, 0)];
    parts.push(quiet(t('Turning point:'), ' ', goTo(panel, decided.ply, judged?.text ?? judged?.move ?? ''),
      ` · ${t('expected score of {side}: {before} → {after}', { side: sideName(decided.side), before, after: now })}`));
  }
  return parts;
}

/** @param {string} side */
function sideName(side) {
  return side === 'red' ? t('Red') : side === 'white' ? t('White') : t('Black');
}

/** @param {ReviewPanel} panel @param {number} ply @param {string} text */
function goTo(panel, ply, text) {
  return button(`${numberText(ply)} ${text}`, () => panel.app.session.go(Array(ply).fill(0)), { class: 'link' });
}

/** Returns a mistake with its loss, how sure that is, why, and what is better. @param {ReviewPanel} panel @param {Judged} judged */
function mistake(panel, judged) {
  const item = el('li', {}, el('div', { class: 'mistake-head' },
    button(`${numberText(judged.ply)} ${judged.text || judged.move}${markOf(judged)}`, () => panel.app.session.go(Array(judged.ply).fill(0)), { class: 'link' }),
    el('span', { class: 'num bad', title: lossTitle(judged) }, lossText(judged)),
    judged.certainty && el('span', { class: 'badge', title: CERTAINTY_TITLES()[judged.certainty] }, CERTAINTIES()[judged.certainty] ?? judged.certainty)));
  if (judged.words) item.append(el('p', { class: 'words' }, judged.words));
  const moves = judged.better?.length ? judged.better : judged.best ? [judged.best] : [];
  const texts = judged.better_texts?.length ? judged.better_texts : [judged.best_text || judged.best || ''];
  if (moves.length > 0) {
    item.append(el('p', { class: 'better' }, t('better:'), ' ',
      ...moves.map((move, at) => button(texts[at] ?? move, () => showBetter(panel, judged, moves, texts, at + 1), { class: 'link', ...hovers(panel, judged, moves, at) }))));
  }
  return item;
}

/** Puts the better line beside the game and goes to one of its moves. @param {ReviewPanel} panel @param {Judged} judged @param {readonly string[]} moves @param {readonly string[]} texts @param {number} to */
function showBetter(panel, judged, moves, texts, to) {
  const { app } = panel;
  const { session } = app;
  if (!panel.isHere(judged)) { app.say(t('The game that was reviewed is not on the board any more.')); return; }
  let place = { root: session.root, path: /** @type {tree.Path} */ (Array(judged.ply - 1).fill(0)) };
  const from = place.path.length;
  moves.forEach((move, at) => { place = tree.addMove(place.root, place.path, { move, text: texts[at] ?? '', source: 'search' }); });
  session.edit({ root: place.root, path: place.path.slice(0, from + to) });
}

/** @param {ReviewPanel} panel @param {Judged} judged @param {readonly string[]} moves @param {number} at */
function hovers({ app }, judged, moves, at) {
  const { session } = app;
  const before = tree.movesTo(session.root, Array(judged.ply - 1).fill(0));
  return app.previews(() => {
    const position = after(app.game, session.start, [...before, ...moves.slice(0, at + 1)]);
    return { position, last: pointsOf(moves[at] ?? '') };
  });
}

/** Returns the facts about the move on the board. @param {ReviewPanel} panel @returns {(HTMLElement | string)[]} */
function factsHere(panel) {
  const { path } = panel.app.session;
  const judged = tree.onMainLine(path) ? panel.moves[path.length - 1] : undefined;
  if (!judged || !panel.isHere(judged)) return [];
  const parts = [`${numberText(judged.ply)} ${judged.text ?? judged.move}${markOf(judged)}`];
  const { book, time_used: time } = judged;
  if (book) {
    parts.push(t('book: {games}, {share} of those here', { games: plural(book.games, '{n} game', '{n} games'), share: percent(book.share, 0) }));
    if (book.score !== null) parts.push(t('scores {share} there', { share: percent(book.score, 0) }));
    if (judged.known) parts.push(t('known well'));
  }
  if (judged.certainty === 'withdrawn') parts.push(CERTAINTY_TITLES()['withdrawn'] ?? '');
  if (judged.words) parts.push(judged.words);
  if (judged.only_move) parts.push(t('the only good move'));
  if (time !== null && time !== undefined) parts.push(t('{time} used', { time: timeText(time) }));
  return [parts.join(' · ')];
}

/** Returns the button that makes exercises of all moments, where the server keeps some. @param {ReviewPanel} panel */
function keeping(panel) {
  if (!panel.app.meta.train) return [];
  return [button(t('Keep as exercises'), () => void keepAll(panel), { title: t('Each marked move becomes an exercise that comes again when it is due.') })];
}

/** @param {ReviewPanel} panel */
async function keepAll(panel) {
  const { keepMoments } = await import('./keep.js');
  await keepMoments(panel.app, panel.moves.filter((judged) => markOf(judged) && judged.best));
}

const CERTAINTIES = () => /** @type {Record<string, string>} */ ({ proved: t('proved'), stable: t('stable'), likely: t('likely'), withdrawn: t('withdrawn') });

const CERTAINTY_TITLES = () => /** @type {Record<string, string>} */ ({
  proved: t('It follows from endgame tables, from the rules or from a mate.'),
  stable: t('Several searches, each with more effort, leave no doubt.'),
  likely: t('The loss is not much larger than the error of the searches.'),
  withdrawn: t('A second look has found that the move deserves no mark.'),
});

/** @param {Judged} judged */
function lossOf(judged) {
  return judged.loss ?? 0;
}

/** @param {Judged} judged */
function lossText(judged) {
  const loss = lossOf(judged);
  return loss <= 1 ? `−${percent(loss, 0)}` : t('−{n} centipawns', { n: Math.round(loss) });
}

/** @param {Judged} judged */
function lossTitle(judged) {
  if (!judged.before || !judged.after) return t('of the expected score of the side that moved');
  return t('The expected score of the side that moved fell from {before} to {after}.', { before: percent(judged.before.expected, 0), after: percent(judged.after.expected, 0) });
}

/** @param {number | null} accuracy given as a share or as a percentage */
function accuracyText(accuracy) {
  return accuracy === null ? '–' : percent(accuracy > 1 ? accuracy / 100 : accuracy);
}

/** @param {number | null} seconds */
function timeText(seconds) {
  if (seconds === null) return '–';
  const whole = Math.round(seconds);
  return whole < 60 ? t('{n} s', { n: whole }) : `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
