// Tests of the choice of engines, without a browser: node --test tests/page/engines.test.mjs

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { byEngine, engineChoices, hasEngines, meant, OWN } from '../../src/web/page/engines.js';

/** @typedef {import('../../src/web/page/app.js').App} App */

/** A page with engines of both games. @param {import('../../src/web/page/fen.js').GameName} game @param {string | null} usual */
function app(game, usual = null) {
  const none = { books: [], tables: null };
  const meta = {
    engine: { threads: 1, hash_mib: 1, levels: [1, 10], usual }, engines: ['fish', 'pela', 'any'],
    xiangqi: { ...none, engines: ['fish', 'any'] }, gomoku: { ...none, engines: ['pela', 'any'] },
  };
  return /** @type {App} */ (/** @type {unknown} */ ({ game, meta }));
}

test('engines of the other game are not offered', () => {
  assert.deepEqual(engineChoices(app('xiangqi')).map(([name]) => name), [OWN, 'fish', 'any']);
  assert.deepEqual(engineChoices(app('gomoku')).map(([name]) => name), [OWN, 'pela', 'any']);
});

test('a choice that is of the other game means the own engine', () => {
  assert.deepEqual(['fish', 'pela', 'any', 'gone', ''].map((name) => meant(app('gomoku'), name)), [OWN, 'pela', 'any', OWN, OWN]);
  assert.equal(meant(app('xiangqi', 'fish'), ''), 'fish');
  assert.equal(meant(app('gomoku', 'fish'), ''), OWN);
});

test('servers that do not say which engine is of which game offer all', () => {
  const old = app('gomoku');
  delete old.meta.gomoku.engines;
  assert.equal(engineChoices(old).length, 4);
  assert.deepEqual(byEngine(old, 'fish'), { engine: 'fish' });
  old.meta.engines = [];
  assert.equal(hasEngines(old), false);
  assert.deepEqual(byEngine(old, OWN), {});
});

test('the chosen evaluation goes with the own engine, in xiangqi, to a server', () => {
  const choosing = (/** @type {App} */ made, local = false) => Object.assign(made, { settings: { sizes: { [OWN]: { evaluation: 'classical' } } }, meta: { ...made.meta, local } });
  assert.deepEqual(byEngine(choosing(app('xiangqi')), OWN), { engine: OWN, evaluation: 'classical' });
  assert.deepEqual(byEngine(choosing(app('xiangqi')), 'fish'), { engine: 'fish' });
  assert.deepEqual(byEngine(choosing(app('gomoku')), OWN), { engine: OWN });
  assert.deepEqual(byEngine(choosing(app('xiangqi'), true), OWN), { engine: OWN });
});
