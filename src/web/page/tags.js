// The dialog with what is known of the game: its tags and its result. Loaded when it is asked for.

import { button, dialog, el, row, select } from './dom.js';
import { t } from './i18n.js';
import { resultText } from './session.js';

/** @typedef {import('./app.js').App} App */

/** Tags with a name for people, in the order of PGN. @type {readonly (readonly [string, string])[]} */
const KNOWN = [['Event', 'Event'], ['Site', 'Site'], ['Date', 'Date'], ['Round', 'Round'], ['Annotator', 'Annotator'], ['ECO', 'Opening code'], ['Opening', 'Opening'], ['Source', 'Source']];
/** Tags of players. */
const PLAYERS = /** @type {const} */ ({ xiangqi: [['Red', 'Red'], ['Black', 'Black']], gomoku: [['Black', 'Black'], ['White', 'White']] });
/** Tags that say what the game itself says. */
const OWN = new Set(['Result', 'FEN', 'Format', 'SetUp']);
const RESULTS = ['*', '1-0', '0-1', '1/2-1/2'];
const LONGEST = 2000;

/** Shows the tags, to be changed. @param {App} app */
export function showTags(app) {
  const { tags, result } = app.session;
  const names = namesOf(app);
  const fields = el('div', { class: 'tags' }, ...names.map(([name, label]) => tagField(name, t(label), tags[name] ?? '')));
  const chosen = select(RESULTS.map((value) => /** @type {[string, string]} */ ([value, resultText(value)])), RESULTS.includes(result) ? result : '*', () => {}, { name: 'Result' });
  fields.append(el('label', { class: 'field' }, el('span', {}, t('Result')), chosen));
  const fresh = el('input', { type: 'text', maxlength: 60, 'aria-label': t('Name of another tag'), placeholder: t('Name of another tag'), pattern: '[A-Za-z0-9_]+' });
  const add = button(t('Add'), () => {
    const name = fresh.value.trim();
    if (!/^\w+$/.test(name) || OWN.has(name) || fields.querySelector(`[name="${name}"]`)) return;
    fields.append(tagField(name, name, ''));
    fresh.value = '';
    fields.querySelector(`[name="${name}"]`)?.scrollIntoView();
  });
  const box = dialog(t('Game information'), fields, row(fresh, add), row(
    button(t('Keep'), () => { keep(app, fields, chosen.value); box.close(); }, { class: 'primary' }),
    button(t('Cancel'), () => box.close())));
}

/** Returns the names of the tags that are shown, with what people call them. @param {App} app @returns {(readonly [string, string])[]} */
function namesOf(app) {
  const { tags } = app.session;
  // Games of xiangqi that name White mean Red.
  const players = PLAYERS[app.game].map(([name, label]) => /** @type {const} */ ([name === 'Red' && !tags['Red'] && tags['White'] ? 'White' : name, label]));
  const listed = [...players, ...KNOWN];
  const others = Object.keys(tags).filter((name) => !OWN.has(name) && !listed.some(([known]) => known === name));
  return [...listed, ...others.map((name) => /** @type {const} */ ([name, name]))];
}

/** @param {string} name @param {string} label @param {string} value */
function tagField(name, label, value) {
  return el('label', { class: 'field' }, el('span', {}, label), el('input', { type: 'text', name, value, maxlength: Math.max(LONGEST, value.length), autocomplete: 'off' }));
}

/** @param {App} app @param {HTMLElement} fields @param {string} result */
function keep(app, fields, result) {
  /** @type {Record<string, string>} */
  const tags = {};
  for (const input of fields.querySelectorAll('input')) if (input.value.trim()) tags[input.name] = input.value.trim();
  for (const name of OWN) if (app.session.tags[name]) tags[name] = app.session.tags[name] ?? '';
  app.session.describe(tags, result);
}
