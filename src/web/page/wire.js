// What the server sends and takes, and what the page makes of it.

import { addLine, change, find, lineTo, node, nodeAt, setComment, movesTo, endOf } from './tree.js';

/** @typedef {import('./tree.js').Node} Node */
/** @typedef {import('./tree.js').Path} Path */

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

/** @param {Record_} record */
function readLines(record) {
  const main = words(record.moves);
  let root = withNotes(addLine(node(), [], main).root, [], main, record);
  const ways = [main];
  const starts = [0];
  for (const line of record.lines ?? []) {
    const kept = (ways[line.of] ?? []).slice(0, (starts[line.of] ?? 0) + line.ply);
    const moves = words(line.moves);
    const from = find(root, kept);
    if (!from) continue;
    root = addLine(root, from, moves).root;
    root = withNotes(root, kept, moves, line);
    ways.push([...kept, ...moves]);
    starts.push(kept.length);
  }
  return root;
}

/**
 * Puts the comments and glyphs of a line into a tree; several comments on a move become one.
 * @param {Node} root @param {readonly string[]} before @param {readonly string[]} moves @param {{comments?: [number, string][], glyphs?: [number, number][]}} line
 */
function withNotes(root, before, moves, { comments = [], glyphs = [] }) {
  const at = (/** @type {number} */ ply) => find(root, [...before, ...moves.slice(0, ply)]);
  const commented = comments.reduce((tree, [ply, text]) => {
    const path = at(ply);
    return path ? setComment(tree, path, [nodeAt(tree, path).comment, text].filter(Boolean).join('\n')) : tree;
  }, root);
  return glyphs.reduce((tree, [ply, glyph]) => {
    const path = at(ply);
    return path ? change(tree, path, (old) => ({ ...old, glyphs: [...old.glyphs ?? [], glyph] })) : tree;
  }, commented);
}

/** Returns a game as the server takes it. @param {Game} game @returns {Record_} */
export function writeGame({ tags, start, result, root }) {
  /** @type {NonNullable<Record_['lines']>} */
  const lines = [];
  const main = endOf(root, []);
  writeBranches(root, [], main, 0, lines);
  const comments = commentsOf(root, [], main);
  return { start, moves: movesTo(root, main).join(' '), result, tags, comments: root.comment ? [[0, root.comment], ...comments] : comments,
    ...glyphsOf(root, [], main), lines };
}

/**
 * Adds the variations that leave a line, and those that leave them.
 * @param {Node} root @param {Path} from where the line begins @param {Path} to where it ends
 * @param {number} of the number of the line @param {NonNullable<Record_['lines']>} lines
 */
function writeBranches(root, from, to, of, lines) {
  for (let at = from.length; at < to.length; at++) {
    const way = to.slice(0, at);
    const count = nodeAt(root, way).children.length;
    const first = at === from.length && of > 0 ? count : 1;
    for (let index = first; index < count; index++) {
      const end = endOf(root, [...way, index]);
      const moves = movesTo(root, end).slice(at).join(' ');
      lines.push({ of, ply: at - from.length, moves, comments: commentsOf(root, way, end), ...glyphsOf(root, way, end) });
      writeBranches(root, way, end, lines.length, lines);
    }
  }
}

/** @param {Node} root @param {Path} from @param {Path} to @returns {[number, string][]} */
function commentsOf(root, from, to) {
  return lineTo(root, to).slice(from.length).flatMap(({ comment }, at) => /** @type {[number, string][]} */ (comment ? [[at + 1, comment]] : []));
}

/** Returns the glyphs of a line as a member, if it has any. @param {Node} root @param {Path} from @param {Path} to @returns {{glyphs?: [number, number][]}} */
function glyphsOf(root, from, to) {
  const glyphs = lineTo(root, to).slice(from.length).flatMap((node_, at) => (node_.glyphs ?? []).map((glyph) => /** @type {[number, number]} */ ([at + 1, glyph])));
  return glyphs.length > 0 ? { glyphs } : {};
}

/** @typedef {{material: string, bytes: number}} SetInfo */
/** @typedef {{win: number, draw: number, loss: number, by_rule_win?: number, by_rule_loss?: number, longest_win?: number, longest_fen?: string | null, histogram?: {distance: number, count: number, wdl: string}[]}} SideStats */
/** @typedef {{material: string, bytes: number, red: SideStats, black: SideStats}} SetStats */

/** Returns how many positions are won at each distance, for either side. @param {SetStats} stats @returns {[number, number][]} */
export function winsByDistance(stats) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const { distance, count, wdl } of [...stats.red.histogram ?? [], ...stats.black.histogram ?? []]) {
    if (wdl === 'win') counts.set(distance, (counts.get(distance) ?? 0) + count);
  }
  return [...counts].sort((a, b) => a[0] - b[0]);
}

/** Returns the number of men in a set, kings included. @param {string} material */
export function menOf(material) {
  return material.replace('v', '').length;
}
