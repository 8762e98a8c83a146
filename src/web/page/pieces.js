// The sets of pieces: which drawing stands for which man.

import { GLYPHS } from './glyphs.js';

/** @typedef {'traditional' | 'simplified' | 'letters' | 'pictograms'} PieceSet */

/** @type {readonly PieceSet[]} */
export const PIECE_SETS = ['traditional', 'simplified', 'letters', 'pictograms'];

/** @type {Record<string, string>} */
const TRADITIONAL = {
  K: '帥', A: '仕', B: '相', N: '馬', R: '俥', C: '炮', P: '兵',
  k: '將', a: '士', b: '象', n: '馬', r: '車', c: '砲', p: '卒',
};

/** @type {Record<string, string>} */
const SIMPLIFIED = {
  K: '帅', A: '仕', B: '相', N: '马', R: '车', C: '炮', P: '兵',
  k: '将', a: '士', b: '象', n: '马', r: '车', c: '炮', p: '卒',
};

/** Own drawings in a box of 1000 units. @type {Record<string, string>} */
const PICTOGRAMS = {
  K: 'M190 770h620v90h-620zM150 300l185 160 165-290 165 290 185-160-60 410h-580z',
  A: 'M330 500q0-270 170-270t170 270zM70 540q190-50 430-20 240-30 430 20v60q-190-30-430-20-240-10-430 20zM340 640h320v170q-160 60-320 0z',
  B: 'M190 800v-330q0-260 290-260 330 0 350 300v170q0 110-90 110t-90-110v-60h62v60q0 46 28 46t28-46v-120h-118v240h-120v-140h-120v140zM590 350a38 38 0 1 0 .1 0z',
  N: 'M290 860h440q-10-200-90-330 60 10 120 80l80-80q-20-200-230-310l-40-100-70 80q-240 70-240 350 0 110 90 190-60 50-60 120zM560 350a34 34 0 1 0 .1 0z',
  R: 'M500 170a330 330 0 1 0 .1 0zM500 250a250 250 0 1 1-.1 0zM465 270h70v160h-70zM465 570h70v160h-70zM270 465h160v70h-160zM570 465h160v70h-160zM500 415a85 85 0 1 0 .1 0z',
  C: 'M150 480l600-290 95 190-480 200q-130 60-215-100zM400 600a150 150 0 1 0 .1 0zM400 690a60 60 0 1 1-.1 0zM590 700h250v70h-240z',
  P: 'M500 160a145 145 0 0 1 95 250h65v60h-60q40 130 130 240h-460q90-110 130-240h-60v-60h65a145 145 0 0 1 95-250zM230 750h540v95h-540z',
};

/** English names of men, Red's and Black's, as keys of the catalogue. @type {Record<string, string>} */
export const MAN_NAMES = {
  K: 'red king', A: 'red advisor', B: 'red elephant', N: 'red horse', R: 'red chariot', C: 'red cannon', P: 'red pawn',
  k: 'black king', a: 'black advisor', b: 'black elephant', n: 'black horse', r: 'black chariot', c: 'black cannon', p: 'black pawn',
  x: 'black stone', o: 'white stone',
};

/**
 * Returns the drawing of a man, the box it was made in and the size it is drawn at, in units of the board.
 * @param {PieceSet} set @param {string} man @returns {{d: string, box: number, size: number}}
 */
export function drawing(set, man) {
  const kind = man.toUpperCase();
  if (set === 'letters') return { d: GLYPHS[kind] ?? '', box: 250, size: 66 };
  if (set === 'pictograms') return { d: PICTOGRAMS[kind] ?? '', box: 1000, size: 56 };
  const characters = set === 'simplified' ? SIMPLIFIED : TRADITIONAL;
  return { d: GLYPHS[characters[man] ?? ''] ?? '', box: 250, size: 58 };
}
