// What the server sends and takes, and what the page makes of it.

import { mainLine, node } from './tree.js';

/** @typedef {import('./tree.js').Node} Node */

/**
 * A game as a line of JSON has it: the main line, its comments by ply, and the variations,
 * each of which leaves another line after some of its moves.
 * @typedef {object} Record_
 * @property {string} [start]
 * @property {string} [moves]
 * @property {string} [result]
 * @property {Record<string, string>} [tags]
 * @property {[number, string][]} [comments]
 * @property {[number, number][]} [glyphs] by ply, as PGN numbers them
 * @property {{of: number, ply: number, moves: string, comments?: [number, string][], glyphs?: [number, number][]}[]} [lines]
 */

/** @typedef {{tags: Record<string, string>, start: string, result: string, root: Node}} Game */

/** @param {string | undefined} moves */
function words(moves) {
  return (moves ?? '').split(/\s+/).filter(Boolean);
}

/** Returns a game of the server as a tree. @param {Record_} record @returns {Game} */
export function readGame(record) {
  const { tags = {}, start = '', result = '*' } = record;
  return { tags, start, result, root: readLines(record) };
}

/** A node that nobody else has yet. @typedef {Omit<Node, 'children'> & {children: Growing[]}} Growing */

/**
 * A line while it is read: the line that it leaves, after how many plies from the start, the node there, and its own nodes.
 * @typedef {{left: ReadLine | null, from: number, base: Growing, nodes: Growing[]}} ReadLine
 */

/** @param {string} move */
function grow(move) {
  return /** @type {Growing} */ (node({ move, children: [] }));
}

/** @param {Record_} record */
function readLines(record) {
  const root = grow('');
  /** @type {ReadLine} */
  const top = { left: null, from: 0, base: root, nodes: [] };
  const read = [addRead(top, 0, record)];
  for (const line of record.lines ?? []) {
    const left = read[line.of] ?? top;
    read.push(addRead(left, left.from + Math.min(line.ply, left.nodes.length), line));
  }
  return root;
}

/**
 * Adds a line that leaves another; moves that are there already are followed. Several comments on a move become one.
 * @param {ReadLine} left @param {number} from plies before it
 * @param {{moves?: string, comments?: [number, string][], glyphs?: [number, number][]}} parts @returns {ReadLine}
 */
function addRead(left, from, { moves, comments = [], glyphs = [] }) {
  const base = nodeOf(left, from);
  let here = base;
  const nodes = words(moves).map((move) => {
    const known = here.children.find((child) => child.move === move);
    const next = known ?? grow(move);
    if (!known) here.children.push(next);
    here = next;
    return next;
  });
  const line = { left, from, base, nodes };
  const at = (/** @type {number} */ ply) => nodeOf(line, from + Math.min(ply, nodes.length));
  for (const [ply, text] of comments) at(ply).comment = [at(ply).comment, text].filter(Boolean).join('\n');
  for (const [ply, glyph] of glyphs) at(ply).glyphs = [...at(ply).glyphs ?? [], glyph];
  return line;
}

/** Returns the node after some plies of a line, which may be one of a line that it leaves. @param {ReadLine} line @param {number} ply @returns {Growing} */
function nodeOf(line, ply) {
  let here = line;
  while (here.left && ply < here.from) here = here.left;
  return here.nodes[ply - here.from - 1] ?? here.base;
}

/** Returns a game as the server takes it. @param {Game} game @returns {Record_} */
export function writeGame({ tags, start, result, root }) {
  const main = [root, ...mainLine(root)];
  const comments = commentsOf(main);
  return { start, moves: movesOf(main), result, tags, comments: root.comment ? [[0, root.comment], ...comments] : comments, glyphs: glyphsOf(main), lines: branchesOf(main) };
}

/**
 * Returns the variations that leave a line, each followed by those that leave it.
 * @param {readonly Node[]} main the line, after the node where it begins @returns {NonNullable<Record_['lines']>}
 */
function branchesOf(main) {
  /** @type {NonNullable<Record_['lines']>} */
  const lines = [];
  const open = [{ nodes: main, of: 0, ply: 0, next: 1 }];
  for (let line = open.at(-1); line; line = open.at(-1)) {
    const here = line.nodes[line.ply];
    const child = here?.children[line.next++];
    if (here && child) {
      const nodes = [here, child, ...mainLine(child)];
      lines.push({ of: line.of, ply: line.ply, moves: movesOf(nodes), comments: commentsOf(nodes), glyphs: glyphsOf(nodes) });
      open.push({ nodes, of: lines.length, ply: 1, next: 1 });
    } else if (here) {
      Object.assign(line, { ply: line.ply + 1, next: 1 });
    } else {
      open.pop();
    }
  }
  return lines;
}

/** @param {readonly Node[]} line after the node where it begins */
function movesOf(line) {
  return line.slice(1).map(({ move }) => move).join(' ');
}

/** @param {readonly Node[]} line after the node where it begins @returns {[number, string][]} */
function commentsOf(line) {
  return line.flatMap(({ comment }, ply) => /** @type {[number, string][]} */ (comment && ply > 0 ? [[ply, comment]] : []));
}

/** @param {readonly Node[]} line after the node where it begins @returns {[number, number][]} */
function glyphsOf(line) {
  return line.flatMap(({ glyphs = [] }, ply) => (ply > 0 ? glyphs.map((glyph) => /** @type {[number, number]} */ ([ply, glyph])) : []));
}

/** @typedef {{material: string, bytes: number}} SetInfo */
/** @typedef {{win: number, draw: number, loss: number, by_rule_win?: number, by_rule_loss?: number, longest_win?: number, longest_fen?: string | null, histogram?: {distance: number, count: number, wdl: string, order?: number}[]}} SideStats */
/** @typedef {{material: string, bytes: number, red: SideStats, black: SideStats}} SetStats */

/** Returns how many positions are won at each distance, for either side, and how many of them by the rules of repetition. @param {SetStats} stats @returns {[number, number, number][]} */
export function winsByDistance(stats) {
  /** @type {Map<number, [number, number, number]>} */
  const counts = new Map();
  for (const { distance, count, wdl, order = 0 } of [...stats.red.histogram ?? [], ...stats.black.histogram ?? []]) {
    if (wdl !== 'win') continue;
    const [, all, byRule] = counts.get(distance) ?? [distance, 0, 0];
    counts.set(distance, [distance, all + count, byRule + (order > 0 ? count : 0)]);
  }
  return [...counts.values()].sort((a, b) => a[0] - b[0]);
}

/** Returns the number of men in a set, kings included. @param {string} material */
export function menOf(material) {
  return material.replace('v', '').length;
}
