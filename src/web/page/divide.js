// Long files of games are asked about in parts: each has whole games, so that no question is too long for the server, and
// a game is opened by sending the part that has it. Loaded with the first file.

import { readFile } from './opened.js';

/** @typedef {import('./opened.js').Part} Part */
/** @typedef {import('./opened.js').OpenedFile} OpenedFile */
/** @typedef {import('./panels/file.js').Opened} Opened */

/** Bytes of a file that is asked about in parts, at least. */
const LONG = 1 << 20;
/** Bytes of a part, about. */
const LENGTH = 512 << 10;
/** Bytes after that in which the end of a game is looked for. */
const SEARCHED = 256 << 10;

/** The end of a game of PGN with a result, and the first tag of the next one; else the tag that games begin with. */
const PGN = [/(?:1-0|0-1|1\/2-1\/2|\*)[ \t]*\r?\n(?:[ \t]*\r?\n)+(?=\[\w+ ")/, /\r?\n(?=\[(?:Event|Game) ")/];
/** The end of a line of JSON. */
const JSON_LINES = [/\n(?=\{)/];

/** Returns how the games of a file are told apart; null if that is not known. @param {Uint8Array} bytes */
function endsIn(bytes) {
  const head = lettersOf(bytes.subarray(0, 400));
  if (head.includes('\0')) return null;
  const first = /[^\s\xef\xbb\xbf]/.exec(head)?.[0];
  return first === '[' ? PGN : first === '{' ? JSON_LINES : null;
}

/** Returns bytes as characters of the same numbers: in all encodings of games the ends of games are plain ASCII. @param {Uint8Array} bytes */
function lettersOf(bytes) {
  return new TextDecoder('latin1').decode(bytes);
}

/** Divides a file between games. @param {Uint8Array} bytes @returns {[number, number][]} the start and the end of each part */
export function divide(bytes) {
  const ends = endsIn(bytes);
  /** @type {[number, number][]} */
  const parts = [];
  let start = 0;
  while (ends && bytes.length - start > LENGTH) {
    const from = start + LENGTH;
    const letters = lettersOf(bytes.subarray(from, from + SEARCHED));
    const found = ends.map((end) => end.exec(letters)).find(Boolean);
    if (!found) break;
    const end = from + found.index + found[0].length;
    parts.push([start, end]);
    start = end;
  }
  parts.push([start, bytes.length]);
  return parts;
}

/**
 * Asks what a long file holds, part by part.
 * @param {string} name @param {ArrayBuffer} body @param {Record<string, string>} query @param {AbortSignal} signal
 * @param {(share: number) => void} tell is told how much was read
 * @returns {Promise<{opened: Opened, parts: Part[]}>}
 */
export async function readParts(name, body, query, signal, tell) {
  /** @type {Part[]} */
  const parts = [];
  /** @type {Opened | null} */
  let whole = null;
  /** @type {unknown} */
  let problem = null;
  let first = 0;
  for (const [start, end] of divide(new Uint8Array(body))) {
    try {
      const opened = await readFile(name, body.slice(start, end), null, query, signal);
      const games = opened.games.map((game) => ({ ...game, index: game.index + first }));
      parts.push({ start, end, first });
      first += opened.total + opened.bad;
      if (whole) {
        for (const game of games) whole.games.push(game);
        whole.total += opened.total;
        whole.bad += opened.bad;
      } else {
        whole = { ...opened, games };
      }
    } catch (error) {
      if (signal.aborted) throw error;
      // A part without a game that can be read does not hide the others.
      problem ??= error;
    }
    tell(end / body.byteLength);
  }
  if (!whole) throw problem;
  return { opened: whole, parts };
}

/**
 * Asks what a file of any length holds.
 * @param {string} name @param {ArrayBuffer | string} given @param {Record<string, string>} query @param {AbortSignal} signal
 * @param {(share: number) => void} tell is told how much was read
 * @returns {Promise<{opened: Opened, file: OpenedFile}>}
 */
export async function readWhole(name, given, query, signal, tell) {
  const body = typeof given === 'string' && given.length > LONG ? new TextEncoder().encode(given).buffer : given;
  const isLong = typeof body !== 'string' && body.byteLength > LONG;
  const { opened, parts } = isLong ? await readParts(name, body, query, signal, tell) :
    { opened: await readFile(name, body, null, query, signal), parts: [] };
  const { games, total, bad } = opened;
  const file = { name, body, games, total, bad };
  return { opened, file: parts.length > 1 ? { ...file, parts } : file };
}
