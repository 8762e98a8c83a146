// The end of a game, told large: who won, how and by which rule, and what may be done next.

import { button, el } from './dom.js';
import { t } from './i18n.js';
import { playersOf } from './session.js';
import { howText, resultHere, wins } from './status.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./play.js').Play} Play */

/** Returns the card of the end that is on the board, or null where the game goes on. @param {App} app @param {Play} play */
export function endingCard(app, play) {
  const result = endHere(app, play);
  if (result === null) return null;
  const who = result === 0.5 ? t('Draw') : wins(app, result === 1);
  const kind = result === 0.5 ? 'draw' : (result === 1) === (app.game === 'xiangqi') ? 'red' : 'black';
  return el('div', { class: `ending ending-${kind}` },
    el('div', { class: 'ending-text' }, el('span', { class: 'ending-who' }, who), el('span', { class: 'ending-how' }, howHere(app, play, result))),
    el('div', { class: 'ending-buttons' }, ...buttons(app, play)));
}

/** Returns the result of the game that ended here: by the rules, or as the players ended it. @param {App} app @param {Play} play */
function endHere(app, play) {
  const onBoard = resultHere(app);
  if (onBoard !== null) return onBoard;
  const { session } = app;
  const atEnd = session.here.children.length === 0 && !session.studying;
  if (!play.endText || !atEnd) return null;
  return { '1-0': 1, '0-1': 0, '1/2-1/2': 0.5 }[session.result] ?? null;
}

/** Says how the game ended, and who the winner is where that is known. @param {App} app @param {Play} play @param {number} result */
function howHere(app, play, result) {
  const how = (app.answer ? howText(app.answer) : '') || play.endText;
  const name = result === 0.5 ? '' : playersOf(app.game, app.session.tags)[result === 1 ? 0 : 1];
  return [how, name].filter(Boolean).join(' · ');
}

/** @param {App} app @param {Play} play */
function buttons(app, play) {
  const { session } = app;
  const again = play.ended !== null && session.result !== '*';
  return [again && button(t('Rematch'), () => play.rematch(), { class: 'primary', title: t('The same players, sides exchanged') }),
    session.moves.length > 1 && button(t('Review this game'), () => app.openTab('review'))].filter((made) => made !== false);
}
