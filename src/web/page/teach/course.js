// A course of endings: positions in which one move alone wins, from short wins to long ones.
// docs/design/course.md says how they were found and chosen.

/**
 * An ending of the course.
 * @typedef {object} CourseEnding
 * @property {string} fen
 * @property {string} set the set of tables
 * @property {number} plies the plies to the end with best play
 */

/** @type {readonly CourseEnding[]} */
export const COURSE = [
  { fen: '3k1P3/9/9/9/9/9/9/3C5/9/3K5 w - - 0 1', set: 'KCPvK', plies: 1 },
  { fen: '9/2CP5/3k5/9/9/9/9/9/9/4K4 w - - 0 1', set: 'KCPvK', plies: 1 },
  { fen: '2b6/N8/4k4/9/9/9/9/5K3/9/9 w - - 0 1', set: 'KNvKB', plies: 1 },
  { fen: '9/3ka4/4P4/9/9/9/9/4K4/9/9 w - - 0 1', set: 'KPvKA', plies: 3 },
  { fen: '1n7/9/3k5/2N6/9/9/9/4K4/9/9 w - - 0 1', set: 'KNvKN', plies: 3 },
  { fen: '9/3k5/3aP4/9/9/9/9/5K3/9/9 w - - 0 1', set: 'KPvKA', plies: 5 },
  { fen: '6b2/9/3k3N1/9/9/9/9/4K4/9/9 w - - 0 1', set: 'KNvKB', plies: 5 },
  { fen: '4k4/9/9/9/9/9/2p6/3K5/2C6/9 b - - 0 1', set: 'KCvKP', plies: 5 },
  { fen: '4k4/9/9/9/9/4n4/9/9/1R1K5/9 b - - 0 1', set: 'KRvKN', plies: 5 },
  { fen: '9/3CP4/4k4/9/9/9/9/5K3/9/9 w - - 0 1', set: 'KCPvK', plies: 7 },
  { fen: '4k4/4N4/9/9/9/9/9/9/9/4K4 w - - 0 1', set: 'KNvK', plies: 7 },
  { fen: '3k1a3/9/9/3P5/9/9/9/9/3K5/9 w - - 0 1', set: 'KPvKA', plies: 7 },
  { fen: '9/9/4k4/4N4/2b6/9/9/9/5K3/9 w - - 0 1', set: 'KNvKB', plies: 7 },
  { fen: '9/4k4/9/9/9/9/2R1n4/9/9/5K3 b - - 0 1', set: 'KRvKN', plies: 7 },
  { fen: '9/2CP5/3k5/9/9/9/9/9/5K3/9 w - - 0 1', set: 'KCPvK', plies: 9 },
  { fen: '3k5/3N5/9/9/9/9/9/9/9/3K5 w - - 0 1', set: 'KNvK', plies: 9 },
  { fen: '3ak4/9/9/3P5/9/9/9/9/9/5K3 w - - 0 1', set: 'KPvKA', plies: 9 },
  { fen: '9/3k5/9/9/2bP5/9/9/5K3/9/9 w - - 0 1', set: 'KPvKB', plies: 9 },
  { fen: '9/4k4/9/9/9/9/9/3R5/2pK5/9 w - - 0 1', set: 'KRvKP', plies: 9 },
  { fen: '4k4/9/9/9/9/9/4p4/9/3CK4/9 b - - 0 1', set: 'KCvKP', plies: 9 },
  { fen: '3k5/4n4/9/3N5/9/9/9/4K4/9/9 w - - 0 1', set: 'KNvKN', plies: 9 },
  { fen: '9/9/3k5/9/9/N8/1p7/4K4/9/9 w - - 0 1', set: 'KNvKP', plies: 9 },
  { fen: '9/3k5/9/9/9/9/9/9/3N5/3K5 w - - 0 1', set: 'KNvK', plies: 11 },
  { fen: '9/9/3ak4/9/9/4P4/9/9/9/4K4 w - - 0 1', set: 'KPvKA', plies: 11 },
  { fen: '9/3k5/8b/8P/9/9/9/9/5K3/9 w - - 0 1', set: 'KPvKB', plies: 11 },
  { fen: 'N8/9/3k5/9/p8/9/9/4K4/9/9 w - - 0 1', set: 'KNvKP', plies: 11 },
  { fen: '9/9/4k4/9/9/4p4/9/4K4/3C5/9 b - - 0 1', set: 'KCvKP', plies: 11 },
  { fen: '5k3/9/9/9/3R5/9/9/2n6/3K5/9 b - - 0 1', set: 'KRvKN', plies: 11 },
  { fen: '4k4/4n4/1N7/9/9/9/9/9/9/4K4 w - - 0 1', set: 'KNvKN', plies: 11 },
  { fen: '3k5/9/3a2P2/9/9/9/9/9/9/4K4 w - - 0 1', set: 'KPvKA', plies: 13 },
  { fen: '3k5/9/9/9/5Pb2/9/9/5K3/9/9 w - - 0 1', set: 'KPvKB', plies: 13 },
  { fen: '4k4/9/9/9/9/9/9/3Kp4/9/3R5 w - - 0 1', set: 'KRvKP', plies: 13 },
  { fen: '9/N8/3k5/3n5/9/9/9/9/4K4/9 w - - 0 1', set: 'KNvKN', plies: 15 },
  { fen: '3k5/9/9/9/9/9/3p5/9/2CK5/9 b - - 0 1', set: 'KCvKP', plies: 15 },
  { fen: '5k3/9/9/9/1R7/9/5n3/4K4/9/9 b - - 0 1', set: 'KRvKN', plies: 15 },
  { fen: '9/3k5/9/7N1/2b6/9/9/4K4/9/9 w - - 0 1', set: 'KNvKB', plies: 15 },
  { fen: '9/9/4k4/9/4p4/9/N8/9/9/4K4 w - - 0 1', set: 'KNvKP', plies: 17 },
  { fen: '4k4/5N3/9/9/2b6/9/9/3K5/9/9 w - - 0 1', set: 'KNvKB', plies: 19 },
  { fen: '4k4/4N4/b8/9/9/9/9/9/9/3K5 w - - 0 1', set: 'KNvKB', plies: 21 },
  { fen: '3k5/9/3N1a3/9/9/9/9/3K5/9/9 w - - 0 1', set: 'KNvKA', plies: 27 },
];
