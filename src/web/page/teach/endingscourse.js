// The course of endings: positions of the program's own, one after the other, each with one move that wins.

import { get } from '../api.js';
import { button, el, select } from '../dom.js';
import { number, t } from '../i18n.js';
import { COURSE } from './course.js';
import { Endings } from './endings.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {import('./course.js').CourseEnding} CourseEnding */

/** Where the browser keeps which endings were won. */
const KEY = 'juzhong.course';

/** The endings of the course, as far as there are tables for them. */
export class EndingsCourse extends Endings {
  /** @param {App} app */
  constructor(app) {
    super(app, { fen: '', set: '', wdl: 'win' });
    this.title = t('Course of endings');
    this.element.setAttribute('aria-label', this.title);
    /** @type {readonly CourseEnding[]} */
    this.course = [];
    this.number = 0;
    this.won = readWon();
  }

  /** @override */
  async start() {
    try {
      /** @type {{tables: import('../wire.js').SetInfo[]}} */
      const { tables } = await get('/api/tables', {}, this.stop.signal);
      const sets = new Set(tables.map(({ material }) => material));
      this.course = COURSE.filter(({ set }) => sets.has(set));
    } catch (error) {
      this.fail(error, () => void this.start());
      return;
    }
    if (this.over) return;
    const open = this.course.findIndex(({ fen }) => !this.won.has(fen));
    if (this.course.length === 0) this.say([{ text: t('The course needs tables of up to four men.'), kind: 'bad' }]);
    else await this.show(Math.max(0, open));
  }

  /** Puts an ending of the course on the board. @param {number} at */
  async show(at) {
    const { fen } = this.course[at] ?? {};
    if (!fen) return;
    this.number = at;
    await this.begin(fen);
  }

  /** @override */
  tellTask() {
    super.tellTask();
    const won = this.course.filter(({ fen }) => this.won.has(fen)).length;
    this.progress = t('{n} of {all} won', { n: number(won), all: number(this.course.length) });
    const only = { text: t('One move alone wins.'), kind: /** @type {const} */ ('quiet') };
    this.say(this.plies === 0 ? [...this.said.slice(0, 1), only, ...this.said.slice(1)] : this.said, this.tools());
  }

  /** Notes an ending that was won by its finder alone. @override @param {boolean} good @param {string} how */
  finish(good, how) {
    const { fen = '' } = this;
    if (good && !this.gone && !this.asked) {
      this.won.add(fen);
      keepWon(this.won);
    }
    super.finish(good, how);
    if (this.course.every((one) => this.won.has(one.fen))) this.say([...this.said, { text: t('The whole course is won.'), kind: 'good' }], this.buttons);
  }

  /** @override @param {boolean} [first] */
  onward(first = false) {
    const { course, fen, number: at } = this;
    if (!fen) return [];
    const name = (/** @type {CourseEnding} */ one, /** @type {number} */ index) => `${number(index + 1)} · ${one.set}${this.won.has(one.fen) ? ' ✓' : ''}`;
    const options = course.map((one, index) => /** @type {[string, string]} */ ([String(index), name(one, index)]));
    const next = at + 1 < course.length && button(t('Next'), () => void this.show(at + 1), first ? { class: 'primary' } : {});
    return /** @type {HTMLElement[]} */ ([button(t('From the beginning'), () => void this.begin(fen)), next,
      el('span', {}, select(options, String(at), (chosen) => void this.show(Number(chosen)), { 'aria-label': t('Ending of the course') }))].filter(Boolean));
  }
}

/** Returns the endings that were won in this browser. @returns {Set<string>} */
function readWon() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return new Set(Array.isArray(kept) ? kept.filter((fen) => COURSE.some((one) => one.fen === fen)) : []);
  } catch {
    return new Set();
  }
}

/** @param {Set<string>} won */
function keepWon(won) {
  try {
    localStorage.setItem(KEY, JSON.stringify([...won]));
  } catch {
    // A browser that keeps nothing begins the course anew.
  }
}
