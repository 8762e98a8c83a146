// Links that hold a whole game: its tree with variations, comments and glyphs, packed into the part of the address that
// browsers do not send. Loaded when one is made or opened.

import { post, Problem } from './api.js';
import { t } from './i18n.js';
import { readGame, writeGame } from './wire.js';

/** @typedef {import('./app.js').App} App */

/** Characters of a link at most: what programs for messages still pass on. */
const LONGEST_LINK = 16_000;
/** Characters that are unpacked at most, and bytes that they may become. */
const LONGEST_PACKED = 64_000;
const LONGEST_GAME = 1 << 20;

/** Returns a link to the game on the board, at the place where it is; nothing if it would be too long. @param {App} app */
export async function linkTo(app) {
  const { session } = app;
  const record = { ...writeGame(session), place: session.path };
  const parts = app.game === 'gomoku' ? '?game=gomoku' : '';
  const link = `${location.origin}${location.pathname}${parts}#tree=${await pack(JSON.stringify(record))}`;
  return link.length <= LONGEST_LINK ? link : '';
}

/** Puts the game of a link on the board. @param {App} app @param {string} packed */
export async function openLink(app, packed) {
  try {
    const text = await unpack(packed);
    const record = JSON.parse(text);
    const field = app.game === 'gomoku' ? { game: 'gomoku' } : {};
    // The server reads it as any game of others: what is not legal is refused or cut.
    const opened = await post('/api/open', text, { name: t('the link'), ...field });
    const game = readGame(opened.game);
    app.load({ ...game, opened: true, path: placeIn(game.root, record.place) });
    if (opened.ends ?? opened.note) app.say(opened.ends ?? opened.note, 'error');
  } catch (error) {
    if (error instanceof Problem) app.fail(error);
    else app.say(t('The link is damaged or too long: it holds no game.'), 'error');
  }
}

/** Returns the way to a place as far as a tree has it. @param {import('./tree.js').Node} root @param {unknown} place */
function placeIn(root, place) {
  /** @type {number[]} */
  const path = [];
  let here = root;
  for (const index of Array.isArray(place) ? place : []) {
    const next = Number.isInteger(index) ? here.children[index] : undefined;
    if (!next) break;
    path.push(index);
    here = next;
  }
  return path;
}

/** @param {string} text */
async function pack(text) {
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** Returns the text of a link; reading ends where it becomes too long. @param {string} packed */
async function unpack(packed) {
  if (packed.length > LONGEST_PACKED) throw new RangeError('too long');
  const binary = atob(packed.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  const decoder = new TextDecoder();
  let [text, length] = ['', 0];
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return text + decoder.decode();
    length += value.length;
    if (length > LONGEST_GAME) { void reader.cancel(); throw new RangeError('too long'); }
    text += decoder.decode(value, { stream: true });
  }
}
