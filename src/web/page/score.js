// Values as people read them.

import { number, t } from './i18n.js';

/**
 * A value of the server, for the side to move.
 * @typedef {{cp?: number | null, mate?: number | null, table?: unknown}} Score
 */

/** Returns a value seen from the first player. @param {Score} score @param {boolean} firstToMove @returns {Score} */
export function forFirst(score, firstToMove) {
  if (firstToMove) return score;
  const turned = { ...score };
  if (typeof score.cp === 'number') turned.cp = -score.cp;
  if (typeof score.mate === 'number') turned.mate = -score.mate;
  if (score.table !== undefined && score.table !== null) turned.table = turnTable(score.table);
  return turned;
}

/** @param {unknown} table @returns {unknown} */
function turnTable(table) {
  const { wdl, distance } = readTable(table);
  return { wdl: wdl === 'win' ? 'loss' : wdl === 'loss' ? 'win' : wdl, distance };
}

/** @param {unknown} table @returns {{wdl: string, distance: number | null}} */
function readTable(table) {
  const value = /** @type {{wdl?: string, distance?: number | null} | null} */ (table);
  return { wdl: value?.wdl ?? 'draw', distance: value?.distance ?? null };
}

/** Returns a value as a short text. @param {Score | null | undefined} score @param {number} [digits] */
export function scoreText(score, digits = 2) {
  if (!score) return '–';
  if (score.table !== undefined && score.table !== null) return tableText(score.table);
  if (typeof score.mate === 'number') return `${score.mate < 0 ? '−' : '+'}#${Math.abs(score.mate)}`;
  if (typeof score.cp === 'number') return signed(score.cp / 100, digits);
  return '–';
}

/** @param {unknown} table */
function tableText(table) {
  const { wdl, distance } = readTable(table);
  const sign = wdl === 'win' ? '+' : wdl === 'loss' ? '−' : '';
  if (wdl === 'draw') return t('draw');
  return `${sign}T${distance ?? ''}`;
}

/** Returns a number with its sign. @param {number} value @param {number} digits */
export function signed(value, digits) {
  const text = number(Math.abs(value), digits);
  if (Number(Math.abs(value).toFixed(digits)) === 0) return text;
  return (value < 0 ? '−' : '+') + text;
}

/** Returns the share of the point that a value promises, 0 to 1. @param {Score} score */
export function chances(score) {
  if (score.table !== undefined && score.table !== null) {
    const { wdl } = readTable(score.table);
    return wdl === 'win' ? 1 : wdl === 'loss' ? 0 : 0.5;
  }
  if (typeof score.mate === 'number') return score.mate < 0 ? 0 : 1;
  return 1 / (1 + Math.exp(-(score.cp ?? 0) / 240));
}

/** Reads a value however a report writes it: an object, or centipawns. @param {unknown} value @returns {Score | null} */
export function readScore(value) {
  if (typeof value === 'number') return { cp: value };
  if (!value || typeof value !== 'object') return null;
  const parts = /** @type {Record<string, unknown>} */ (value);
  const cp = parts['cp'] ?? parts['score_cp'];
  const mate = parts['mate'];
  return {
    cp: typeof cp === 'number' ? cp : null,
    mate: typeof mate === 'number' ? mate : null,
    table: typeof parts['table'] === 'string' ? { wdl: parts['table'], distance: parts['plies'] ?? null } : parts['table'] ?? null,
  };
}
