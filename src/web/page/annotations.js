// Annotations that belong to a move: glyphs, and the arrows and circles that stand in its comment as lichess writes
// them: `[%csl Ge4,Rh9]` and `[%cal Gh2e2]`, each with a letter for the colour and points of this board.

/** @typedef {import('./tree.js').Node} Node */
/** @typedef {'G' | 'R' | 'B' | 'Y'} Colour */
/** An arrow, or a circle where both points are the same. @typedef {{from: string, to: string, colour: Colour}} Shape */

/** A command in a comment: no bracket within it, so that searching takes no longer than the text is long. */
const COMMAND = /\[%([A-Za-z]+)(?:\s([^[\]]*))?\]/g;
const SHAPE = /^([GRBY])([a-z]\d{1,2})([a-z]\d{1,2})?$/;
/** Shapes of a position that are drawn at most. */
const MOST_SHAPES = 100;

/** The kinds of arrows on the board by colours. @type {Readonly<Record<Colour, string>>} */
export const COLOURS = { G: 'user', R: 'user arrow-user-red', B: 'user arrow-user-blue', Y: 'user arrow-user-yellow' };

/** Returns the colour that modifier keys choose, as on lichess. @param {{shiftKey: boolean, ctrlKey: boolean, altKey: boolean, metaKey: boolean}} keys @returns {Colour} */
export function colourOf({ shiftKey, ctrlKey, altKey, metaKey }) {
  const first = shiftKey || ctrlKey;
  const second = altKey || metaKey;
  return first && second ? 'Y' : first ? 'R' : second ? 'B' : 'G';
}

/**
 * Divides a comment into its commands, as they are, and what people read of it.
 * @param {string} comment @returns {{commands: string[], text: string}}
 */
export function divide(comment) {
  if (!comment.includes('[%')) return { commands: [], text: comment };
  /** @type {string[]} */
  const commands = [];
  const text = comment.replace(COMMAND, (whole) => { commands.push(whole); return ''; });
  return commands.length > 0 ? { commands, text: text.trim() } : { commands, text: comment };
}

/** Returns what people read of a comment. @param {string} comment */
export function plainComment(comment) {
  return divide(comment).text;
}

/** Returns a comment with another text and the same commands. @param {string} comment @param {string} text */
export function withText(comment, text) {
  return join(divide(comment).commands, text);
}

/** @param {readonly string[]} commands @param {string} text */
function join(commands, text) {
  return [commands.join(''), text].filter(Boolean).join(' ');
}

/** Returns the arrows and circles in a comment. @param {string} comment @returns {Shape[]} */
export function shapesOf(comment) {
  return divide(comment).commands.flatMap(shapesIn).slice(0, MOST_SHAPES);
}

/** @param {string} command @returns {Shape[]} */
function shapesIn(command) {
  const [, name, list = ''] = new RegExp(COMMAND.source).exec(command) ?? [];
  if (name !== 'cal' && name !== 'csl') return [];
  return list.split(',', MOST_SHAPES).flatMap((word) => {
    const [, colour, from = '', to] = SHAPE.exec(word.trim()) ?? [];
    const fits = colour && (name === 'cal') === (to !== undefined);
    return fits ? [{ from, to: to ?? from, colour: /** @type {Colour} */ (colour) }] : [];
  });
}

/** Returns a comment with other arrows and circles. @param {string} comment @param {readonly Shape[]} shapes */
export function withShapes(comment, shapes) {
  const { commands, text } = divide(comment);
  const others = commands.filter((command) => !/^\[%c[as]l\b/.test(command));
  const circles = shapes.filter(({ from, to }) => from === to).map(({ from, colour }) => colour + from);
  const arrows = shapes.filter(({ from, to }) => from !== to).map(({ from, to, colour }) => colour + from + to);
  const csl = circles.length > 0 ? [`[%csl ${circles.join(',')}]`] : [];
  const cal = arrows.length > 0 ? [`[%cal ${arrows.join(',')}]`] : [];
  return join([...csl, ...cal, ...others], text);
}

/** Returns a comment in which a shape is drawn, has another colour, or is there no more. @param {string} comment @param {Shape} shape */
export function toggleShape(comment, shape) {
  const shapes = shapesOf(comment);
  const others = shapes.filter(({ from, to }) => from !== shape.from || to !== shape.to);
  const was = shapes.find(({ from, to }) => from === shape.from && to === shape.to);
  const drawn = was?.colour === shape.colour || others.length >= MOST_SHAPES ? others : [...others, shape];
  return withShapes(comment, drawn);
}

/** Glyphs of moves and of positions by their numbers in PGN, with their names. @type {readonly (readonly [number, string, string])[]} */
export const GLYPH_NAMES = [
  [1, '!', 'good move'], [2, '?', 'mistake'], [3, '!!', 'brilliant move'], [4, '??', 'blunder'], [5, '!?', 'interesting move'], [6, '?!', 'dubious move'],
  [10, '=', 'equal'], [13, '∞', 'unclear'], [14, '+=', 'the first player is slightly better'], [15, '=+', 'the second player is slightly better'],
  [16, '±', 'the first player is better'], [17, '∓', 'the second player is better'], [18, '+−', 'the first player is winning'], [19, '−+', 'the second player is winning'],
];

/** Whether a glyph is about the move, not the position. @param {number} glyph */
const isOfMove = (glyph) => glyph >= 1 && glyph <= 6;

/** Returns the glyphs of a move as people write them; without one of its own, the mark of the review. @param {Node} node */
export function glyphText(node) {
  const glyphs = node.glyphs ?? [];
  const texts = glyphs.map((glyph) => GLYPH_NAMES.find(([number]) => number === glyph)?.[1] ?? `$${glyph}`);
  return (glyphs.some(isOfMove) ? '' : node.mark) + texts.map((text, at) => (isOfMove(glyphs[at] ?? 0) ? text : ` ${text}`)).join('');
}

/** Returns the glyphs with one more, or without it; a move has one of its own and one of its position. @param {readonly number[] | undefined} glyphs @param {number} glyph */
export function toggleGlyph(glyphs = [], glyph) {
  if (glyphs.includes(glyph)) return glyphs.filter((other) => other !== glyph);
  const others = glyphs.filter((other) => isOfMove(other) !== isOfMove(glyph));
  return [...others, glyph].sort((a, b) => a - b);
}
