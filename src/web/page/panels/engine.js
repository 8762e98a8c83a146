// Live analysis: lines with values, streamed by the server.

import { CLIENT, stream } from '../api.js';
import { explainError } from '../app.js';
import { calm, el, button, select, steady } from '../dom.js';
import { number, plural, short, t } from '../i18n.js';
import { pointsOf } from '../fen.js';
import { SOURCES } from './moves.js';
import { forFirst, readScore, scoreText } from '../score.js';

/** @typedef {import('../app.js').App} App */

/**
 * A line of the analysis.
 * @typedef {object} Info
 * @property {number} depth
 * @property {number} [seldepth]
 * @property {number} multipv
 * @property {import('../score.js').Score} score for the side to move
 * @property {number[] | null} [wdl]
 * @property {number} nodes
 * @property {number} nps
 * @property {number} time_ms
 * @property {string[]} pv
 * @property {string[]} [texts]
 */

/** Shows what the engine finds in the position on the board. */
export class EnginePanel {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {Map<number, Info>} */
    this.lines = new Map();
    /** @type {{source: string, text: string} | null} */
    this.done = null;
    /** @type {AbortController | null} */
    this.running = null;
    this.paused = false;
    this.error = '';
    this.toggle = button('', () => this.switch(), { class: 'switch', role: 'switch', title: t('Analysis on or off (e)') });
    this.facts = el('span', { class: 'facts' });
    this.go = button('', () => this.stopOrGo(), { class: 'small' });
    this.list = el('ol', { class: 'lines-list' });
    this.drawLines = steady(this.list, () => this.list.replaceChildren(...this.rows()));
    this.element = el('section', { class: 'panel panel-engine', 'aria-label': t('Engine') },
      el('div', { class: 'panel-head' }, this.toggle, this.facts, this.go, this.choice()), this.list);
    this.later = calm(() => this.restart(), 60);
    app.on(['position'], () => this.moved());
    app.on(['answer'], () => { if (!this.running && app.settings.engine) this.later(); });
    app.on(['play'], () => this.makeRoom());
    this.draw();
  }

  /** Stops while the opponent thinks, so that one search runs at a time. */
  makeRoom() {
    if (this.app.searching) this.stop();
    else if (this.app.settings.engine && !this.running) this.later();
  }

  choice() {
    const options = /** @type {[string, string][]} */ ([1, 2, 3, 4, 5].map((n) => [String(n), plural(n, '{n} line', '{n} lines')]));
    return select(options, String(this.app.settings.lines), (value) => {
      this.app.change({ lines: Number(value) });
      this.restart();
    }, { 'aria-label': t('How many lines'), class: 'small' });
  }

  /** Turns analysis on or off. */
  switch() {
    this.app.change({ engine: !this.app.settings.engine });
    this.paused = false;
    this.restart();
  }

  /** Stops the search, or goes on without a limit. */
  stopOrGo() {
    if (this.running) {
      this.paused = true;
      this.stop();
      this.draw();
    } else {
      this.paused = false;
      this.start(0);
    }
  }

  moved() {
    this.stop();
    this.paused = false;
    this.lines.clear();
    this.done = null;
    this.error = '';
    this.draw();
    if (this.app.settings.engine) this.later();
  }

  stop() {
    this.running?.abort();
    this.running = null;
  }

  restart() {
    this.stop();
    this.lines.clear();
    this.done = null;
    const { app } = this;
    const open = app.answer?.status === 'ongoing' && !app.editing && !app.searching;
    if (app.settings.engine && open && !this.paused) this.start(app.settings.seconds * 1000);
    else this.clear();
  }

  clear() {
    this.app.setArrows('engine', []);
    this.app.setScore(null);
    this.draw();
  }

  /** @param {number} movetime in milliseconds, 0 without a limit */
  async start(movetime) {
    const { app } = this;
    const running = new AbortController();
    this.running = running;
    this.error = '';
    this.draw();
    try {
      const query = { ...app.session.query, multipv: app.settings.lines, notation: app.settings.notation, movetime: movetime || '', client: CLIENT };
      await stream('/api/analyse', query, undefined, (event, data) => {
        if (this.running === running) this.take(event, data);
      }, running.signal);
    } catch (error) {
      if (!running.signal.aborted) this.error = explainError(error).filter(Boolean).join(' ');
    }
    if (this.running !== running) return;
    this.running = null;
    this.draw();
  }

  /** @param {string} event @param {any} data */
  take(event, data) {
    if (event === 'info') this.lines.set(data.multipv ?? 1, { ...data, score: readScore(data.score) ?? {} });
    if (event === 'done') this.done = data;
    if (event === 'error') this.error = data.detail;
    this.draw();
    this.showOnBoard();
  }

  showOnBoard() {
    const first = this.lines.get(1);
    if (!first) return;
    this.app.setScore(forFirst(first.score, this.app.firstToMove));
    const arrows = [...this.lines.values()].flatMap((line) => this.arrowOf(line, line.multipv === 1 ? 0.8 : 0.3));
    this.app.setArrows('engine', arrows);
  }

  /** @param {Info} line @param {number} weight @returns {import('../points.js').Arrow[]} */
  arrowOf(line, weight) {
    const [from, to] = pointsOf(line.pv[0] ?? '');
    return from ? [{ from, to: to ?? from, kind: 'engine', weight }] : [];
  }

  draw() {
    const { settings } = this.app;
    this.toggle.textContent = t('Engine');
    this.toggle.setAttribute('aria-checked', String(settings.engine));
    this.element.classList.toggle('off', !settings.engine);
    this.go.textContent = this.running ? t('Stop') : t('Go on');
    this.go.hidden = !settings.engine || (!this.running && this.lines.size === 0);
    this.facts.textContent = this.factsText();
    this.drawLines();
  }

  factsText() {
    const first = this.lines.get(1);
    if (!this.app.settings.engine) return '';
    if (!first) return this.running ? t('thinking …') : '';
    const parts = [t('depth {depth}', { depth: first.seldepth ? `${first.depth}/${first.seldepth}` : first.depth }),
      t('{n} nodes/s', { n: short(first.nps) }), t('{n} s', { n: number(first.time_ms / 1000, 1) })];
    if (this.done && this.done.source !== 'search') parts.push(t(SOURCES[this.done.source] ?? this.done.source));
    return parts.join(' · ');
  }

  rows() {
    if (this.error) return [el('li', { class: 'bad' }, this.error)];
    const wanted = this.app.settings.engine ? this.app.settings.lines : 0;
    const rows = [...this.lines.values()].sort((a, b) => a.multipv - b.multipv).map((line) => this.row(line));
    while (rows.length < wanted) rows.push(el('li', { class: 'pv pv-empty' }, ' '));
    return rows;
  }

  /** @param {Info} line */
  row(line) {
    const score = forFirst(line.score, this.app.firstToMove);
    const better = /^[+]/.test(scoreText(score));
    const moves = line.pv.slice(0, 16).map((move, at) => this.moveButton(line, move, at));
    return el('li', { class: 'pv', title: wdlText(line.wdl) },
      el('span', { class: `score ${better ? 'score-first' : 'score-second'}` }, scoreText(score)), el('span', { class: 'pv-moves' }, ...moves));
  }

  /** @param {Info} line @param {string} move @param {number} at */
  moveButton(line, move, at) {
    const { app } = this;
    return button(line.texts?.[at] ?? move, () => {
      line.pv.slice(0, at + 1).forEach((step, index) => app.session.play(step, { text: line.texts?.[index] ?? '', source: 'search' }));
    }, { class: 'pv-move', ...app.hovers(move) });
  }
}

/** @param {number[] | null | undefined} wdl */
function wdlText(wdl) {
  if (!wdl || wdl.length !== 3) return null;
  const [win, draw, loss] = wdl.map((share) => number(share / 10, 1));
  return t('For the side to move: win {win} %, draw {draw} %, loss {loss} %', { win: win ?? '', draw: draw ?? '', loss: loss ?? '' });
}
