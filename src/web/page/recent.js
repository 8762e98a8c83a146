// The games of this browser: those on other boards, and those that were on this one before.

import { button, dialog, el, quiet, row } from './dom.js';
import { locale, plural, t } from './i18n.js';
import { playersText, resultText } from './session.js';
import { dropGame, keptGames } from './store.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./store.js').Kept} Kept */

/** @param {number} time in milliseconds */
export function timeText(time) {
  return new Date(time).toLocaleString(locale(), { dateStyle: 'medium', timeStyle: 'short' });
}

/** Returns who played in a game, and how it ended. @param {Kept} kept */
export function keptTitle({ players, event, result, playing }) {
  const name = playersText(players, event || t('Analysis'));
  return playing ? `${name} · ${t('being played')}` : result === '*' ? name : `${name} ${resultText(result)}`;
}

/** @param {Kept} kept */
export function keptNote({ begins, moves, when }) {
  const length = moves > 0 ? plural(moves, '{n} move', '{n} moves') : t('a position');
  return [begins, length, timeText(when)].filter(Boolean).join(' · ');
}

/** Shows the games of this browser; one comes on the board at a click, and the one that is there stays in the list. @param {App} app */
export function showRecent(app) {
  const list = el('ul', { class: 'plain recent' });
  const draw = () => {
    const games = keptGames().filter(({ game }) => game === app.game);
    const rows = games.map((kept) => {
      const here = kept.id === app.session.id;
      const open = button(keptTitle(kept), () => {
        box.close();
        void app.bring(kept.id).then((found) => { if (!found) app.say(t('This game is no longer kept.'), 'error'); });
      }, { class: 'link', 'aria-current': here ? 'true' : null });
      const drop = button('×', () => { dropGame(kept.id); draw(); }, { class: 'small', 'aria-label': t('Forget {game}', { game: keptTitle(kept) }), title: t('Forget this game') });
      return el('li', {}, open, ' ', el('span', { class: 'quiet' }, here ? t('on the board') : keptNote(kept)), here ? null : drop);
    });
    list.replaceChildren(...rows.length > 0 ? rows : [quiet(t('Games that were on the board stand here.'))]);
  };
  draw();
  const box = dialog(t('Games on the board'), list,
    quiet(t('These games are kept in this browser, the last {n} of them. One that leaves the board stays here.', { n: 40 })),
    row(button(t('Close'), () => box.close(), { class: 'primary' })));
}
