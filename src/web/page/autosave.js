// Keeps games against the engine on the server's disk, a moment after each move.

import { hasToken, post } from './api.js';
import { explainError } from './app.js';
import { calm } from './dom.js';
import { t } from './i18n.js';
import { writeGame } from './wire.js';

/** @typedef {import('./app.js').App} App */

/** Returns a name for a game that begins now, by which its files are sorted. */
export function newGameId() {
  return `${new Date().toISOString().slice(0, 16).replace(/\D/g, '-')}-${Math.random().toString(36).slice(2, 6)}`;
}

/** Saves the game on the board and says how that went. */
export class Autosave {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.id = '';
    this.text = '';
    this.last = '';
    this.later = calm(() => void this.save(), 400);
  }

  /** What is to be said of it. */
  get note() {
    if (!this.app.meta.autosave || !this.id) return '';
    return hasToken() ? this.text : t('To keep games on disk, open the address with #token= that juzhong serve printed.');
  }

  async save() {
    const { app, id } = this;
    if (!app.meta.autosave || !hasToken() || !id) return;
    const game = JSON.stringify(writeGame(app.session));
    if (game === this.last) return;
    try {
      const { file } = await post('/api/autosave', game, { id, game: app.session.query.game });
      this.last = game;
      this.text = t('saved as {file}', { file });
    } catch (error) {
      this.text = t('The game could not be saved: {reason}', { reason: explainError(error).filter(Boolean).join(' ') });
    }
    app.emit('play');
  }
}
