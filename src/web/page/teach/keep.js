// Moments of a review become exercises of the server, which come again when they are due.

import { hasToken, post } from '../api.js';
import { t } from '../i18n.js';
import { numberText } from '../panels/review.js';
import { playersOf, playersText } from '../session.js';
import { movesTo } from '../tree.js';

/** @typedef {import('../app.js').App} App */

/** Returns what to do where the token is missing. */
export const NO_TOKEN = () => t('Answers and exercises are written with the token only: open the second address that `juzhong serve` prints (…/#token=…).');

/** Adds moments to the exercises of the server. @param {App} app @param {readonly import('../panels/review.js').Judged[]} moments */
export async function keepMoments(app, moments) {
  if (!hasToken()) { app.say(NO_TOKEN(), 'error'); return; }
  const { session } = app;
  const { game, fen } = session.query;
  const players = playersText(playersOf(app.game, session.tags), '');
  let added = 0;
  try {
    for (const judged of moments) {
      const moves = movesTo(session.root, Array(judged.ply - 1).fill(0));
      const better = judged.better?.length ? judged.better : [judged.best ?? ''];
      const source = [players, numberText(judged.ply)].filter(Boolean).join(', ');
      const answer = await post('/api/train/add', { game: game || 'xiangqi', fen: fen || 'startpos', moves: moves.join(','), played: judged.move, better, source });
      if (answer.added === 'new') added++;
    }
    app.say(t('{n} new exercises; {known} were there already.', { n: added, known: moments.length - added }));
  } catch (error) {
    app.fail(error);
  }
}
