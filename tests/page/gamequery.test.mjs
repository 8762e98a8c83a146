// Tests of what lists of games show, as addresses have it. Run by: node --test tests/page/gamequery.test.mjs

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ALL_GAMES, materialOf, readGameQuery, writeGameQuery } from '../../src/web/page/gamequery.js';

test('an address holds what a list shows', () => {
  assert.equal(writeGameQuery(ALL_GAMES), '');
  const query = { ...ALL_GAMES, words: 'hu ronghua 1979', yearFrom: '1960', minRating: '2400', material: 'KRCvKR', sort: 'date', descending: true, copies: true, through: true, page: 3 };
  assert.deepEqual(readGameQuery(new URLSearchParams(writeGameQuery(query))), query);
  assert.deepEqual(readGameQuery(new URLSearchParams('from=x&sort=nothing&page=-2')), ALL_GAMES);
});

test('material is read in any width and case', () => {
  for (const typed of ['KRCvKR', 'krcvkr', ' KRC V KR ', 'ＫＲＣｖＫＲ', 'ｋｒｃＶｋｒ']) assert.equal(materialOf(typed), 'KRCvKR', typed);
  assert.equal(materialOf('  '), '');
  assert.equal(materialOf('krc'), 'KRC');
});
