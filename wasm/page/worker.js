// The worker of the page without a server: answers one question after the other by the WebAssembly module, and fetches
// the endgame tables that a position needs. The page ends it to end a search.

import { Bridge } from './bridge.js';

/** @typedef {{files: Record<string, {file: string, bytes: number}>, men: number}} TableList by the names of the sets */
/** @typedef {{module: WebAssembly.Module, tables: TableList | null, site: string}} Beginning where the site is */
/** @typedef {{id: number, path: string, query: Record<string, string>, body: ArrayBuffer | null}} Question */

/** Bytes of tables that are kept, at most. */
const MOST_BYTES = 256 << 20;
/** Bytes of tables that are fetched all at once, whatever the position: a search then finds them in every line. */
const FEW_BYTES = 4 << 20;
/** Addresses whose answers depend on tables. */
const ABOUT_TABLES = /^\/api\/(table$|table\/|tables\/|analyse$|move$)/;

/** What the page handed in. @type {Beginning | null} */
let beginning = null;
/** @type {Bridge | null} */
let bridge = null;
let current = 0;
/** Whether the module has the Chinese texts. */
let chinese = false;
/** The sets whose files are kept, those not needed for the longest time first, with their bytes. @type {Map<string, number>} */
const kept = new Map();
/** One question after the other, though tables are waited for. */
let last = Promise.resolve();

addEventListener('message', ({ data }) => {
  if ('module' in data) {
    beginning = data;
    bridge = new Bridge(data.module, (name, text) => postMessage({ id: current, name, text }));
    return;
  }
  last = last.then(() => answer(data));
});

/** @param {Question} question */
async function answer({ id, path, query, body }) {
  if (!bridge) return;
  current = id;
  try {
    if (query['lang'] === 'zh' && !chinese) await fetchTexts(bridge);
    if (ABOUT_TABLES.test(path) && query['game'] !== 'gomoku') await fetchTables(bridge, path, query);
    const bytes = body ? new Uint8Array(body) : undefined;
    const result = bridge.ask(path, query, bytes);
    postMessage({ id, ...result }, { transfer: [result.body.buffer] });
  } catch (error) {
    // Memory of the module that has broken down is not used again.
    postMessage({ id, failure: String(error) });
  }
}

/** Fetches the Chinese texts. @param {Bridge} module */
async function fetchTexts(module) {
  chinese = true;
  try {
    const response = await fetch(`${beginning?.site}texts.json`);
    if (response.ok) module.ask('/texts/put', {}, new Uint8Array(await response.arrayBuffer()));
  } catch {
    // Texts are English then.
  }
}

/** Fetches the tables that a question needs and that are not here. @param {Bridge} module @param {string} path @param {Record<string, string>} query */
async function fetchTables(module, path, query) {
  const { tables, site } = /** @type {Beginning} */ (beginning);
  if (!tables) return;
  const needed = setsNeeded(module, tables, path, query);
  await Promise.all(needed.map((name) => fetchTable(module, tables, `${site}tables/`, name)));
  let bytes = [...kept.values()].reduce((sum, size) => sum + size, 0);
  for (const [name, size] of kept) {
    if (bytes <= MOST_BYTES || needed.includes(name)) break;
    module.ask('/tables/remove', { name: tables.files[name]?.file ?? '' });
    kept.delete(name);
    bytes -= size;
  }
}

/** Returns the names of the sets that a question needs. @param {Bridge} module @param {TableList} tables @param {string} path @param {Record<string, string>} query */
function setsNeeded(module, tables, path, query) {
  const files = Object.entries(tables.files);
  if (files.reduce((sum, [, { bytes }]) => sum + bytes, 0) <= FEW_BYTES) return files.map(([name]) => name);
  const set = /^\/api\/tables\/(.*)/.exec(path)?.[1];
  const question = { men: String(tables.men), fen: query['fen'] ?? '', moves: query['moves'] ?? '', set: set ?? query['set'] ?? '' };
  /** @type {string[]} */
  const wanted = module.json('/tables/needed', question).sets ?? [];
  return wanted.filter((name) => tables.files[name]);
}

/** @param {Bridge} module @param {TableList} tables @param {string} folder @param {string} name of the set */
async function fetchTable(module, tables, folder, name) {
  const size = kept.get(name);
  if (size !== undefined) {
    kept.delete(name);
    kept.set(name, size);
    return;
  }
  const file = tables.files[name]?.file ?? '';
  try {
    const response = await fetch(folder + file);
    if (!response.ok) return;
    const bytes = new Uint8Array(await response.arrayBuffer());
    module.ask('/tables/put', { name: file }, bytes);
    kept.set(name, bytes.length);
  } catch {
    // Without it the answer says that the set is not there.
  }
}
