// Endings against the tables: no move is shown until somebody asks, and a move that lets the win go is told at once.

import { get } from '../api.js';
import { button, el, select } from '../dom.js';
import { plural, t } from '../i18n.js';
import { Lesson } from './lesson.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {import('../panels/table.js').Wdl} Wdl */
/** @typedef {import('../panels/table.js').TableAnswer} TableAnswer */
/** @typedef {import('../panels/table.js').TableMove} TableMove */
/** @typedef {{fen: string, set: string, wdl: Wdl | ''}} Task a position, or a set to take one from by chance */

const RANK = { loss: 0, draw: 1, win: 2 };
/** Plies after which a draw counts as held. */
const HELD = 60;

/** A position of the tables, played against perfect defence. */
export class Endings extends Lesson {
  /** @param {App} app @param {Task} task @param {readonly string[]} [sets] to choose from */
  constructor(app, task, sets = []) {
    super(app, t('Endings against the tables'));
    this.task = task;
    this.sets = sets;
    this.set = task.set || sets.find((set) => /^KRvK[A-Z]$/.test(set)) || sets.find((set) => set.startsWith('KR')) || sets[0] || '';
    /** The tables' answer on the position that is to be played. @type {TableAnswer | null} */
    this.truth = null;
    /** The value that the position had at first. @type {Wdl} */
    this.goal = 'win';
    this.best = 0;
    this.plies = 0;
    /** Whether a move has let the value go. */
    this.gone = false;
    this.asked = false;
    /** Whether the person plays the first side. */
    this.isFirst = true;
  }

  /** @override */
  async start() {
    if (this.task.fen) await this.begin(this.task.fen);
    else await this.another();
  }

  /** Takes another position of the set by chance. */
  async another() {
    try {
      const { fen } = await get('/api/table/random', { set: this.set, wdl: this.task.wdl || 'win' }, this.stop.signal);
      await this.begin(fen);
    } catch (error) {
      this.fail(error, () => void this.another());
    }
  }

  /** @param {string} fen */
  async begin(fen) {
    Object.assign(this, { truth: null, plies: 0, gone: false, asked: false });
    this.fen = fen;
    this.load({ start: fen });
    this.isFirst = this.app.firstToMove;
    this.app.change({ flipped: !this.isFirst });
    await this.ask(() => void this.begin(fen));
    if (!this.truth || this.over) return;
    this.goal = this.truth.wdl;
    this.best = this.truth.distance ?? 0;
    this.tellTask();
  }

  /** Asks the tables about the position that is to be played, and waits for a move. @param {() => void} again what is done once a server that went away is back */
  async ask(again) {
    const { app } = this;
    this.at = null;
    try {
      this.truth = await get('/api/table', { ...app.session.query, notation: app.settings.notation }, this.stop.signal);
      if (!this.over) this.wait();
    } catch (error) {
      this.truth = null;
      this.fail(error, again);
    }
  }

  /** @param {unknown} error @param {() => void} again what is done once a server that went away is back */
  fail(error, again) {
    this.trouble(error, again, this.onward());
  }

  get side() {
    return this.app.firstToMove ? t('Red') : t('Black');
  }

  /** Says what is to be done, and nothing of how. */
  tellTask() {
    const texts = { win: t('{side} to move and win.', { side: this.side }), draw: t('{side} to move and hold the draw.', { side: this.side }),
      loss: t('{side} is lost: hold out as long as you can.', { side: this.side }) };
    this.progress = '';
    this.say([{ text: texts[this.goal], kind: 'sentence' }, { text: t('The tables defend perfectly. No move is shown until you ask.'), kind: 'quiet' }], this.tools());
  }

  /** Returns what can be done while a move is awaited. */
  tools() {
    return [button(t('Show the piece'), () => this.hint(false)), button(t('Show the moves'), () => this.hint(true)), ...this.onward()];
  }

  /** Shows the piece of the best move, or all moves that keep the value. @param {boolean} all */
  hint(all) {
    const { truth } = this;
    if (!truth) return;
    this.asked = true;
    const keep = this.keeping(truth);
    if (!all) { this.point([(keep[0]?.move ?? '').slice(0, 2)]); return; }
    this.point(keep.slice(0, 3).map(({ move }) => move));
    this.say([...this.said.filter(({ kind }) => kind !== 'quiet'), { text: keep.slice(0, 12).map(moveText).join(' · ') }], this.tools());
  }

  /** Returns the moves that keep the value, the best first. @param {TableAnswer} truth */
  keeping(truth) {
    return truth.moves.filter(({ wdl }) => wdl === truth.wdl);
  }

  /** @override @param {string} move @param {string} text */
  take(move, text) {
    void this.judge(move, text);
  }

  /** @param {string} move @param {string} text */
  async judge(move, text) {
    const { truth } = this;
    if (!truth) return;
    const place = this.app.session.path;
    this.at = null;
    this.app.setArrows('lesson', []);
    this.play(move, text);
    this.plies++;
    const known = truth.moves.find((one) => one.move === move);
    const lost = known !== undefined && RANK[known.wdl] < RANK[truth.wdl];
    if (lost) { this.tellLost(truth, known, place); return; }
    await this.answered();
    if (this.over || this.ended()) return;
    await this.reply(known && truth.wdl === 'win' && truth.distance !== null && known.distance !== null ? known.distance - truth.distance : 0);
  }

  /** Says at once that the value is gone, with the move that kept it. @param {TableAnswer} truth @param {TableMove} played @param {import('../tree.js').Path} place */
  tellLost(truth, played, place) {
    this.gone = true;
    const best = this.keeping(truth)[0];
    const now = played.wdl === 'draw' ? t('now it is a draw') : t('now it is lost');
    const what = truth.wdl === 'win' ? t('The win is gone: {now}.', { now }) : t('The draw is gone: {now}.', { now });
    this.say([{ text: what, kind: 'bad' }, { text: best ? t('{move} kept it.', { move: moveText(best) }) : '' }], [
      button(t('Take it back'), () => {
        this.app.session.go(place);
        this.plies--;
        this.truth = truth;
        this.tellTask();
        this.wait();
      }, { class: 'primary' }),
      button(t('Play on'), () => void this.reply(0)), ...this.onward()]);
  }

  /** Waits until the server has said what the position on the board is. */
  async answered() {
    const { app } = this;
    for (let round = 0; round < 100 && !app.answer && !this.over; round++) await pause(30);
  }

  /** Whether the game is over; then it says how it went. */
  ended() {
    const { answer } = this.app;
    if (!answer || (answer.status === 'ongoing' && answer.verdict === 'none')) return this.held();
    const won = ['checkmate', 'stalemate'].includes(answer.status) && this.app.firstToMove !== this.isFirst;
    const verdict = answer.verdict.replaceAll('_', ' ');
    const own = this.isFirst ? 'red' : 'black';
    const other = this.isFirst ? 'black' : 'red';
    const isWon = won || verdict === `${own} wins` || verdict === `${other} loses`;
    const isDrawn = answer.status === 'drawn' || verdict === 'draw';
    const result = isWon ? 'win' : isDrawn ? 'draw' : 'loss';
    this.finish(RANK[result] >= RANK[this.goal], { win: t('Won'), draw: t('Drawn'), loss: t('Lost') }[result]);
    return true;
  }

  /** Whether a draw was held long enough. */
  held() {
    if (this.goal !== 'draw' || this.plies < HELD || this.gone) return false;
    this.finish(true, t('Held for {n} plies', { n: this.plies }));
    return true;
  }

  /** @param {boolean} good @param {string} how */
  finish(good, how) {
    const best = this.best > 0 && this.goal !== 'draw' ? ` · ${plural(this.best, 'best play takes {n} ply', 'best play takes {n} plies')}` : '';
    const notes = [this.gone && t('with a move taken back or a value let go'), this.asked && t('with help')].filter(Boolean).join(', ');
    this.say([{ text: `${how} · ${plural(this.plies, '{n} ply', '{n} plies')}${best}`, kind: good ? 'good' : 'bad' }, ...(notes ? [{ text: notes }] : [])], this.onward(true));
  }

  /** Plays the best defence. @param {number} wasted plies that the last move wasted */
  async reply(wasted) {
    const { app } = this;
    this.say([{ text: t('The tables answer …'), kind: 'quiet' }], this.onward());
    try {
      /** @type {TableAnswer} */
      const answer = await get('/api/table', { ...app.session.query, notation: app.settings.notation }, this.stop.signal);
      const best = answer.moves[0];
      await pause(250);
      if (this.over || !best) return;
      this.play(best.move, best.text ?? '', 'table');
      this.plies++;
      await this.answered();
      if (this.over || this.ended()) return;
    } catch (error) {
      this.fail(error, () => void this.replyAgain(wasted));
      return;
    }
    await this.goOn(wasted);
  }

  /** Answers after the server was away, which may now say that the game is over. @param {number} wasted */
  async replyAgain(wasted) {
    await this.answered();
    if (!this.over && !this.ended()) await this.reply(wasted);
  }

  /** Asks for the next move of the person. @param {number} wasted plies that the last move wasted */
  async goOn(wasted) {
    await this.ask(() => void this.goOn(wasted));
    if (!this.truth || this.over) return;
    const words = wasted > 0 ? [{ text: t('Still won, but {plies} longer than the best move.', { plies: plural(wasted, '{n} ply', '{n} plies') }) }] :
      [{ text: this.truth.wdl === 'win' ? t('Right: it is still won.') : this.truth.wdl === 'draw' ? t('Right: still a draw.') : t('Go on.') }];
    this.say([...words, { text: t('{side} to move.', { side: this.side }), kind: 'quiet' }], this.tools());
  }

  /** Returns the ways to another position. @param {boolean} [first] whether they are what to do next */
  onward(first = false) {
    const from = this.fen;
    const again = button(t('From the beginning'), () => void this.begin(from ?? ''));
    if (!this.set) return [again];
    const choice = this.sets.length > 1 && select(this.sets.map((set) => [set, set]), this.set, (set) => { this.set = set; void this.another(); }, { 'aria-label': t('Set of the tables') });
    return /** @type {HTMLElement[]} */ ([again, button(t('Another position'), () => void this.another(), first ? { class: 'primary' } : {}), choice && el('span', {}, choice)].filter(Boolean));
  }
}

/** @param {TableMove} move */
function moveText({ move, text, distance, wdl }) {
  const plies = distance === null || wdl === 'draw' ? '' : ` (${plural(distance, '{n} ply', '{n} plies')})`;
  return `${text || move}${plies}`;
}

/** @param {number} milliseconds @returns {Promise<void>} */
function pause(milliseconds) {
  return new Promise((resolve) => { setTimeout(resolve, milliseconds); });
}
