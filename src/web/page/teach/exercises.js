// The exercises of the server that are due today: each is answered once, and comes again when the answer says so.

import { get, hasToken, post } from '../api.js';
import { explainError } from '../app.js';
import { button } from '../dom.js';
import { plural, t } from '../i18n.js';
import { addLine, node } from '../tree.js';
import { NO_TOKEN } from './keep.js';
import { Lesson } from './lesson.js';
import { acceptedText, foundText, verdictSaid } from './verdict.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {import('./verdict.js').Verdict} Verdict */
/** @typedef {{id: string, kind: string, fen: string, start: string, moves: string[], side: string, played: string | null, played_text?: string, goal: string | null, source: string, due: string | null, right: number, wrong: number}} Due */
/** @typedef {{day: string, due: number, exercises: Due[], next: string | null, total: number}} DueList */

/** The exercises that are due. */
export class Exercises extends Lesson {
  /** @param {App} app */
  constructor(app) {
    super(app, t('Exercises that are due'));
    /** @type {DueList | null} */
    this.list = null;
    this.number = 0;
    this.found = 0;
    /** The verdict on the first answer to the exercise. @type {Verdict | null} */
    this.verdict = null;
    this.tried = false;
  }

  /** @override */
  async start() {
    try {
      const { app } = this;
      this.list = await get('/api/train', { game: app.session.query.game, notation: app.settings.notation, limit: 100 }, this.stop.signal);
      this.number = 0;
      this.found = 0;
      if (this.list && this.list.exercises.length > 0 && hasToken()) this.ask();
      else this.nothing();
    } catch (error) {
      this.say([{ text: explainError(error).filter(Boolean).join(' '), kind: 'bad' }]);
    }
  }

  /** Says that nothing is due, or that answers cannot be kept. */
  nothing() {
    const { list } = this;
    if (list && list.exercises.length > 0) { this.say([{ text: NO_TOKEN(), kind: 'bad' }]); return; }
    const next = list?.next ? t('The next ones are due on {day}.', { day: list.next }) : '';
    const none = t('Marked moves of a review become exercises by “Keep as exercises”; `juzhong train FILE --add` adds others.');
    this.say([{ text: t('Nothing is due today.'), kind: 'sentence' }, { text: list?.total ? next : none }]);
  }

  get due() {
    return /** @type {Due} */ (this.list?.exercises[this.number]);
  }

  /** Puts the exercise on the board and waits for its answer. */
  ask() {
    const { due } = this;
    this.verdict = null;
    this.tried = false;
    const place = addLine(node(), [], due.moves);
    this.load({ start: due.start, root: place.root, path: place.path });
    this.app.change({ flipped: !this.app.firstToMove });
    this.progress = `${this.number + 1} / ${this.list?.exercises.length ?? 0}`;
    this.again();
  }

  again() {
    const { due } = this;
    const side = due.side === 'red' ? t('Red') : due.side === 'white' ? t('White') : t('Black');
    if (due.played) this.point([due.played], 'table-loss');
    this.say([{ text: this.task(side), kind: 'sentence' }, { text: due.source, kind: 'quiet' }],
      this.verdict ? [this.solver(), ...this.onward(t('Next'))] : [button(t('Give up'), () => void this.judge(null, ''))]);
    this.wait();
  }

  /** @param {string} side */
  task(side) {
    const { due } = this;
    if (due.played) return t('{move} was played. Find a better move for {side}.', { move: due.played_text ?? due.played, side });
    if (due.goal === 'win') return t('{side} to move and win.', { side });
    if (due.goal === 'draw') return t('{side} to move and hold the draw.', { side });
    return due.kind === 'repertoire' ? t('The move of the repertoire for {side}?', { side }) : t('Find the best move for {side}.', { side });
  }

  /** @override @param {string} move @param {string} text */
  take(move, text) {
    void this.judge(move, text);
  }

  /** @param {string | null} move none gives up @param {string} text */
  async judge(move, text) {
    const { app, due } = this;
    app.setArrows('lesson', []);
    const { root } = app.session;
    if (move) this.play(move, text);
    this.tried = app.session.root !== root;
    if (this.verdict && move) { this.judgeAgain(move, text); return; }
    this.think();
    try {
      /** @type {Verdict} */
      const verdict = await post('/api/train/answer', { id: due.id, notation: app.settings.notation, ...(move ? { move } : {}) }, {}, this.stop.signal);
      if (this.over) return;
      this.verdict = verdict;
      if (verdict.right) this.found++;
      const when = verdict.due ? [{ text: plural(verdict.days, 'It comes again in {n} day.', 'It comes again in {n} days.'), kind: /** @type {const} */ ('quiet') }] : [];
      if (!move) { this.solve(when); return; }
      this.say([...verdictSaid(verdict), ...when], verdict.right ? this.onward(t('Next')) : this.retry());
    } catch (error) {
      if (!this.over) this.say([{ text: explainError(error).filter(Boolean).join(' '), kind: 'bad' }], this.onward(t('Next')));
    }
  }

  /** Judges a further try by what the first verdict told; it does not count. @param {string} move @param {string} text */
  judgeAgain(move, text) {
    this.at = null;
    const right = this.verdict?.accepted.some((accepted) => accepted.move === move);
    this.say([right ? { text: t('{move} is right.', { move: text || move }), kind: 'good' } : { text: t('{move} is not it.', { move: text || move }), kind: 'bad' }],
      right ? this.onward(t('Next')) : this.retry());
  }

  retry() {
    return [button(t('Try again'), () => { this.takeBack(); this.again(); }, { class: 'primary' }), this.solver(), ...this.onward(t('Next'))];
  }

  solver() {
    return button(t('Show the solution'), () => this.solve([]));
  }

  takeBack() {
    if (this.tried) this.app.session.undo();
    this.tried = false;
  }

  /** Shows the moves that are right, and plays the first one. @param {import('./lesson.js').Said[]} more */
  solve(more) {
    this.takeBack();
    this.at = null;
    const accepted = this.verdict?.accepted ?? [];
    const best = accepted[0];
    this.app.setArrows('lesson', []);
    if (best) this.play(best.move, best.text ?? '', 'search');
    this.say([{ text: t('Right: {moves}', { moves: '' }), kind: 'sentence' }, ...accepted.slice(0, 5).map((one) => ({ text: acceptedText(one) })), ...more], this.onward(t('Next')));
  }

  /** @param {string} name */
  onward(name) {
    return [button(name, () => this.next(), { class: 'primary' })];
  }

  next() {
    this.number++;
    if (this.number < (this.list?.exercises.length ?? 0)) { this.ask(); return; }
    this.at = null;
    this.app.setArrows('lesson', []);
    this.progress = '';
    this.say([{ text: foundText(this.found, this.number), kind: 'sentence' }], [button(t('What is due now?'), () => void this.start()), button(t('End the lesson'), () => this.end())]);
  }
}
