// What all lessons share: the panel beside the board, who may move, and the way back to what was on the board.

import { isAway } from '../api.js';
import { explainError } from '../app.js';
import { button, el, row } from '../dom.js';
import { t } from '../i18n.js';
import { sideName } from '../status.js';
import * as tree from '../tree.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {{text: string, kind?: 'good' | 'bad' | 'quiet' | 'sentence'}} Said */

/** Loads what only lessons look like, once. */
function loadStyle() {
  if (document.querySelector('link[href="teach/teach.css"]')) return;
  document.head.append(el('link', { rel: 'stylesheet', href: 'teach/teach.css' }));
}

/** Begins a lesson; the one before ends. @param {App} app @param {Lesson} lesson */
export function begin(app, lesson) {
  loadStyle();
  app.setLesson(lesson);
  if (app.view !== 'board') {
    app.view = 'board';
    app.emit('view');
  }
  // On a small screen the button that began it stands below the board.
  window.scrollTo({ top: 0 });
  void lesson.start();
}

/** Returns the buttons that choose the side of the person. @param {App} app @param {(first: boolean) => void} choose */
export function sideButtons(app, choose) {
  return [true, false].map((first) => button(sideName(app.game, first), () => choose(first), { class: 'primary' }));
}

/** Returns one of some things by chance, as often as its weight says. @template T @param {readonly T[]} things at least one @param {(thing: T, at: number) => number} weightOf */
export function byWeight(things, weightOf) {
  const weights = things.map(weightOf);
  let at = Math.random() * weights.reduce((total, weight) => total + weight, 0);
  const chosen = weights.findIndex((weight) => (at -= weight) < 0);
  return /** @type {T} */ (things[Math.max(0, chosen)]);
}

/** A lesson: it takes the moves that are made on the board, and says what they are worth. */
export class Lesson {
  /** @param {App} app @param {string} title */
  constructor(app, title) {
    this.app = app;
    this.title = title;
    /** Where a move is awaited; null while there is none. @type {tree.Path | null} */
    this.at = null;
    /** The game that the lesson took the place of. @type {{session: import('../session.js').Session, whole: import('../session.js').Whole, history: tree.History<import('../session.js').Whole>} | null} */
    this.before = null;
    /** @type {Said[]} */
    this.said = [];
    /** @type {HTMLElement[]} */
    this.buttons = [];
    this.progress = '';
    /** What is done once a server that went away is back. @type {(() => void) | null} */
    this.onReturn = null;
    this.flipped = app.settings.flipped;
    this.over = false;
    this.head = el('span', { class: 'strong' });
    this.count = el('span', { class: 'quiet' });
    this.body = el('div', { class: 'lesson-body', role: 'status', 'aria-live': 'polite' });
    this.foot = row();
    this.element = el('section', { class: 'panel panel-lesson', 'aria-label': title },
      el('div', { class: 'panel-head' }, this.head, this.count, button(t('End the lesson'), () => this.end(), { class: 'small lesson-end' })), this.body, this.foot);
    this.stop = new AbortController();
  }

  /** Begins; each lesson has its own way. */
  async start() {}

  /** Takes a legal move of the person. @param {string} _move @param {string} _text */
  take(_move, _text) {}

  /** Whether the person may move on the board now. */
  get waits() {
    return this.at !== null && tree.samePath(this.at, this.app.session.path);
  }

  /** Shows what is said, and what can be done. @param {Said[]} said @param {HTMLElement[]} [buttons] */
  say(said, buttons = []) {
    this.said = said;
    this.buttons = buttons;
    this.onReturn = null;
    this.draw();
  }

  /** Says what went wrong. @param {unknown} error @param {() => void} again what goes on where it was, once a server that went away is back @param {HTMLElement[]} [buttons] */
  trouble(error, again, buttons = []) {
    if (this.over) return;
    this.say([{ text: explainError(error).filter(Boolean).join(' '), kind: 'bad' }], buttons);
    if (isAway()) this.onReturn = again;
  }

  /** Goes on after the server was away. */
  resume() {
    const again = this.onReturn;
    this.onReturn = null;
    again?.();
  }

  draw() {
    this.head.textContent = this.title;
    this.count.textContent = this.progress;
    this.body.replaceChildren(...this.said.map(({ text, kind }) => el('p', { class: kind ?? null }, text)));
    this.foot.replaceChildren(...this.buttons);
    // Who may move has changed.
    this.app.emit('play');
  }

  /** Waits for a move at the place on the board. */
  wait() {
    this.at = this.app.session.path;
    this.app.emit('play');
  }

  /** Says that something is at work. */
  think() {
    this.at = null;
    this.say([{ text: t('thinking …'), kind: 'quiet' }]);
  }

  /** Plays a move into the tree without opening a study. @param {string} move @param {string} text @param {string} [source] */
  play(move, text, source = '') {
    const { session } = this.app;
    session.edit(tree.addMove(session.root, session.path, { move, text, source }));
  }

  /** Shows arrows, which alone are on the board during a lesson. @param {readonly string[]} moves @param {string} [kind] */
  point(moves, kind = 'hint') {
    this.app.setArrows('lesson', moves.flatMap((move) => {
      const [from, to] = move.match(/[a-z]\d+/g) ?? [];
      return from ? [{ from, to: to ?? from, kind, weight: 0.7 }] : [];
    }));
  }

  /** Puts a position on the board; what was there comes back when the lesson ends. @param {Parameters<import('../session.js').Session['load']>[0]} parts */
  load(parts) {
    const { app, app: { session } } = this;
    if (!this.before) {
      app.emit('leave');
      app.keep();
      this.before = { session, whole: session.whole, history: session.history };
    }
    session.lend(parts);
  }

  /** Ends the lesson and puts the board as it was. */
  end() {
    if (this.over) return;
    this.app.setLesson(null);
    this.app.moved();
  }

  /** Gives up what runs and puts the game back on its board; called when the lesson leaves the page. */
  close() {
    this.over = true;
    this.at = null;
    this.stop.abort();
    if (this.app.settings.flipped !== this.flipped) this.app.change({ flipped: this.flipped });
    const { before } = this;
    this.before = null;
    before?.session.giveBack(before.whole, before.history);
  }
}
