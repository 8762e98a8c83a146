// The tree of a game: a value that is never changed in place. Every edit returns a new tree
// that shares all other parts with the old one, so undo to any depth only keeps the old roots.

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
  const [index, ...rest] = path;
  if (index === undefined) return make(root);
  const child = root.children[index];
  if (!child) return root;
  return { ...root, children: root.children.with(index, change(child, rest, make)) };
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
  return moves.reduce((place, move) => addMove(place.root, place.path, { move }), { root, path });
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

/** Returns the way to the next or former variation beside a path. @param {Node} root @param {Path} path @param {number} step @returns {Path} */
export function beside(root, path, step) {
  if (path.length === 0) return path;
  const parent = path.slice(0, -1);
  const index = (path.at(-1) ?? 0) + step;
  return nodeAt(root, parent).children[index] ? [...parent, index] : path;
}

/** Returns the way that a line of moves takes through a tree, or null where it leaves it. @param {Node} root @param {readonly string[]} moves @returns {Path | null} */
export function find(root, moves) {
  /** @type {number[]} */
  const path = [];
  let here = root;
  for (const move of moves) {
    const index = here.children.findIndex((child) => child.move === move);
    const child = here.children[index];
    if (!child) return null;
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
  return root.children.reduce((sum, child) => sum + 1 + count(child), 0);
}

/** Calls a function for each node of a tree with its path, parents first. @param {Node} root @param {(node: Node, path: Path) => void} visit @param {Path} [path] */
export function walk(root, visit, path = []) {
  visit(root, path);
  root.children.forEach((child, index) => walk(child, visit, [...path, index]));
}

/** Returns a tree without the texts of its moves. @param {Node} here @returns {Node} */
export function withoutTexts(here) {
  return { ...here, text: '', children: here.children.map(withoutTexts) };
}

/** Keeps the trees before each edit, to go back and forth between them. */
export class History {
  constructor() {
    /** @type {Place[]} */
    this.past = [];
    /** @type {Place[]} */
    this.future = [];
  }

  /** Notes the place before an edit. @param {Place} place */
  note(place) {
    this.past.push(place);
    this.future = [];
  }

  /** Returns the place before the last edit, or null. @param {Place} now */
  undo(now) {
    const place = this.past.pop();
    if (place) this.future.push(now);
    return place ?? null;
  }

  /** Returns the place after the edit that was undone last, or null. @param {Place} now */
  redo(now) {
    const place = this.future.pop();
    if (place) this.past.push(now);
    return place ?? null;
  }
}
