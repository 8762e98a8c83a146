// Tests of the parts of the page that need no browser: `node --test tests/page/tree.test.mjs`.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fen from '../../src/web/page/fen.js';
import { along } from '../../src/web/page/panels/proof.js';
import { Session } from '../../src/web/page/session.js';
import { readGame, writeGame } from '../../src/web/page/wire.js';
import { loopMoves } from '../../src/web/page/status.js';
import { partsOf } from '../../src/web/page/comment.js';
import { legalMoves } from '../../src/web/page/rules.js';
import { Heights, pathOf, Tracks } from '../../src/web/page/tracks.js';
import * as tree from '../../src/web/page/tree.js';

const grow = (...lines) => lines.reduce((root, line) => tree.addLine(root, [], line.split(' ')).root, tree.node());

test('positions are read and written back', () => {
  for (const text of [fen.START.xiangqi, '3k5/9/9/9/9/9/9/9/4R4/5K3 b - - 7 31']) {
    assert.equal(fen.write('xiangqi', fen.parse('xiangqi', text)), text);
  }
  for (const text of [fen.START.gomoku, '15/15/15/15/15/15/8o6/7x7/15/15/15/15/15/15/15 x 5 renju']) {
    assert.equal(fen.write('gomoku', fen.parse('gomoku', text)), text);
  }
  for (const text of ['', 'rnbakabnr', '9/9/9/9/9/9/9/9/9/9/9 w', 'hello world']) assert.equal(fen.parse('xiangqi', text), null);
});

test('moves are played for drawing', () => {
  const after = fen.after('xiangqi', fen.START.xiangqi, ['h2e2', 'h9g7', 'e2e6']);
  assert.equal(fen.write('xiangqi', after), 'rnbakab1r/9/1c4nc1/p1p1C1p1p/9/9/P1P1P1P1P/1C7/9/RNBAKABNR b - - 0 2');
  assert.equal(fen.after('gomoku', fen.START.gomoku, ['h8', 'i9', 'a15']).men.get('a15'), 'x');
});

test('a position is found in a game, and the loop in which a line ends', () => {
  const moves = ['h2e2', 'h9g7', 'h0g2', 'g7h9', 'g2h0', 'h9g7'];
  const after = fen.write('xiangqi', fen.after('xiangqi', fen.START.xiangqi, moves.slice(0, 3)));
  assert.equal(fen.plyOf('xiangqi', '', moves, after.replace(/ \d+ \d+$/, ' 77 99')), 3);
  assert.equal(fen.plyOf('xiangqi', '', moves, '9/9/9/9/9/9/9/9/9/9 w - - 0 1'), 0);
  const line = moves.map((_, at) => fen.write('xiangqi', fen.after('xiangqi', fen.START.xiangqi, moves.slice(0, at + 1))));
  assert.equal(fen.loopStart(line), 1);
  assert.equal(fen.loopStart(line.slice(0, 4)), -1);
  assert.equal(fen.emptyLike('o13o/15/15/15/15/7x7/7x7/5xx8/15/15/15/15/15/15/o13o o 5 renju'), fen.START.gomoku.replace('x 5', 'x 5 renju'));
});

test('the moves of a loop are shown once each', () => {
  const moves = ['a', 'b', 'c', 'b', 'a', 'b', 'c', 'b'].map((move) => ({ move }));
  assert.equal(loopMoves({ verdict: 'black_loses', loop: { moves } }).length, 4);
  assert.equal(loopMoves({ verdict: 'black_loses', loop: { moves: moves.slice(0, 3) } }).length, 3);
  assert.equal(loopMoves({ verdict: 'none', loop: { moves } }).length, 0);
});

test('a proof says along its line who wins, and nothing off it', () => {
  const proof = { start: 's', moves: ['h8'], solution: { value: 'win', distance: 3, proof: 'vcf', line: ['a1', 'b1', 'c1'] } };
  assert.deepEqual(along(proof, 's', ['h8', 'a1']), { value: 'loss', distance: 2, proof: 'vcf', line: ['b1', 'c1'] });
  assert.deepEqual(along(proof, 's', ['h8', 'a1', 'b1', 'c1']).line, []);
  for (const moves of [[], ['h8', 'b1'], ['h8', 'a1', 'b1', 'c1', 'd1']]) assert.equal(along(proof, 's', moves), null);
  assert.equal(along(proof, 'other', ['h8']), null);
});

test('variations are added once, promoted and removed', () => {
  let root = grow('a b c', 'a d e', 'a b f');
  assert.equal(tree.count(root), 6);
  assert.deepEqual(tree.find(root, ['a', 'd', 'e']), [0, 1, 0]);
  assert.equal(tree.find(root, ['a', 'x']), null);
  const place = tree.promote(root, [0, 1, 0]);
  assert.deepEqual(place.path, [0, 0, 0]);
  assert.deepEqual(tree.movesTo(place.root, place.path), ['a', 'd', 'e']);
  root = tree.remove(place.root, [0, 0]).root;
  assert.deepEqual(tree.movesTo(root, tree.endOf(root, [])), ['a', 'b', 'c']);
});

test('an edit leaves the old tree as it was', () => {
  const root = grow('a b', 'c');
  const kept = JSON.stringify(root);
  tree.promote(root, [1]);
  tree.remove(root, [0]);
  tree.setComment(root, [0, 0], 'text');
  tree.addMove(root, [0, 0], { move: 'z' });
  assert.equal(JSON.stringify(root), kept);
});

test('undo and redo reach any depth, and a new edit forgets what was undone', () => {
  const session = new Session('xiangqi', () => {});
  const moves = Array.from({ length: 200 }, (_, at) => `a${at % 10}b${at % 10}`);
  moves.forEach((move) => session.play(move));
  for (let at = 0; at < 200; at++) session.undo();
  assert.deepEqual(session.moves, []);
  session.undo();
  for (let at = 0; at < 200; at++) session.redo();
  assert.deepEqual(session.moves, moves);
  session.undo();
  session.play('i0i1');
  session.redo();
  assert.equal(session.moves.at(-1), 'i0i1');
});

test('undo brings back the game that another one replaced, with its result and its place', () => {
  const session = new Session('xiangqi', () => {});
  session.load({ root: grow('h2e2 h9g7'), opened: true, result: '1-0', tags: { Red: 'A' } });
  const { id } = session;
  session.toEnd();
  session.load({});
  assert.notEqual(session.id, id);
  session.play('b2e2');
  session.undo();
  session.undo();
  assert.deepEqual([session.id, session.result, session.tags, session.moves], [id, '1-0', { Red: 'A' }, ['h2e2', 'h9g7']]);
  session.redo();
  session.redo();
  assert.deepEqual(session.moves, ['b2e2']);
});

test('undo brings back tags and result that were changed, not a result that came by playing', () => {
  const session = new Session('xiangqi', () => {});
  session.play('h2e2');
  session.describe({ Red: 'A' }, '1-0');
  session.describe({ Red: 'A' }, '1-0');
  session.describe({ Red: 'B' }, '1-0');
  session.play('h9g7');
  session.undo();
  session.undo();
  assert.deepEqual([session.tags, session.result, session.moves], [{ Red: 'A' }, '1-0', ['h2e2']]);
  session.undo();
  assert.deepEqual([session.tags, session.result, session.moves], [{}, '*', ['h2e2']]);
  session.redo();
  session.redo();
  assert.deepEqual([session.tags, session.result], [{ Red: 'B' }, '1-0']);
  session.redo();
  assert.deepEqual(session.moves, ['h2e2', 'h9g7']);
  session.result = '0-1';
  session.undo();
  assert.equal(session.result, '0-1');
});

test('what undo keeps has a bound', () => {
  const history = new tree.History();
  const path = Array(100_000).fill(0);
  for (let at = 0; at < 20; at++) history.note({ path, at });
  assert.ok(history.past.length < 6);
  assert.equal(history.undo({ path, at: 20 }).at, 19);
});

test('nothing calls itself once for each ply', () => {
  const moves = Array.from({ length: 50_000 }, (_, at) => ['h0g2', 'h9g7', 'g2h0', 'g7h9'][at % 4]);
  const game = readGame({ moves: moves.join(' '), comments: [[50_000, 'end']], lines: [{ of: 0, ply: 49_999, moves: 'a0a1' }] });
  const end = tree.endOf(game.root, []);
  assert.equal(end.length, 50_000);
  assert.equal(tree.count(game.root), 50_001);
  const edited = tree.setComment(tree.withoutTexts(game.root), end, 'other');
  assert.equal(tree.nodeAt(edited, end).comment, 'other');
  const list = JSON.parse(JSON.stringify(tree.toList(edited)));
  assert.deepEqual(tree.toList(tree.fromList(list)), list);
  assert.equal(writeGame({ ...game, root: tree.fromList(list) }).lines.length, 1);
  const tracks = new Tracks(edited);
  assert.deepEqual(pathOf(tracks.items.get(tree.nodeAt(edited, end))), end);
  const session = new Session('xiangqi', () => {});
  session.load({ root: game.root, path: end });
  assert.equal(session.position.number, 25_001);
  assert.equal(session.query.moves.split(',').length, 10_000);
  session.step(-1);
  assert.deepEqual(fen.write('xiangqi', session.position), fen.write('xiangqi', fen.after('xiangqi', fen.START.xiangqi, moves.slice(0, -1))));
});

test('a tree is kept as a list', () => {
  const root = tree.setComment(grow('a b c', 'a d e', 'f'), [0, 1], 'text');
  assert.deepEqual(tree.fromList(tree.toList(root)), root);
  assert.deepEqual(tree.fromList([]), tree.node());
});

test('the moves are cut into pieces at variations and after some moves', () => {
  const long = Array.from({ length: 100 }, (_, at) => `m${at}`).join(' ');
  const { pieces } = new Tracks(grow(long, 'm0 x y', 'm0 x z'));
  assert.deepEqual(pieces.map(({ depth, items }) => [depth, items.length]), [[0, 2], [1, 2], [2, 1], [0, 48], [0, 48], [0, 2]]);
  assert.deepEqual(pieces[3].items.map(({ ply }) => ply).slice(0, 2), [2, 3]);
  const heights = new Heights();
  heights.change([10, 10, 10]);
  heights.measure(1, 50);
  heights.change([10, 10, 12, 10]);
  assert.equal(heights.of(1), 50);
  assert.deepEqual(heights.between(0, 1), [0, 1]);
});

test('a long comment is cut into parts between words, and none is lost', () => {
  for (const text of ['', 'word '.repeat(5000), '注'.repeat(9000), '\u{1f600}'.repeat(5000)]) {
    const parts = partsOf(text);
    assert.equal(parts.join(''), text);
    assert.ok(parts.every((part) => part.length <= 4000 && !/[\ud800-\udbff]$/.test(part)));
  }
});

test('moves are known before the server has answered', () => {
  const moves = (text, game = 'xiangqi') => legalMoves(game, fen.parse(game, text), true);
  assert.equal(moves(fen.START.xiangqi).length, 44);
  // The kings would face each other; a pinned man; an elephant at the river.
  assert.deepEqual(moves('3k5/9/9/9/9/9/9/9/9/4K4 w').sort(), ['e0e1', 'e0f0']);
  assert.deepEqual(moves('4k4/9/9/9/9/9/9/9/4R4/4K4 w').filter((move) => move.startsWith('e1') && move[2] !== 'e'), []);
  assert.ok(!moves('3k5/9/9/9/9/2B6/9/9/9/4K4 w').some((move) => /^c4[ae]6/.test(move)));
  assert.equal(moves(fen.START.gomoku, 'gomoku').length, 225);
  assert.equal(moves('xxxxx10/15/15/15/15/15/15/15/15/15/15/15/15/15/15 o 5', 'gomoku').length, 0);
});

test('leaving a game opens a study, and the way back leads to the move that was left', () => {
  const session = new Session('xiangqi', () => {});
  session.load({ root: grow('h2e2 h9g7 h0g2'), opened: true });
  session.step(1);
  session.play('h7e7');
  session.play('h0g2');
  assert.ok(session.studying);
  assert.ok(tree.nodeAt(session.root, [0, 1, 0]).study);
  session.promote([0, 1]);
  session.backToGame();
  assert.deepEqual(session.moves, ['h2e2']);
  assert.ok(!session.studying);
});

test('games as lines of JSON become trees and lines again', () => {
  const record = { start: '', moves: 'h2e2 h9g7 h0g2 i9h9', result: '1-0', tags: { Red: 'A' }, comments: [[0, 'start'], [1, 'first']], glyphs: [[1, 1], [1, 16]],
    lines: [{ of: 0, ply: 1, moves: 'h7e7 h0g2 h9g7', comments: [[1, 'alt']], glyphs: [] }, { of: 1, ply: 2, moves: 'b9c7', comments: [[1, 'nest']], glyphs: [[1, 6]] },
      { of: 0, ply: 1, moves: 'b9c7', comments: [], glyphs: [] }] };
  const game = readGame(record);
  assert.deepEqual(tree.find(game.root, ['h2e2', 'h7e7', 'h0g2', 'b9c7']), [0, 1, 0, 1]);
  assert.equal(tree.nodeAt(game.root, [0, 1, 0, 1]).comment, 'nest');
  assert.deepEqual(writeGame(game), record);
});
