// The bar that says what is at work, in every view.

import { atWork } from './api.js';
import { button, el } from './dom.js';
import { t } from './i18n.js';

/** Makes the bar; it is seen while a person waits for something. @param {import('./app.js').App} app */
export function workBar(app) {
  const bar = el('div', { class: 'work', role: 'status' });
  const draw = () => bar.replaceChildren(...atWork().map(({ text, stop }) =>
    el('div', { class: 'work-row' }, el('span', { class: 'work-sign', 'aria-hidden': 'true' }), el('span', {}, text), stop && button(t('Stop'), stop, { class: 'small' }))));
  app.on(['busy'], draw);
  draw();
  return bar;
}
