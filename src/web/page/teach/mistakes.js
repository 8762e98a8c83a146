// Learn from your mistakes: the positions before the marked moves of a review, in which the player finds the better move.

import { post, CLIENT } from '../api.js';
import { explainError } from '../app.js';
import { button } from '../dom.js';
import { firstToMove, parse } from '../fen.js';
import { t } from '../i18n.js';
import { markOf, numberText } from '../panels/review.js';
import { movesTo, nodeAt } from '../tree.js';
import { Lesson } from './lesson.js';
import { acceptedText, foundText, verdictSaid } from './verdict.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {import('../panels/review.js').Judged} Judged */
/** @typedef {import('./verdict.js').Verdict} Verdict */

/** A lesson about the marked moves of a review. */
export class Mistakes extends Lesson {
  /** @param {App} app @param {readonly Judged[]} moves @param {'both' | 'first' | 'second' | ''} [side] whose mistakes; empty: asked for */
  constructor(app, moves, side = '') {
    super(app, t('Learn from your mistakes'));
    this.all = moves.filter((judged) => markOf(judged) && (judged.better?.length || judged.best) && judged.best !== judged.move);
    this.side = side;
    /** @type {Judged[]} */
    this.moments = [];
    this.number = 0;
    /** The moments that were not found at the first try. @type {Set<Judged>} */
    this.missed = new Set();
    /** Whether a move that was tried is in the tree. */
    this.tried = false;
  }

  /** @param {Judged} judged whether the first player made it */
  byFirst(judged) {
    return (judged.ply % 2 === 1) === firstToMove(parse(this.app.game, this.app.session.start) ?? { turn: 'w' });
  }

  /** @override */
  async start() {
    const [first, second] = this.app.game === 'gomoku' ? [t('Black'), t('White')] : [t('Red'), t('Black')];
    const of = (/** @type {boolean} */ byFirst) => this.all.filter((judged) => this.byFirst(judged) === byFirst);
    const [own, other] = [of(true), of(false)];
    const { root } = this.app.session;
    const isHere = this.all.every((judged) => nodeAt(root, Array(judged.ply).fill(0)).move === judged.move);
    if (!isHere) { this.say([{ text: t('The game that was reviewed is not on the board any more.') }]); return; }
    if (this.all.length === 0) { this.say([{ text: t('There is nothing to try again: no marked move has a better one.') }]); return; }
    if (own.length === 0 || other.length === 0) { this.begin(this.all); return; }
    this.say([{ text: t('Whose moves do you want to try again?') }], [
      button(`${first} (${own.length})`, () => this.begin(own), { class: 'primary' }),
      button(`${second} (${other.length})`, () => this.begin(other), { class: 'primary' }),
      button(`${t('Both')} (${this.all.length})`, () => this.begin(this.all))]);
  }

  /** @param {readonly Judged[]} moments */
  begin(moments) {
    this.moments = [...moments].sort((a, b) => a.ply - b.ply);
    this.number = 0;
    this.missed.clear();
    this.app.change({ flipped: !this.byFirst(/** @type {Judged} */ (this.moments[0])) });
    this.ask();
  }

  get moment() {
    return /** @type {Judged} */ (this.moments[this.number]);
  }

  /** Shows the position before a mistake and waits for a move. */
  ask() {
    const { app, moment } = this;
    this.tried = false;
    this.progress = `${this.number + 1} / ${this.moments.length}`;
    app.session.go(Array(moment.ply - 1).fill(0));
    this.again();
  }

  /** Waits for a move, at first or once more. */
  again() {
    const { app, moment } = this;
    this.point([moment.move], 'table-loss');
    const played = `${numberText(moment.ply)} ${moment.text ?? moment.move}${markOf(moment)}`;
    const side = app.firstToMove ? (app.game === 'gomoku' ? t('Black') : t('Red')) : app.game === 'gomoku' ? t('White') : t('Black');
    this.say([{ text: t('{move} was played. Find a better move for {side}.', { move: played, side }), kind: 'sentence' }], [
      button(t('Show the piece'), () => { this.missed.add(moment); this.point([(this.better[0] ?? '').match(/[a-z]\d+/)?.[0] ?? '']); }),
      button(t('Show the solution'), () => void this.solve()), ...this.onward(t('Skip'))]);
    this.wait();
  }

  /** The better line. */
  get better() {
    const { better, best } = this.moment;
    return better?.length ? better : best ? [best] : [];
  }

  /** What stands for the moment in questions to the server. */
  question() {
    const { app, moment } = this;
    const { game, fen } = app.session.query;
    const moves = movesTo(app.session.root, Array(moment.ply - 1).fill(0));
    return { game: game || 'xiangqi', fen: fen || 'startpos', moves: moves.join(','), played: moment.move, better: this.better,
      notation: app.settings.notation, client: CLIENT };
  }

  /** @override @param {string} move @param {string} text */
  take(move, text) {
    void this.judge(move, text);
  }

  /** @param {string} move @param {string} text */
  async judge(move, text) {
    const { moment } = this;
    const { session } = this.app;
    this.app.setArrows('lesson', []);
    const root = session.root;
    this.play(move, text);
    this.tried = session.root !== root;
    if (move === moment.move) {
      this.missed.add(moment);
      this.say([{ text: t('That is the move of the game.'), kind: 'bad' }], this.retry());
      return;
    }
    this.think();
    try {
      /** @type {Verdict} */
      const verdict = await post('/api/train/judge', { ...this.question(), move }, {}, this.stop.signal);
      if (this.over) return;
      if (!verdict.right) this.missed.add(moment);
      const others = verdict.accepted.filter((accepted) => accepted.move !== verdict.move);
      const more = verdict.right && others[0] ? [{ text: t('Also right: {moves}', { moves: others.slice(0, 3).map(acceptedText).join('; ') }) }] : [];
      this.say([...verdictSaid(verdict), ...more], verdict.right ? this.onward(t('Next')) : this.retry());
    } catch (error) {
      if (!this.over) this.say([{ text: explainError(error).filter(Boolean).join(' '), kind: 'bad' }], this.retry());
    }
  }

  /** Returns what can be done after a wrong move. */
  retry() {
    return [button(t('Try again'), () => { this.takeBack(); this.again(); }, { class: 'primary' }),
      button(t('Show the solution'), () => void this.solve()), ...this.onward(t('Skip'))];
  }

  /** Takes the move that was tried out of the tree. */
  takeBack() {
    const { session } = this.app;
    if (this.tried) session.undo();
    this.tried = false;
    session.go(Array(this.moment.ply - 1).fill(0));
  }

  /** Plays the better line beside the game. */
  async solve() {
    const { app, moment, better } = this;
    this.takeBack();
    if (!this.missed.has(moment)) this.missed.add(moment);
    this.at = null;
    app.setArrows('lesson', []);
    const texts = moment.better_texts?.length ? moment.better_texts : [moment.best_text ?? ''];
    better.forEach((move, at) => this.play(move, texts[at] ?? '', 'search'));
    app.session.go([...app.session.path.slice(0, moment.ply - 1 + 1)]);
    this.say([{ text: t('Better is {line}.', { line: texts.join(' ') }), kind: 'sentence' }, ...(moment.words ? [{ text: moment.words }] : [])], this.onward(t('Next')));
    try {
      /** @type {Verdict} */
      const { accepted } = await post('/api/train/judge', this.question(), {}, this.stop.signal);
      if (this.over || this.moment !== moment) return;
      this.say([...this.said, ...accepted.slice(0, 4).map((one) => ({ text: acceptedText(one) }))], this.buttons);
    } catch {
      // The line says enough.
    }
  }

  /** Returns the button that goes on. @param {string} name */
  onward(name) {
    return [button(name, () => this.next(), name === t('Next') ? { class: 'primary' } : {})];
  }

  next() {
    if (this.at) this.missed.add(this.moment);
    this.app.setArrows('lesson', []);
    this.number++;
    if (this.number < this.moments.length) this.ask();
    else this.finish();
  }

  finish() {
    this.at = null;
    this.progress = '';
    const missed = this.moments.filter((judged) => this.missed.has(judged));
    const again = missed.length > 0 ? [button(t('Once more those that were not found'), () => this.begin(missed), { class: 'primary' })] : [];
    this.say([{ text: foundText(this.moments.length - missed.length, this.moments.length), kind: 'sentence' }],
      [...again, ...(this.app.meta.train && missed.length > 0 ? [button(t('Keep as exercises'), () => void this.keep(missed))] : []),
        button(t('End the lesson'), () => this.end())]);
  }

  /** @param {readonly Judged[]} moments */
  async keep(moments) {
    const { keepMoments } = await import('./keep.js');
    await keepMoments(this.app, moments);
  }
}
