// Follows the board and lets moves be heard.

import { after } from './fen.js';
import { t } from './i18n.js';
import { samePath } from './tree.js';

/** @typedef {import('./app.js').App} App */

/** Lets each move on the board be heard, once the person has touched the page; before that browsers play nothing. */
export class Hearing {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.place = this.placeNow();
    /** Whether a move waits for what the server says of it. */
    this.waits = false;
  }

  /** Follows the happenings of the app. */
  attach() {
    this.app.on(['position'], () => this.follow());
    this.app.on(['answer'], () => this.hear());
  }

  /** Switches sound on or off, and says which. */
  switch() {
    const { app } = this;
    app.change({ sound: !app.settings.sound });
    app.say(app.settings.sound ? t('Sound is on.') : t('Sound is off.'));
  }

  placeNow() {
    const { game, session: { start, path } } = this.app;
    return { game, start, path };
  }

  /** Notes whether the board is a move further than it was. */
  follow() {
    const before = this.place;
    const now = this.placeNow();
    this.place = now;
    const further = now.path.length === before.path.length + 1 && samePath(now.path.slice(0, -1), before.path);
    this.waits = further && now.game === before.game && now.start === before.start;
    if (this.app.answer) this.hear();
  }

  /** Whether the last move captured. */
  get captured() {
    const { session } = this.app;
    return session.position.men.size < after(session.game, session.start, session.moves.slice(0, -1)).men.size;
  }

  hear() {
    const { answer, settings } = this.app;
    if (!this.waits || !answer) return;
    this.waits = false;
    if (!settings.sound || !navigator.userActivation?.hasBeenActive) return;
    const name = answer.status !== 'ongoing' ? 'end' : answer.in_check ? 'check' : this.captured ? 'capture' : 'move';
    document.body.dataset['heard'] = name;
    void import('./sound.js').then(({ sound }) => sound(name));
  }
}
