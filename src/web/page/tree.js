// The tree of a game: a value that is never changed in place. Every edit returns a new tree
// that shares all other parts with the old one, so undo to any depth only keeps the old roots.
// Only the texts of moves, which are what they were last read as, are filled in later.
// A game may be tens of thousands of plies long: nothing here calls itself once for each ply.

/**
 * A move with what follows it; the root has an empty move.
 * @typedef {object} Node
 * @property {string} move coordinates, such as `h2e2`
 * @property {string} text the move in the notation it was last read in
 * @property {string} comment
 * @property {boolean} study whether the branch was opened while studying
 * @property {string} source where the move came from: book, table, search, or empty
 * @property {string} mark of a review: `?`, `??`, `?!`, `!` or empty
 * @property {readonly number[]} [glyphs] numbers of annotation glyphs, as PGN has them
 * @property {readonly Node[]} children the first is the main line
 */

/** The way to a node: which child at each step. @typedef {readonly number[]} Path */

/** @typedef {{root: Node, path: Path}} Place */

/** @param {Partial<Node>} [parts] @returns {Node} */
export function node(parts = {}) {
  return { move: '', text: '', comment: '', study: false, source: '', mark: '', children: [], ...parts };
}

/** Returns the node at a path, or the last one that the path reaches. @param {Node} root @param {Path} path */
export function nodeAt(root, path) {
  return path.reduce((here, index) => here.children[index] ?? here, root);
}

/** Returns the nodes from the first move to the one at the path. @param {Node} root @param {Path} path */
export function lineTo(root, path) {
  /** @type {Node[]} */
  const line = [];
  let here = root;
  for (const index of path) {
    const next = here.children[index];
    if (!next) break;
    line.push(next);
    here = next;
  }
  return line;
}

/** Returns the moves from the start to a path. @param {Node} root @param {Path} path */
export function movesTo(root, path) {
  return lineTo(root, path).map((step) => step.move);
}

/**
 * Returns a tree in which one node is replaced by what `make` makes of it.
 * @param {Node} root @param {Path} path @param {(old: Node) => Node} make @returns {Node}
 */
export function change(root, path, make) {
  return changeAlong(root, path, (old, plies) => plies === path.length ? make(old) : old);
}

/**
 * Returns a tree in which each node along a path, the root among them, is replaced by what `make` makes of it.
 * @param {Node} root @param {Path} path @param {(old: Node, plies: number) => Node} make
 */
export function changeAlong(root, path, make) {
  const line = [root, ...lineTo(root, path)];
  const last = line[path.length];
  if (!last) return root;
  let below = make(last, path.length);
  for (let plies = path.length - 1; plies >= 0; plies--) {
    const old = /** @type {Node} */ (line[plies]);
    below = { ...make(old, plies), children: old.children.with(path[plies] ?? 0, below) };
  }
  return below;
}

/**
 * Adds a move after a node, or finds it there, and returns the way to it.
 * @param {Node} root @param {Path} path @param {Partial<Node> & {move: string}} parts @returns {Place}
 */
export function addMove(root, path, parts) {
  const here = nodeAt(root, path);
  const known = here.children.findIndex((child) => child.move === parts.move);
  if (known >= 0) return { root, path: [...path, known] };
  const grown = change(root, path, (old) => ({ ...old, children: [...old.children, node(parts)] }));
  return { root: grown, path: [...path, here.children.length] };
}

/** Adds a line of moves and returns the way to its end. @param {Node} root @param {Path} path @param {readonly string[]} moves @returns {Place} */
export function addLine(root, path, moves) {
  const from = nodeAt(root, path);
  const known = reach(from, moves);
  const way = [...path, ...known];
  const fresh = lineOf(moves.slice(known.length));
  if (!fresh) return { root, path: way };
  const grown = change(root, way, (old) => ({ ...old, children: [...old.children, fresh] }));
  return { root: grown, path: [...way, nodeAt(from, known).children.length, ...Array(moves.length - known.length - 1).fill(0)] };
}

/** Returns a tree of one line, without an empty root; null where there are no moves. @param {readonly string[]} moves */
function lineOf(moves) {
  return moves.reduceRight((/** @type {Node | null} */ next, move) => node({ move, children: next ? [next] : [] }), null);
}

/** Makes the branch that holds a path the main line at each of its forks. @param {Node} root @param {Path} path @returns {Place} */
export function promote(root, path) {
  const fork = path.findLastIndex((index) => index > 0);
  if (fork < 0) return { root, path };
  const parent = path.slice(0, fork);
  const index = path[fork] ?? 0;
  const moved = change(root, parent, (old) => {
    const chosen = /** @type {Node} */ (old.children[index]);
    return { ...old, children: [chosen, ...old.children.filter((_, at) => at !== index)] };
  });
  return { root: moved, path: [...parent, 0, ...path.slice(fork + 1)] };
}

/** Removes a node with all that follows and returns the way to its parent. @param {Node} root @param {Path} path @returns {Place} */
export function remove(root, path) {
  if (path.length === 0) return { root: { ...root, children: [] }, path };
  const parent = path.slice(0, -1);
  const index = path.at(-1);
  const cut = change(root, parent, (old) => ({ ...old, children: old.children.filter((_, at) => at !== index) }));
  return { root: cut, path: parent };
}

/** Sets the comment of a node. @param {Node} root @param {Path} path @param {string} comment */
export function setComment(root, path, comment) {
  return change(root, path, (old) => ({ ...old, comment }));
}

/** Returns the way down the first children from a path to the end. @param {Node} root @param {Path} path @returns {Path} */
export function endOf(root, path) {
  const way = [...path];
  for (let here = nodeAt(root, path); here.children[0]; here = here.children[0]) way.push(0);
  return way;
}

/** Returns the nodes after a node, down the first children. @param {Node} from */
export function mainLine(from) {
  /** @type {Node[]} */
  const line = [];
  for (let here = from.children[0]; here; here = here.children[0]) line.push(here);
  return line;
}

/** Returns the way to the next or former variation beside a path. @param {Node} root @param {Path} path @param {number} step @returns {Path} */
export function beside(root, path, step) {
  if (path.length === 0) return path;
  const parent = path.slice(0, -1);
  const index = (path.at(-1) ?? 0) + step;
  return nodeAt(root, parent).children[index] ? [...parent, index] : path;
}

/** Returns the way that a line of moves takes through a tree, or null where it leaves it. @param {Node} root @param {readonly string[]} moves @returns {Path | null} */
export function find(root, moves) {
  const path = reach(root, moves);
  return path.length === moves.length ? path : null;
}

/** Returns the way that a line of moves takes through a tree, as far as it is there. @param {Node} root @param {readonly string[]} moves @returns {Path} */
export function reach(root, moves) {
  /** @type {number[]} */
  const path = [];
  let here = root;
  for (const move of moves) {
    const index = here.children.findIndex((child) => child.move === move);
    const child = here.children[index];
    if (!child) break;
    path.push(index);
    here = child;
  }
  return path;
}

/** Returns whether two paths are the same. @param {Path} a @param {Path} b */
export function samePath(a, b) {
  return a.length === b.length && a.every((index, at) => index === b[at]);
}

/** Returns whether a path runs along first children only. @param {Path} path */
export function onMainLine(path) {
  return path.every((index) => index === 0);
}

/** Returns the number of moves in a tree. @param {Node} root @returns {number} */
export function count(root) {
  let sum = 0;
  const rest = [root];
  for (let here = rest.pop(); here; here = rest.pop()) {
    sum += here.children.length;
    for (const child of here.children) rest.push(child);
  }
  return sum;
}

/** Returns a tree without the texts of its moves. @param {Node} root @returns {Node} */
export function withoutTexts(root) {
  const bare = (/** @type {Node} */ old) => ({ ...old, text: '' });
  const made = bare(root);
  const rest = [made];
  for (let here = rest.pop(); here; here = rest.pop()) {
    here.children = here.children.map(bare);
    for (const child of here.children) rest.push(child);
  }
  return made;
}

/**
 * Returns a tree as a list without depth, parents first: each node without its children and its empty parts, with its
 * depth in `at` where it is not the child of the node before it.
 * @param {Node} root
 */
export function toList(root) {
  /** @type {Record<string, unknown>[]} */
  const list = [];
  /** @type {[Node, number][]} */
  const rest = [[root, 0]];
  for (let next = rest.pop(), depth = 0; next; next = rest.pop()) {
    const [here, at] = next;
    const { children, ...parts } = here;
    const kept = Object.fromEntries(Object.entries(parts).filter(([, part]) => part));
    list.push(at === depth ? kept : { ...kept, at });
    depth = at + 1;
    for (const child of children.toReversed()) rest.push([child, depth]);
  }
  return list;
}

/** Returns the tree of a list. @param {readonly any[]} list @returns {Node} */
export function fromList(list) {
  /** @type {(Node & {children: Node[]})[]} */
  const above = [];
  for (const { at = above.length, ...parts } of list) {
    const here = { ...node(parts), children: [] };
    above.length = Math.min(above.length, at);
    above.at(-1)?.children.push(here);
    above.push(here);
  }
  return above[0] ?? node();
}

/** The nodes on the ways to the places before all edits, at most: those of an edit are its own, all others are shared. */
const MOST_KEPT = 500_000;

/**
 * Keeps what was on the board before each edit, to go back and forth between them.
 * @template {{path: Path}} T
 */
export class History {
  constructor() {
    /** @type {T[]} */
    this.past = [];
    /** @type {T[]} */
    this.future = [];
    this.size = 0;
  }

  /** Notes what there was before an edit; the oldest is forgotten when there is too much. @param {T} before */
  note(before) {
    this.past.push(before);
    this.future = [];
    this.size += before.path.length + 1;
    while (this.size > MOST_KEPT && this.past.length > 1) this.size -= (this.past.shift()?.path.length ?? 0) + 1;
  }

  /** Returns what there was before the last edit, or null. @param {T} now */
  undo(now) {
    const before = this.past.pop();
    if (before) this.future.push(now);
    this.size -= before ? before.path.length + 1 : 0;
    return before ?? null;
  }

  /** Returns what there was after the edit that was undone last, or null. @param {T} now */
  redo(now) {
    const after = this.future.pop();
    if (after) this.past.push(now);
    this.size += after ? now.path.length + 1 : 0;
    return after ?? null;
  }
}
