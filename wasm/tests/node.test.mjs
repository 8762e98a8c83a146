// Asks the WebAssembly module under Node, and compares with the native program.
//
//   WASM=target/wasm32-unknown-unknown/release/juzhong_wasm.wasm JUZHONG=target/release/juzhong TABLES=tables node --test wasm/tests/node.test.mjs
//
// TABLES is a folder of endgame tables of rules asian and metric dtm.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { Bridge } from '../page/bridge.js';

const { WASM, JUZHONG, TABLES } = process.env;
const module = new WebAssembly.Module(readFileSync(WASM));
const events = [];
const bridge = new Bridge(module, (name, text) => events.push([name, JSON.parse(text)]));
/** The rule sets of play. */
const RULES = ['none', 'check', 'asian', 'computer', 'chinese'];
const names = readdirSync(TABLES).filter((name) => name.endsWith('.asian.dtm.jzt'));

/** What the program answers. */
function native(...args) {
  return JSON.parse(execFileSync(JUZHONG, ['--config', 'none', '--lang', 'en', ...args, '--json'], { encoding: 'utf8' }));
}

const text = (answer) => new TextDecoder().decode(answer.body);
const bytes = (string) => new TextEncoder().encode(string);

/** The number of leaves of the tree of moves, counted by positions as the page asks for them. */
function perft(fen, depth) {
  const { legal_moves } = bridge.json('/api/legal', { fen });
  if (depth === 1) return legal_moves.length;
  return legal_moves.reduce((sum, move) => sum + perft(bridge.json('/api/line', { fen, moves: move }).moves[0].fen, depth - 1), 0);
}

test('the module asks for three functions of the page and nothing else', () => {
  const imports = WebAssembly.Module.imports(module).map(({ module: from, name }) => `${from}.${name}`).sort();
  assert.deepEqual(imports, ['page.event', 'page.fill', 'page.now']);
});

test('positions are those of the program', () => {
  for (const fen of ['startpos', '3k5/9/9/9/9/9/9/9/4R4/4K4 w', '2bakab2/9/9/9/9/4C4/9/4R4/9/3K1A3 w - - 0 1']) {
    const args = fen === 'startpos' ? [] : ['--fen', fen];
    const known = native('position', ...args, '--notation', 'chinese');
    assert.deepEqual(bridge.json('/api/legal', { fen, notation: 'chinese' }), known);
    const evaluated = native('position', ...args, '--eval');
    assert.deepEqual(bridge.json('/api/eval', { fen }), evaluated);
  }
  assert.equal(bridge.json('/api/legal', { game: 'gomoku' }).legal_moves.length, 225);
});

test('perft counts are those that are published', () => {
  assert.equal(perft('startpos', 1), 44);
  assert.equal(perft('startpos', 2), 1920);
  assert.equal(perft('r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w', 2), 1128);
});

test('moves are read and written in every notation', () => {
  for (const [notation, written] of [['uci', 'h2e2'], ['iccs', 'H2-E2'], ['wxf', 'C2=5'], ['chinese', '炮二平五']]) {
    assert.deepEqual(bridge.json('/api/read', { text: written, notation }), { move: 'h2e2', text: written });
  }
  const { moves, status } = bridge.json('/api/line', { moves: '炮二平五 h9g7 N2+3', notation: 'wxf' });
  assert.deepEqual([moves.map((move) => move.text), status], [['C2=5', 'H8+7', 'H2+3'], 'ongoing']);
  const problem = bridge.ask('/api/read', { text: 'a0a9' });
  assert.deepEqual([problem.status, problem.kind, JSON.parse(text(problem)).code], [400, 'application/problem+json', 'bad_request']);
});

test('repetition is judged as by the program', () => {
  const fen = '3k5/9/9/9/9/9/9/4R4/9/5K3 w - - 0 1';
  const moves = Array(4).fill('e2d2 d9e9 d2e2 e9d9').join(' ');
  for (const rules of RULES) {
    const known = native('position', '--fen', fen, '--rules', rules, '--notation', 'uci', '--moves', ...moves.split(' '));
    assert.deepEqual(bridge.json('/api/legal', { fen, moves, rules, notation: 'uci' }), known);
  }
  assert.equal(bridge.json('/api/legal', { fen, moves }).verdict, 'red_loses');
});

test('games are read and written', () => {
  const pgn = '[Game "Chinese Chess"]\n[Red "A"]\n[Black "B"]\n[Result "1-0"]\n\n1. C2=5 H8+7 2. H2+3 R9=8 1-0\n';
  const opened = bridge.json('/api/open', { name: 'a.pgn' }, bytes(pgn));
  assert.deepEqual([opened.total, opened.game.moves, opened.game.result], [1, 'h2e2 h9g7 h0g2 i9h9', '1-0']);
  for (const format of ['pgn', 'xqf', 'dhtmlxq', 'jsonl']) {
    const saved = bridge.ask('/api/save', { format, notation: 'chinese' }, bytes(JSON.stringify(opened.game)));
    assert.equal(saved.status, 200);
    assert.equal(bridge.json('/api/open', { name: 'b' }, saved.body).game.moves, opened.game.moves, format);
  }
  const broken = bridge.json('/api/open', { name: 'a.pgn' }, bytes(pgn.replace('R9=8', 'R9=1')));
  assert.match(broken.ends, /^a\.pgn:6: game 1 ends before move 2 of Black: /);
  const converted = bridge.ask('/api/convert', { to: 'jsonl' }, bytes(pgn + pgn));
  assert.equal(text(converted).trim().split('\n').length, 2);
  const sgf = '(;GM[4]FF[4]SZ[15];B[hh];W[ii])';
  assert.equal(bridge.json('/api/open', { game: 'gomoku' }, bytes(sgf)).game.moves.split(' ').length, 2);
  assert.equal(bridge.ask('/api/open', {}, crypto.getRandomValues(new Uint8Array(1000))).status, 400);
});

test('tables say what the program says of them', () => {
  assert.equal(bridge.ask('/api/table', { fen: '3k5/9/9/9/9/9/9/9/4R4/4K4 w' }).status, 404);
  for (const name of names) assert.equal(bridge.ask('/tables/put', { name }, readFileSync(`${TABLES}/${name}`)).status, 200);
  for (const fen of ['3k5/9/9/9/9/9/9/9/4R4/4K4 w', '4k4/9/4n4/9/9/9/9/9/4R4/4K4 b', '3k5/4P4/9/9/9/9/9/9/9/4K4 w']) {
    const known = native('tablebase', 'probe', '--tables', TABLES, '--fen', fen, '--notation', 'wxf');
    assert.deepEqual(bridge.json('/api/table', { fen, notation: 'wxf' }), known);
    assert.ok(Array.isArray(bridge.json('/api/table/line', { fen }).moves));
  }
  const stats = native('tablebase', 'stats', '--tables', TABLES, 'KRvKN');
  assert.deepEqual(bridge.json('/api/tables/KRvKN'), stats);
  for (let n = 0; n < 20; n++) {
    const { fen, wdl, distance } = bridge.json('/api/table/random', { set: 'KRvKN', wdl: 'win' });
    const value = bridge.json('/api/table', { fen });
    assert.deepEqual([wdl, value.wdl, value.distance], ['win', 'win', distance]);
  }
  const { sets } = bridge.json('/tables/needed', { fen: '4k4/9/4n4/9/9/9/9/9/4R4/4K4 b', men: '4' });
  assert.deepEqual([sets[0], sets.includes('KRvK')], ['KRvKN', true]);
  assert.equal(bridge.ask('/tables/put', { name: '../a' }, new Uint8Array(9)).status, 400);
});

test('a damaged table is an error', () => {
  const other = new Bridge(module);
  const bytes = Uint8Array.from(readFileSync(`${TABLES}/KRvK.asian.dtm.jzt`));
  for (const change of [bytes.slice(0, 100), bytes.map((byte, at) => at > 60 ? byte ^ 0x55 : byte), new Uint8Array(40)]) {
    other.ask('/tables/put', { name: 'KRvK.asian.dtm.jzt' }, change);
    assert.equal(other.ask('/api/table', { fen: '3k5/9/9/9/9/9/9/9/4R4/4K4 w' }).status, 500);
  }
});

test('the engine finds a mate, as the program does', () => {
  const fen = '3k5/R8/9/9/9/9/9/9/1R7/5K3 w';
  events.length = 0;
  const best = bridge.json('/api/analyse', { fen, depth: '6', multipv: '2', notation: 'wxf' });
  assert.equal(best.move, 'b1b9');
  const last = events.filter(([name, info]) => name === 'info' && info.multipv === 1).at(-1)[1];
  assert.deepEqual(last.score, { mate: 1, plies: 1 });
  const middle = 'r1bakabr1/9/1cn3nc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C1N2/9/RNBAKABR1 w - - 0 1';
  const other = new Bridge(module, (name, text) => events.push([name, JSON.parse(text)]));
  events.length = 0;
  other.json('/api/analyse', { fen: middle, depth: '10' });
  const known = native('analyse', '--fen', middle, '--depth', '10', '--threads', '1', '--hash', '32');
  const { pv, nodes } = events.filter(([name]) => name === 'info').at(-1)[1];
  assert.deepEqual([pv, nodes], [known.pv, known.nodes]);
});

test('the engine plays, by the tables where they know, and within its time', () => {
  const play = (query, wanted) => bridge.json('/api/move', query, bytes(JSON.stringify(wanted)));
  const won = play({ fen: '3k5/9/9/9/9/9/9/9/4R4/4K4 w' }, { level: 1 });
  assert.equal(won.source, 'table');
  assert.equal(play({ fen: '3k5/9/9/9/9/9/9/9/4R4/4K4 w' }, { tables: false }).source, 'search');
  const began = performance.now();
  const { move, nodes } = play({}, { movetime: 500 });
  const time = performance.now() - began;
  assert.ok(time > 300 && time < 2000, `${time} ms`);
  assert.equal(bridge.json('/api/legal', {}).legal_moves.includes(move), true);
  console.log(`${Math.round(nodes / time)} thousand nodes a second`);
  assert.ok(play({ game: 'gomoku', moves: 'h8 i9' }, { movetime: 200 }).move);
});

test('gomoku is solved', () => {
  const { value, proof } = bridge.json('/api/solve', { game: 'gomoku', moves: 'h8 a1 h9 a2 h10 a3', seconds: '10' });
  assert.deepEqual([value, Boolean(proof)], ['win', true]);
});

test('what needs a server says so, and nonsense is refused', () => {
  for (const path of ['/api/book', '/api/review', '/api/games', '/api/autosave', '/chessdb']) {
    const problem = bridge.ask(path);
    assert.deepEqual([problem.status, JSON.parse(text(problem)).code], [501, 'needs_server'], path);
  }
  for (const query of [{ fen: 'x' }, { game: 'chess' }, { notation: 'x' }, { moves: 'h2h3'.repeat(20000) }]) {
    assert.equal(bridge.ask('/api/legal', query).status, 400, JSON.stringify(query).slice(0, 40));
  }
  assert.equal(bridge.ask('/api/move', {}, bytes('{')).status, 400);
});
