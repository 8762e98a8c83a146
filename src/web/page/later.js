// Parts of the page that are loaded when they are first wanted.

import { el } from './dom.js';
import { withTexts } from './i18n.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./app.js').Happening} Happening */
/** @typedef {{element: HTMLElement}} Part */

/**
 * Returns a place for a part of the page, and what loads the part at once: null where the page was built anew meanwhile.
 * @template {Part} P
 * @param {App} app
 * @param {Happening} happening after which the part may be wanted; it happens again once the part is there
 * @param {() => boolean} isWanted
 * @param {() => Promise<() => P>} load
 * @returns {{element: HTMLElement, part: () => Promise<P | null>}}
 */
export function later(app, happening, isWanted, load) {
  const element = el('div', { class: 'later' });
  /** @type {Promise<P | null> | null} */
  let loading = null;
  const part = () => {
    loading ??= withTexts(load()).then((make) => {
      if (!element.isConnected) return null;
      const made = make();
      element.append(made.element);
      return made;
    });
    return loading;
  };
  app.on([happening], () => {
    if (loading || !isWanted()) return;
    part().then((made) => { if (made) app.emit(happening); }, (error) => {
      // Without a connection the part is asked for again at the next look.
      loading = null;
      app.fail(error);
    });
  });
  return { element, part };
}
