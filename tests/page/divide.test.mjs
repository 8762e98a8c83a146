// Tests how long files of games are divided, by Node: node --test tests/page/divide.test.mjs

import assert from 'node:assert/strict';
import test from 'node:test';

import { divide } from '../../src/web/page/divide.js';

const bytesOf = (text) => new TextEncoder().encode(text);
const piecesOf = (bytes) => divide(bytes).map(([start, end]) => new TextDecoder().decode(bytes.subarray(start, end)));

/** Returns a file of some games, of a bit more than 1 MiB. */
function many(game, least = 1100 << 10) {
  const length = bytesOf(game(0)).length;
  return Array.from({ length: Math.ceil(least / length) }, (_, at) => game(at)).join('');
}

test('PGN is divided between games', () => {
  for (const end of ['\n', '\r\n']) {
    const text = many((at) => ['[Event "甲"]', `[Red "R${at}"]`, '', '1. 炮二平五 {[Event "x"] 1-0}', '马８进７ 1-0', '', ''].join(end));
    const pieces = piecesOf(bytesOf(text));
    assert.equal(pieces.length, 3);
    assert.equal(pieces.join(''), text);
    for (const piece of pieces) assert.match(piece, /^\[Event "甲"\]\r?\n\[Red "R\d+"\][^]*马８进７ 1-0\s+$/);
  }
});

test('games without a result are told apart by their first tag', () => {
  const text = many((at) => `[Event "e"]\n[Red "R${at}"]\n\n1. h2e2 h9g7\n\n`);
  const pieces = piecesOf(bytesOf(text));
  assert.equal(pieces.length, 3);
  for (const piece of pieces) assert.match(piece, /^\[Event "e"\]/);
});

test('JSON lines are divided between lines', () => {
  const text = many((at) => `{"moves":"h2e2 h9g7","tags":{"Red":"甲${at}"}}\n`);
  const pieces = piecesOf(bytesOf(text));
  assert.equal(pieces.length, 3);
  assert.equal(pieces.join(''), text);
  for (const piece of pieces) for (const line of piece.trim().split('\n')) JSON.parse(line);
});

test('what cannot be told apart stays whole', () => {
  const long = 1 << 20;
  for (const text of ['x'.repeat(long), `[Event "${'x'.repeat(long)}"]`, `{"moves":"${'x'.repeat(long)}"}`, `PK\0${'[Event "x"]\n'.repeat(long / 12)}`, '']) {
    assert.equal(divide(bytesOf(text)).length, 1);
  }
  assert.equal(divide(Buffer.from('[Event "x"]\n\n*\n\n'.repeat(long / 16), 'utf16le')).length, 1);
});

test('dividing hostile text takes a moment', () => {
  for (const unit of ['1-0\n', '1-0\n \t \n', '[a "\n', '*\n\n\n\n', '{\n ']) {
    const bytes = bytesOf((unit.startsWith('{') ? '{' : '[') + unit.repeat((4 << 20) / unit.length));
    const start = performance.now();
    divide(bytes);
    const spent = performance.now() - start;
    assert.ok(spent < 2000, `${JSON.stringify(unit)}: ${spent} ms`);
  }
});
