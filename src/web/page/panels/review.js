// The review of a game: its curve, its mistakes, and how exact each side played.

import { CLIENT, stream } from '../api.js';
import { explainError } from '../app.js';
import { button, el, emptyState, quiet, select, steady, svg } from '../dom.js';
import { byEngine, enginePicker, hasEngines, meant } from '../engines.js';
import { firstToMove, parse } from '../fen.js';
import { percent, t } from '../i18n.js';
import { chances, forFirst, readScore, scoreText } from '../score.js';
import { endOf, nodeAt } from '../tree.js';
import { writeGame } from '../wire.js';

/** @typedef {import('../app.js').App} App */

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
    /** @type {{red: number, black: number} | null} */
    this.accuracy = null;
    this.progress = { done: 0, of: 0 };
    this.error = '';
    this.nodes = '30000';
    this.engine = '';
    this.start = '';
    /** @type {AbortController | null} */
    this.running = null;
    this.head = el('div', { class: 'row' });
    this.curve = el('div', { class: 'curve' });
    this.list = el('div');
    this.element = el('section', { class: 'panel panel-review', 'aria-label': t('Review') }, this.head, this.curve, this.list);
    this.draw = steady(this.element, () => this.drawAll());
    app.on(['position'], () => this.showCursor());
    app.on(['tree'], () => this.drawHead());
    this.draw();
  }

  get plies() {
    return endOf(this.app.session.root, []).length;
  }

  async run() {
    const { session, settings } = this.app;
    this.stop();
    const running = new AbortController();
    Object.assign(this, { moves: [], accuracy: null, error: '', progress: { done: 0, of: this.plies }, running, start: session.start });
    this.draw();
    const game = writeGame(session);
    try {
      await stream('/api/review', { game: session.query.game, nodes: this.nodes, notation: settings.notation, client: CLIENT, ...this.query() }, game,
        (event, data) => this.take(event, data), running.signal);
    } catch (error) {
      if (!running.signal.aborted) this.error = explainError(error).filter(Boolean).join(' ');
    }
    if (this.running === running) this.running = null;
    this.app.emit('tree');
    this.draw();
  }

  /** Whether reviews take an engine of another program. */
  get picks() {
    return Boolean(this.app.meta.reviews_by_engines) && hasEngines(this.app);
  }

  query() {
    return this.picks ? byEngine(this.app, meant(this.app, this.engine)) : {};
  }

  stop() {
    this.running?.abort();
    this.running = null;
  }

  /** @param {string} event @param {any} data */
  take(event, data) {
    if (event === 'progress') this.progress = data;
    if (event === 'done') this.accuracy = data?.accuracy ?? null;
    if (event === 'error') this.error = data.detail;
    if (event === 'move') this.takeMove(data);
    this.draw();
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
    this.curve.replaceChildren(...(this.moves.length > 1 ? [this.drawCurve()] : []));
    this.list.replaceChildren(...this.drawList());
  }

  drawHead() {
    const depth = select([['5000', t('quick')], ['30000', t('normal')], ['200000', t('thorough')]], this.nodes, (value) => { this.nodes = value; }, { 'aria-label': t('How thorough') });
    const picker = this.picks && enginePicker(this.app, meant(this.app, this.engine), (name) => { this.engine = name; }, { 'aria-label': t('Which engine') });
    const run = button(this.running ? t('Stop') : t('Review this game'), () => { if (this.running) { this.stop(); this.draw(); } else void this.run(); },
      { class: this.running ? '' : 'primary', disabled: this.plies === 0 });
    const { done, of } = this.progress;
    const note = this.running ? t('{done} of {of} moves', { done, of }) : this.plies === 0 ? t('Open or play a game first.') : '';
    this.head.replaceChildren(run, depth, ...(picker ? [picker] : []), el('span', { class: 'quiet', role: 'status' }, note));
  }

  drawList() {
    if (this.error) return [emptyState(this.error)];
    /** @type {HTMLElement[]} */
    const parts = [];
    if (this.accuracy) {
      parts.push(el('p', { class: 'accuracy' }, this.accuracyLine(this.accuracy)));
    }
    const mistakes = this.moves.filter((judged) => markOf(judged) && lossOf(judged) > 0).sort((a, b) => lossOf(b) - lossOf(a));
    if (mistakes.length > 0) parts.push(el('h3', {}, t('Mistakes, the largest first')), el('ul', { class: 'mistakes' }, ...mistakes.map((judged) => this.mistake(judged))));
    else if (this.accuracy) parts.push(quiet(t('No mistake was found.')));
    return parts;
  }

  /** @param {{red: number, black: number}} accuracy of the first and the second player */
  accuracyLine(accuracy) {
    const shares = { red: accuracyText(accuracy.red), black: accuracyText(accuracy.black) };
    return this.app.game === 'gomoku' ? t('Accuracy: Black {red}, White {black}', shares) : t('Accuracy: Red {red}, Black {black}', shares);
  }

  /** @param {Judged} judged */
  mistake(judged) {
    const { session } = this.app;
    const better = judged.best_text || judged.best;
    const path = Array(judged.ply).fill(0);
    const row = el('li', {}, button(`${numberText(judged.ply)} ${judged.text || judged.move}${markOf(judged)}`, () => session.go(path), { class: 'link' }),
      el('span', { class: 'num bad' }, lossText(judged)));
    if (better && judged.best) {
      row.append(el('span', {}, t('better:'), ' ', button(better, () => this.showBetter(judged), { class: 'link' })));
    }
    return row;
  }

  /** Shows the better move as a branch. @param {Judged} judged */
  showBetter(judged) {
    const { session } = this.app;
    session.go(Array(judged.ply - 1).fill(0));
    const first = /^[a-z]\d+([a-z]\d+)?/.exec(judged.best ?? '')?.[0];
    if (first) session.play(first, { text: judged.best_text?.split(' ')[0] ?? '', source: 'search' });
  }

  /** Draws Red's chances over the plies. */
  drawCurve() {
    const [width, height] = [600, 130];
    const first = firstToMove(parse(this.app.game, this.app.session.start) ?? { turn: 'w' });
    const most = Math.max(this.plies, this.moves.length, 2);
    const x = (/** @type {number} */ ply) => (ply / most) * width;
    const points = this.moves.map((judged) => {
      const score = readScore(judged.score);
      const byFirst = (judged.ply % 2 === 1) === first;
      return { judged, share: score ? chances(forFirst(score, byFirst)) : 0.5, score: score && forFirst(score, byFirst) };
    });
    const line = points.map(({ judged, share }) => `${x(judged.ply).toFixed(1)} ${(height * (1 - share)).toFixed(1)}`).join('L');
    const last = points.at(-1)?.judged.ply ?? 0;
    const area = `M${x(points[0]?.judged.ply ?? 0)} ${height / 2}L${line}L${x(last)} ${height / 2}z`;
    const dots = points.map(({ judged, share, score }) => svg('circle', { cx: x(judged.ply), cy: height * (1 - share), r: markOf(judged) ? 5 : 3.5,
      class: `dot dot-${judged.source} ${markOf(judged) ? 'dot-mark' : ''}` }, svg('title', {}, `${numberText(judged.ply)} ${judged.text ?? judged.move} ${scoreText(score)}`)));
    const plot = svg('svg', { viewBox: `-8 -6 ${width + 16} ${height + 12}`, role: 'img', 'aria-label': t('The chances of the first player over the game; click to go to a move'),
      onclick: (/** @type {MouseEvent} */ event) => this.clickCurve(event, plot, most) },
    svg('path', { d: area, class: 'area' }), svg('path', { d: `M0 ${height / 2}H${width}`, class: 'zero' }),
    svg('path', { d: `M${line}`, class: 'trace' }), svg('line', { class: 'cursor', y1: -6, y2: height + 6 }), ...dots);
    plot.setAttribute('data-most', String(most));
    this.placeCursor(plot);
    const keyed = el('p', { class: 'quiet legend' }, ...[['book', t('book')], ['table', t('table')], ['search', t('search')]].map(([kind, name]) =>
      el('span', { class: `legend-${kind}` }, name ?? '')));
    return el('div', {}, plot, keyed);
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

/** @param {Judged} judged */
function markOf(judged) {
  return judged.mark ? MARKS[judged.mark] ?? judged.mark : '';
}

/** @param {Judged} judged */
function lossOf(judged) {
  return judged.loss ?? 0;
}

/** @param {Judged} judged */
function lossText(judged) {
  const loss = lossOf(judged);
  return loss <= 1 ? `−${percent(loss, 0)}` : t('−{n} centipawns', { n: Math.round(loss) });
}

/** @param {number} accuracy given as a share or as a percentage */
function accuracyText(accuracy) {
  return percent(accuracy > 1 ? accuracy / 100 : accuracy);
}

/** @param {number} ply */
function numberText(ply) {
  return ply % 2 === 1 ? `${(ply + 1) / 2}.` : `${ply / 2}…`;
}
