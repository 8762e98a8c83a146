// The men that a side has captured, beside its name.

import { manShape } from '../board.js';
import { el, svg } from '../dom.js';
import { after } from '../fen.js';
import { t } from '../i18n.js';
import { MAN_NAMES } from '../pieces.js';

/** @typedef {import('../app.js').App} App */

/** Kinds of men, the most valued first. */
const ORDER = 'RCNABP';

/** Returns the men of a side that are on the board no more, by kind. @param {App} app @param {boolean} first whether they are the first player's @returns {[string, number][]} */
function lost(app, first) {
  const { session } = app;
  const before = count(after(app.game, session.start, []).men, first);
  const now = count(session.position.men, first);
  return [...ORDER].flatMap((kind) => {
    const man = first ? kind : kind.toLowerCase();
    const gone = (before.get(man) ?? 0) - (now.get(man) ?? 0);
    return gone > 0 ? [/** @type {[string, number]} */ ([man, gone])] : [];
  });
}

/** @param {ReadonlyMap<string, string>} men @param {boolean} first */
function count(men, first) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const man of men.values()) if ((man === man.toUpperCase()) === first) counts.set(man, (counts.get(man) ?? 0) + 1);
  return counts;
}

/** What each box shows: it is drawn anew with the place and the set of pieces only. @type {WeakMap<HTMLElement, readonly unknown[]>} */
const shown = new WeakMap();

/** Shows what a player has captured. @param {App} app @param {HTMLElement} box @param {boolean} first whether it is the first player */
export function showCaptured(app, box, first) {
  const key = [app.session, app.session.path, app.session.start, app.session.root, app.settings.set, first];
  const old = shown.get(box);
  if (key.every((part, at) => part === old?.[at])) return;
  shown.set(box, key);
  const men = app.game === 'xiangqi' ? lost(app, !first) : [];
  const name = t('Captured: {men}', { men: men.map(([man, n]) => `${t(MAN_NAMES[man] ?? man)} ×${n}`).join(', ') });
  box.hidden = men.length === 0;
  box.title = name;
  box.setAttribute('role', 'img');
  box.setAttribute('aria-label', name);
  box.replaceChildren(...men.map(([man, n]) => el('span', {},
    svg('svg', { viewBox: '-46 -46 92 92' }, manShape(app.settings.set, man)), n > 1 && String(n))));
}
