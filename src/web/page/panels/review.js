// The review of a game: its curve, its mistakes, and how exact each side played.

import { CLIENT, isAway, stream } from '../api.js';
import { explainError } from '../app.js';
import { button, el, emptyState, select, steady, svg } from '../dom.js';
import { byEngine, enginePicker, hasEngines, meant } from '../engines.js';
import { firstToMove, parse } from '../fen.js';
import { percent, t } from '../i18n.js';
import { chances, forFirst, readScore, scoreText } from '../score.js';
import { endOf, nodeAt, onMainLine } from '../tree.js';
import { writeGame } from '../wire.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {{expected: number, mate?: number | null, score_cp?: number | null, table?: string | null}} Expected */
/** @typedef {{games: number, share: number, score: number | null, known: boolean}} BookShare */
/** @typedef {{value: string, order: number, distance: number}} TableValue */

/**
 * What the review says of a move.
 * @typedef {object} Judged
 * @property {number} ply
 * @property {string} move
 * @property {string} [text]
 * @property {string} source
 * @property {unknown} score after the move, for the side that made it
 * @property {string | null} [best]
 * @property {string | null} [best_text]
 * @property {number | null} loss a share of the point
 * @property {number | null} [loss_cp]
 * @property {string | null} [mark]
 * @property {string | null} [certainty]
 * @property {string[]} [better]
 * @property {string[]} [better_texts]
 * @property {boolean} [known] whether a book knows the move well
 * @property {BookShare | null} [book]
 * @property {{before: TableValue, after: TableValue, endgame: string | null} | null} [table]
 * @property {string | null} [words] the loss by tables and rules
 * @property {number | null} [time_used] in seconds
 * @property {number} [outlook] the expected score of the first player after the move
 * @property {string} [phase]
 * @property {boolean} [only_move]
 * @property {Expected} [before]
 * @property {Expected} [after]
 */

/** A value of a position on the way. @typedef {{ply: number, outlook: number, score: unknown}} Valued */
/** @typedef {{moves: number, accuracy: number | null, lost: number}} PhaseSums */
/** @typedef {{moves: number, accuracy: number | null, inaccuracies: number, mistakes: number, blunders: number, lost: number, phases: Record<string, PhaseSums>, time_used: number | null}} SideSums */

/**
 * The end of a review.
 * @typedef {object} Sums
 * @property {{red: number | null, black: number | null}} accuracy of the first and the second player
 * @property {number | null} [turning_point]
 * @property {{ply: number, side: string, before: number, after: number} | null} [decided]
 * @property {{ply: number, text?: string, move: string, book_text?: string | null, book_move?: string | null, book?: BookShare | null} | null} [left_book]
 * @property {{first: SideSums, second: SideSums}} [sides]
 */

/** @type {Record<string, string>} */
const MARKS = { inaccuracy: '?!', mistake: '?', blunder: '??', good: '!', brilliant: '!!' };

/** Reviews the main line of the game on the board. */
export class ReviewPanel {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {Judged[]} */
    this.moves = [];
    /** The values of positions by their plies, while the review is made. @type {Map<number, Valued>} */
    this.values = new Map();
    /** @type {Sums | null} */
    this.sums = null;
    this.progress = { done: 0, of: 0 };
    this.error = '';
    this.nodes = '30000';
    this.engine = '';
    this.start = '';
    /** The game whose review waits for a server that went away, if any. */
    this.waiting = '';
    /** @type {AbortController | null} */
    this.running = null;
    this.head = el('div', { class: 'row' });
    this.bar = el('progress', { class: 'review-bar', 'aria-label': t('Progress of the review'), max: 1, value: 0, hidden: true });
    this.curve = el('div', { class: 'curve' });
    this.list = el('div');
    this.element = el('section', { class: 'panel panel-review', 'aria-label': t('Review') }, this.head, this.bar, this.curve, this.list);
    this.draw = steady(this.element, () => this.drawAll());
    /** The frame in which it is drawn next, so that many events make one drawing. */
    this.frame = 0;
    /** Follows the place on the board, once there is a report. @type {() => void} */
    this.follow = () => {};
    app.on(['position'], () => { this.showCursor(); this.showOnGauge(); this.follow(); });
    app.on(['tree'], () => this.drawHead());
    app.on(['server'], () => this.resume());
    this.draw();
  }

  get plies() {
    return endOf(this.app.session.root, []).length;
  }

  async run() {
    const { session, settings } = this.app;
    this.stop();
    const running = new AbortController();
    Object.assign(this, { moves: [], values: new Map(), sums: null, error: '', progress: { done: 0, of: this.plies }, running, start: session.start });
    this.draw();
    const game = writeGame(session);
    try {
      await stream('/api/review', { game: session.query.game, nodes: this.nodes, notation: settings.notation, client: CLIENT, ...this.query() }, game,
        (event, data) => this.take(event, data), running.signal);
    } catch (error) {
      if (running.signal.aborted) return;
      if (isAway()) this.waiting = session.id;
      else this.error = explainError(error).filter(Boolean).join(' ');
    }
    if (this.running === running) this.running = null;
    this.app.emit('tree');
    this.draw();
  }

  /** Begins a review anew that a server left when it went away, if its game is still on the board. */
  resume() {
    const { waiting } = this;
    this.waiting = '';
    if (waiting && waiting === this.app.session.id) void this.run();
    else this.draw();
  }

  /** Whether reviews take an engine of another program. */
  get picks() {
    return Boolean(this.app.meta.reviews_by_engines) && hasEngines(this.app);
  }

  query() {
    return byEngine(this.app, meant(this.app, this.engine));
  }

  stop() {
    this.running?.abort();
    this.running = null;
    this.waiting = '';
  }

  /** @param {string} event @param {any} data */
  take(event, data) {
    if (event === 'progress') this.progress = data;
    if (event === 'value') this.values.set(data.ply, data);
    if (event === 'done') this.sums = data ?? null;
    if (event === 'error') this.error = data.detail;
    if (event === 'move') this.takeMove(data);
    this.drawSoon();
  }

  drawSoon() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => { this.draw(); this.showOnGauge(); });
  }

  /** Whether the game on the board is the one that was reviewed. @param {Judged} judged */
  isHere(judged) {
    return nodeAt(this.app.session.root, Array(judged.ply).fill(0)).move === judged.move;
  }

  /** Shows the value of the move on the board where no engine shows one. */
  showOnGauge() {
    const { app } = this;
    const { path } = app.session;
    const judged = onMainLine(path) ? this.moves[path.length - 1] : undefined;
    const share = judged && this.isHere(judged) && judged.ply === path.length ? this.shareOf(judged) : null;
    app.setReviewed(share === null || !judged ? null : { share, score: forFirst(readScore(judged.score) ?? {}, this.byFirst(judged)) });
  }

  /** Whether the first player made a move. @param {{ply: number}} judged */
  byFirst(judged) {
    return (judged.ply % 2 === 1) === firstToMove(parse(this.app.game, this.app.session.start) ?? { turn: 'w' });
  }

  /** Returns the expected score of the first player after a move. @param {Judged} judged */
  shareOf(judged) {
    if (typeof judged.outlook === 'number') return judged.outlook;
    const score = readScore(judged.score);
    return score ? chances(forFirst(score, this.byFirst(judged))) : 0.5;
  }

  /** @param {Judged} judged */
  takeMove(judged) {
    this.moves.push(judged);
    const path = Array(judged.ply).fill(0);
    const { session } = this.app;
    if (nodeAt(session.root, path).move === judged.move) session.note(path, { mark: markOf(judged), source: judged.source });
  }

  drawAll() {
    this.drawHead();
    const points = this.points();
    this.curve.replaceChildren(...(points.length > 1 ? [this.drawCurve(points)] : []));
    void this.drawReport();
  }

  /** Shows the findings; what shows them is loaded when there are some. */
  async drawReport() {
    if (this.error) this.list.replaceChildren(emptyState(this.error));
    else if (!this.sums) this.list.replaceChildren();
    else {
      const { report } = await import('../teach/report.js');
      this.list.replaceChildren(report(this));
    }
  }

  drawHead() {
    const depth = select([['5000', t('quick')], ['30000', t('normal')], ['200000', t('thorough')]], this.nodes, (value) => { this.nodes = value; }, { 'aria-label': t('How thorough') });
    const picker = this.picks && enginePicker(this.app, meant(this.app, this.engine), (name) => { this.engine = name; }, { 'aria-label': t('Which engine') });
    const busy = this.running !== null || this.waiting !== '';
    const run = button(busy ? t('Stop') : t('Review this game'), () => { if (busy) { this.stop(); this.draw(); } else void this.run(); },
      { class: busy ? '' : 'primary', disabled: this.plies === 0 });
    const { done, of } = this.progress;
    const note = this.waiting ? t('The review begins again once the server is back.') : this.running ? t('{done} of {of} moves', { done, of }) : this.plies === 0 ? t('Open or play a game first.') : '';
    this.bar.hidden = !this.running;
    this.bar.max = Math.max(1, of);
    this.bar.value = done;
    this.head.replaceChildren(run, depth, ...(picker ? [picker] : []), el('span', { class: 'quiet', role: 'status' }, note));
  }

  /** Returns what the curve shows: moves that are reviewed, and before that the values of positions as they come. */
  points() {
    const { moves, values } = this;
    if (moves.length === 0) {
      return [...values.values()].sort((a, b) => a.ply - b.ply).map(({ ply, outlook, score }) => ({ ply, share: outlook, score: readScore(score), judged: null }));
    }
    const start = values.get(0);
    const first = start ? [{ ply: 0, share: start.outlook, score: readScore(start.score), judged: null }] : [];
    return [...first, ...moves.map((judged) => {
      const score = readScore(judged.score);
      return { ply: judged.ply, share: this.shareOf(judged), score: score && forFirst(score, this.byFirst(judged)), judged };
    })];
  }

  /** Draws the expected score of the first player over the plies. @param {ReturnType<ReviewPanel['points']>} points */
  drawCurve(points) {
    const [width, height] = [600, 130];
    const most = Math.max(this.plies, this.moves.length, 2);
    const x = (/** @type {number} */ ply) => (ply / most) * width;
    const line = points.map(({ ply, share }) => `${x(ply).toFixed(1)} ${(height * (1 - share)).toFixed(1)}`).join('L');
    const area = `M${x(points[0]?.ply ?? 0)} ${height / 2}L${line}L${x(points.at(-1)?.ply ?? 0)} ${height / 2}z`;
    const dots = points.flatMap(({ ply, share, score, judged }) => judged ? [svg('circle', { cx: x(ply), cy: height * (1 - share), r: markOf(judged) ? 5 : 3.5,
      class: `dot dot-${judged.source} ${markOf(judged) ? 'dot-mark' : ''}` }, svg('title', {}, this.pointText(judged, share, score)))] : []);
    const plot = svg('svg', { viewBox: `-8 -6 ${width + 16} ${height + 12}`, role: 'img', 'aria-label': t('The expected score of the first player over the game; click to go to a move'),
      onclick: (/** @type {MouseEvent} */ event) => this.clickCurve(event, plot, most) },
    svg('path', { d: area, class: 'area' }), svg('path', { d: `M0 ${height / 2}H${width}`, class: 'zero' }),
    svg('path', { d: `M${line}`, class: 'trace' }), svg('line', { class: 'cursor', y1: -6, y2: height + 6 }), ...dots);
    plot.setAttribute('data-most', String(most));
    this.placeCursor(plot);
    const keyed = el('p', { class: 'quiet legend' }, ...[['book', t('book')], ['table', t('table')], ['search', t('search')]].map(([kind, name]) =>
      el('span', { class: `legend-${kind}` }, name ?? '')));
    return el('div', {}, plot, keyed);
  }

  /** @param {Judged} judged @param {number} share @param {import('../score.js').Score | null} score */
  pointText(judged, share, score) {
    const expected = this.app.game === 'gomoku' ? t('expected score of Black: {share}', { share: percent(share, 0) }) :
      t('expected score of Red: {share}', { share: percent(share, 0) });
    return `${numberText(judged.ply)} ${judged.text ?? judged.move}${markOf(judged)} · ${scoreText(score)} · ${expected}`;
  }

  /** @param {MouseEvent} event @param {SVGSVGElement} plot @param {number} most */
  clickCurve(event, plot, most) {
    const box = plot.getBoundingClientRect();
    const ply = Math.round((((event.clientX - box.left) / box.width) * 616 - 8) / 600 * most);
    this.app.session.go(Array(Math.max(0, Math.min(ply, this.plies))).fill(0));
  }

  showCursor() {
    const plot = this.curve.querySelector('svg');
    if (plot) this.placeCursor(plot);
  }

  /** @param {SVGSVGElement} plot */
  placeCursor(plot) {
    const at = (this.app.session.path.length / Number(plot.getAttribute('data-most'))) * 600;
    const cursor = plot.querySelector('.cursor');
    cursor?.setAttribute('x1', String(at));
    cursor?.setAttribute('x2', String(at));
  }
}

/** Returns the sign of a mark, or nothing. @param {Judged} judged */
export function markOf(judged) {
  return judged.mark ? MARKS[judged.mark] ?? judged.mark : '';
}

/** Returns the number of a move as people write it. @param {number} ply */
export function numberText(ply) {
  return ply % 2 === 1 ? `${(ply + 1) / 2}.` : `${ply / 2}…`;
}
