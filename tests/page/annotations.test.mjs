// Tests of what stands in comments and beside moves: node --test tests/page/annotations.test.mjs

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { colourOf, divide, glyphText, plainComment, shapesOf, toggleGlyph, toggleShape, withShapes, withText } from '../../src/web/page/annotations.js';
import { node } from '../../src/web/page/tree.js';
import { readGame, writeGame } from '../../src/web/page/wire.js';

const COMMENT = '[%csl Gc3,Rh9][%cal Gh2e2,Ya0a9,Bb7g7] the cannon looks at the pawn';

test('arrows and circles are read from a comment', () => {
  assert.deepEqual(shapesOf(COMMENT), [
    { from: 'c3', to: 'c3', colour: 'G' }, { from: 'h9', to: 'h9', colour: 'R' },
    { from: 'h2', to: 'e2', colour: 'G' }, { from: 'a0', to: 'a9', colour: 'Y' }, { from: 'b7', to: 'g7', colour: 'B' },
  ]);
  assert.equal(plainComment(COMMENT), 'the cannon looks at the pawn');
  assert.deepEqual(shapesOf('[%cal Gh8h15]'), [{ from: 'h8', to: 'h15', colour: 'G' }]);
});

test('what is drawn is written as it was read', () => {
  for (const comment of [COMMENT, '[%csl Ra0]', '[%cal Ge0e1] x', 'no command', '']) {
    assert.equal(withShapes(comment, shapesOf(comment)), comment);
    assert.equal(withText(comment, plainComment(comment)), comment);
  }
});

test('other commands stay, and the text stays what it is', () => {
  const comment = '[%clk 0:01:00] good [%eval 0.3] move';
  assert.equal(divide(comment).text, 'good  move');
  assert.equal(toggleShape(comment, { from: 'a0', to: 'a0', colour: 'R' }), '[%csl Ra0][%clk 0:01:00][%eval 0.3] good  move');
  assert.equal(withText('[%cal Ga0a1] old', 'new'), '[%cal Ga0a1] new');
  assert.equal(withText('[%cal Ga0a1] old', ''), '[%cal Ga0a1]');
});

test('a shape drawn again goes, in another colour it changes', () => {
  const shape = { from: 'a0', to: 'a1', colour: 'G' };
  const once = toggleShape('', shape);
  assert.equal(once, '[%cal Ga0a1]');
  assert.equal(toggleShape(once, shape), '');
  assert.equal(toggleShape(once, { ...shape, colour: 'R' }), '[%cal Ra0a1]');
});

test('what is no shape is no shape', () => {
  for (const comment of ['[%cal Xa0a1]', '[%cal Ga0]', '[%csl Ga0a1]', '[%cal', '[%cal ]', '[%cal <b>]', '[%cal Ga0a1[%csl', '[cal Ga0a1]']) {
    assert.deepEqual(shapesOf(comment), [], comment);
  }
});

test('hostile comments take no longer than they are long', () => {
  const began = performance.now();
  for (const comment of ['[%cal '.repeat(300_000), `[%cal ${'Ga0a1,'.repeat(300_000)}]`, '[%a'.repeat(600_000), `[%cal${' '.repeat(1_000_000)}`, '[%cal Ga0a1]'.repeat(100_000)]) {
    assert.ok(shapesOf(comment).length <= 100);
    plainComment(comment);
  }
  assert.ok(performance.now() - began < 2000);
});

test('modifier keys choose the colour as on lichess', () => {
  const keys = { shiftKey: false, ctrlKey: false, altKey: false, metaKey: false };
  assert.equal(colourOf(keys), 'G');
  assert.equal(colourOf({ ...keys, shiftKey: true }), 'R');
  assert.equal(colourOf({ ...keys, ctrlKey: true }), 'R');
  assert.equal(colourOf({ ...keys, altKey: true }), 'B');
  assert.equal(colourOf({ ...keys, shiftKey: true, altKey: true }), 'Y');
});

test('a move has one glyph of its own and one of its position', () => {
  assert.deepEqual(toggleGlyph(undefined, 4), [4]);
  assert.deepEqual(toggleGlyph([4], 1), [1]);
  assert.deepEqual(toggleGlyph([1], 16), [1, 16]);
  assert.deepEqual(toggleGlyph([1, 16], 1), [16]);
  assert.equal(glyphText(node({ glyphs: [3, 16] })), '!! ±');
  assert.equal(glyphText(node({ mark: '?' })), '?');
  assert.equal(glyphText(node({ mark: '?', glyphs: [16] })), '? ±');
  assert.equal(glyphText(node({ mark: '?', glyphs: [5, 140] })), '!? $140');
});

test('glyphs and comments of all lines are read and written', () => {
  const record = {
    start: '', moves: 'h2e2 h9g7 h0g2', result: '*', tags: {}, comments: [[0, 'before'], [1, COMMENT]], glyphs: [[1, 1], [1, 16], [3, 5]],
    lines: [{ of: 0, ply: 1, moves: 'h7e7 h0g2', comments: [[1, '[%csl Re7]']], glyphs: [[2, 6]] }],
  };
  assert.deepEqual(writeGame(readGame(record)), record);
});

test('several comments on a move become one', () => {
  const { root } = readGame({ moves: 'h2e2', comments: [[1, '[%csl Ga0]'], [1, 'text']] });
  assert.equal(root.children[0].comment, '[%csl Ga0]\ntext');
});
