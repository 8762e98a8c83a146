// The engines that search for the page: the server's own, and those of other programs that its settings name.

import { get } from './api.js';
import { el, numberField, select } from './dom.js';
import { t } from './i18n.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {{min: number, max: number, default: number | null}} Range */

/**
 * The facts of the server about an engine.
 * @typedef {object} EngineFacts
 * @property {string} name
 * @property {string} title
 * @property {Range | null} threads
 * @property {Range | null} hash
 * @property {string[]} [evaluations] of the own engine in xiangqi, the usual one first
 * @property {(Range & {name: string})[]} strengths
 */

/** The name of the server's own engine in requests. */
export const OWN = 'self';

/** What the server said of its engines. @type {Map<string, Promise<EngineFacts>>} */
const known = new Map();

/** Returns the name of an engine for people. @param {string} name */
export function engineName(name) {
  return name === OWN ? 'juzhong' : name;
}

/** Returns the names of engines of other programs that may play the game on the board. @param {App} app */
function enginesOf(app) {
  return app.meta[app.game].engines ?? app.meta.engines ?? [];
}

/** Whether there are engines to choose from. @param {App} app */
export function hasEngines(app) {
  return enginesOf(app).length > 0;
}

/** Returns the engines with their names for people. @param {App} app @returns {[string, string][]} */
export function engineChoices(app) {
  return [OWN, ...enginesOf(app)].map((name) => [name, engineName(name)]);
}

/** Returns the engine that a setting means: where nothing is chosen, the server's usual one; the own one where that is of another game. @param {App} app @param {string} name */
export function meant(app, name) {
  const all = enginesOf(app);
  const wanted = name || app.meta.engine.usual || OWN;
  return all.includes(wanted) ? wanted : OWN;
}

/**
 * Returns the part of a question that names its engine, and the evaluation that was chosen for the own one.
 * @param {App} app @param {string} name @returns {{engine?: string, evaluation?: string}}
 */
export function byEngine(app, name) {
  const evaluation = app.game === 'xiangqi' && name === OWN ? chosenEvaluation(app) : undefined;
  return { ...(hasEngines(app) ? { engine: name } : {}), ...(evaluation ? { evaluation } : {}) };
}

/** Makes a choice among the engines. @param {App} app @param {string} value @param {(name: string) => void} onchange @param {import('./dom.js').Attributes} attributes */
export function enginePicker(app, value, onchange, attributes) {
  return select(engineChoices(app), value, onchange, attributes);
}

/** Returns what the server says of an engine; one of another program is started for that. @param {App} app @param {string} name */
export function factsOf(app, name) {
  // A server that was started anew may have other settings.
  if (name === OWN) return Promise.resolve(ownFacts(app));
  let facts = known.get(name);
  if (!facts) {
    facts = get('/api/engine', { engine: name });
    known.set(name, facts);
    // The next question may find it mended.
    facts.catch(() => known.delete(name));
  }
  return facts;
}

/** @param {App} app @returns {EngineFacts} */
function ownFacts({ meta }) {
  const upTo = (/** @type {number} */ max) => ({ min: 1, max, default: max });
  const evaluations = [meta.engine.evaluation, ...['network', 'classical'].filter((kind) => kind !== meta.engine.evaluation)];
  return { name: OWN, title: 'juzhong', threads: upTo(meta.engine.threads), hash: upTo(meta.engine.hash_mib), evaluations, strengths: [] };
}

/** Returns the evaluation that was chosen for the own engine, if one was; without a server there is no choice. @param {App} app */
function chosenEvaluation({ meta, settings }) {
  return meta.local ? undefined : settings.sizes[OWN]?.evaluation;
}

/** Returns the evaluation that the own engine searches with in xiangqi. @param {App} app */
export function evaluationOf(app) {
  return chosenEvaluation(app) || app.meta.engine.evaluation;
}

/**
 * Makes a choice among evaluations; `undefined` stands for the usual one, the first.
 * @param {string[]} kinds @param {string | undefined} value @param {(kind: string | undefined) => void} onchange
 */
export function evaluationField(kinds, value, onchange) {
  const names = new Map([['network', t('network')], ['classical', t('classical terms')]]);
  const options = /** @type {[string, string][]} */ (kinds.map((kind) => [kind, names.get(kind) ?? kind]));
  return el('label', { class: 'field' }, el('span', {}, t('Evaluation')),
    select(options, value ?? kinds[0] ?? '', (kind) => onchange(kind === kinds[0] ? undefined : kind)));
}

/** Leaves engines that the server has no more, and says so. @param {App} app */
export function leaveLost(app) {
  const all = app.meta.engines ?? [];
  const lost = /** @type {const} */ (['analyst', 'second', 'opponent']).filter((use) => app.settings[use] && app.settings[use] !== OWN && !all.includes(app.settings[use]));
  const names = [...new Set(lost.map((use) => app.settings[use]))];
  if (names.length === 0) return;
  app.change(Object.fromEntries(lost.map((use) => [use, use === 'second' ? '' : OWN])));
  // Without a server there are none at all, and nobody expects them.
  if (!app.meta.local) sayLost(app, names.join(', '));
}

/** @param {App} app @param {string} name */
export function sayLost(app, name) {
  app.say(t('The server has no engine {name} any more: juzhong takes its place.', { name }));
}

/**
 * Makes a field for a number of an engine; empty stands for the engine's own.
 * @param {string} label @param {Range | null | undefined} range @param {number | undefined} value @param {(value: number | undefined) => void} onchange
 */
export function rangeField(label, range, value, onchange) {
  if (!range || range.max <= range.min) return null;
  const field = numberField(label, value ?? '', (text) => {
    const number = Math.round(Number(text));
    const inside = text === '' || !Number.isFinite(number) ? undefined : Math.min(range.max, Math.max(range.min, number));
    const input = field.querySelector('input');
    if (input) input.value = inside === undefined ? '' : String(inside);
    onchange(inside);
  }, { min: range.min, max: range.max, placeholder: range.default ?? '' });
  field.title = t('{least} to {most}', { least: range.min, most: range.max });
  return field;
}
