// Proofs of gomoku: who wins, by which moves, and the answer to every defence.

import { CLIENT, get } from '../api.js';
import { explainError } from '../app.js';
import { button, el, emptyState, quiet, row, select } from '../dom.js';
import { number, plural, t } from '../i18n.js';
import { wins } from '../status.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {'win' | 'draw' | 'loss' | 'unknown'} Value */
/** @typedef {{value: Value, distance: number | null, proof: string | null, line: string[], nodes?: number}} Solution for the side to move */
/** @typedef {{start: string, moves: string[], solution: Solution}} Proof a solution and where it begins */

/** Kinds of proofs whose distances are exact. */
const EXACT = ['five', 'table', 'vcf', 'exhaustive'];

/**
 * Returns what a proof says of a position along its line, or null off the line.
 * @param {Proof} proof @param {string} start @param {readonly string[]} moves @returns {Solution | null}
 */
export function along({ start: first, moves: before, solution }, start, moves) {
  const gone = moves.length - before.length;
  const line = [...before, ...solution.line];
  if (start !== first || gone < 0 || moves.length > line.length || moves.some((move, at) => move !== line[at])) return null;
  const { value, distance } = solution;
  const turned = value === 'win' ? 'loss' : value === 'loss' ? 'win' : value;
  return { ...solution, value: gone % 2 === 0 ? value : turned, distance: distance === null ? null : distance - gone, line: solution.line.slice(gone) };
}

/** Proves positions of gomoku, and plays proofs. */
export class ProofPanel {
  /** @param {App} app @param {() => void} free ends a game against the engine */
  constructor(app, free) {
    this.app = app;
    this.free = free;
    /** @type {Proof[]} */
    this.proofs = [];
    this.seconds = '10';
    this.error = '';
    /** Whether the first player wins against the person, who tries defences. @type {boolean | null} */
    this.winner = null;
    /** Where the stones that are numbered begin. @type {Proof | null} */
    this.base = null;
    /** Whether a proof was played to its end. */
    this.over = false;
    this.plies = app.session.moves.length;
    /** @type {AbortController | null} */
    this.asking = null;
    this.since = 0;
    this.state = el('span', { class: 'quiet', role: 'status' });
    this.body = el('div');
    this.run = button('', () => this.asking ? this.stop() : void this.prove(), { class: 'primary' });
    const limit = select([['10', t('{n} s', { n: 10 })], ['60', t('{n} s', { n: 60 })], ['300', t('{n} s', { n: 300 })]], this.seconds,
      (value) => { this.seconds = value; }, { 'aria-label': t('Time for the proof') });
    this.element = el('section', { class: 'panel panel-proof', 'aria-label': t('Proof') }, row(this.run, limit, this.state), this.body);
    app.on(['position'], () => this.moved());
    app.on(['tab'], () => { if (!this.open) this.winner = null; this.draw(); });
    app.on(['answer'], () => { if (this.winner !== null && app.answer?.status !== 'ongoing') { this.winner = null; this.over = true; this.draw(); } });
    this.draw();
  }

  get open() { return this.app.tab === 'table'; }

  /** What is known of the position on the board. */
  get known() {
    const { start, moves } = this.app.session;
    for (const proof of this.proofs) {
      const solution = along(proof, start, moves);
      if (!solution) continue;
      if (this.winner === null && !this.over) this.base = proof;
      return solution;
    }
    return null;
  }

  moved() {
    const plies = this.app.session.moves.length;
    const played = plies === this.plies + 1 && this.app.session.here.children.length === 0;
    this.plies = plies;
    this.error = '';
    this.over = false;
    this.stop();
    if (played && this.winner === this.app.firstToMove) void this.respond();
  }

  stop() {
    this.asking?.abort();
    this.asking = null;
    this.draw();
  }

  /** Asks who wins. @returns {Promise<Solution | null>} */
  async prove() {
    const { app } = this;
    const { start, moves, query } = app.session;
    const asking = new AbortController();
    Object.assign(this, { asking, error: '', since: Date.now() });
    app.searching++;
    app.emit('play');
    this.draw();
    const timer = setInterval(() => this.drawState(), 1000);
    /** @type {Solution | null} */
    let solution = null;
    try {
      solution = await get('/api/solve', { ...query, seconds: this.seconds, client: CLIENT }, asking.signal);
      if (solution) this.proofs = [{ start, moves, solution }, ...this.proofs].slice(0, 100);
    } catch (error) {
      if (!asking.signal.aborted) this.error = explainError(error).filter(Boolean).join(' ');
    }
    clearInterval(timer);
    app.searching--;
    app.emit('play');
    if (asking.signal.aborted) return null;
    this.asking = null;
    this.draw();
    return solution;
  }

  /** Lets the person try defences, and answers each. */
  answerYourself() {
    const { known, app } = this;
    if (!known) return;
    this.free();
    this.winner = (known.value === 'win') === app.firstToMove;
    this.draw();
    if (this.winner === app.firstToMove) void this.respond();
  }

  /** Plays the winning reply. */
  async respond() {
    const known = this.known ?? await this.prove();
    const [move] = known?.value === 'win' ? known.line : [];
    if (this.winner !== null && move) this.app.session.play(move);
  }

  draw() {
    const { known, app } = this;
    this.run.textContent = this.asking ? t('Stop') : t('Prove');
    this.drawState();
    this.body.replaceChildren(...known && !this.error ? this.drawSolution(known) :
      [emptyState(this.error || t('Does one side win by force from here? What is proved is shown with its moves.'))]);
    app.setProof(this.shown(known?.line ?? []));
  }

  /** Returns what is to be drawn on the stones. @param {string[]} line @returns {App['proof']} */
  shown(line) {
    const { base, winner } = this;
    if (!base || !this.open || !this.inside(base) || (line.length === 0 && winner === null && !this.over)) return null;
    return { from: base.moves.length, next: winner === null ? line : [] };
  }

  /** Whether the position came after the beginning of a proof. @param {Proof} proof */
  inside({ start, moves }) {
    const { session } = this.app;
    return start === session.start && moves.every((move, at) => move === session.moves[at]);
  }

  drawState() {
    this.state.textContent = this.asking ? t('proving … {n} s', { n: Math.round((Date.now() - this.since) / 1000) }) :
      this.winner === null ? '' : this.app.firstToMove === this.winner ? t('Not proved from here: give it more time.') : t('Your move: try any defence.');
  }

  /** @param {Solution} known */
  drawSolution(known) {
    const { app } = this;
    const { value, line, nodes } = known;
    if (value === 'unknown') return [el('p', {}, t('Nothing is proved. Give it more time, or play a move that forces more and prove again.')), positions(nodes)];
    const won = value !== 'draw' && this.winner === null && line.length > 0;
    const first = app.session.moves.length - (this.base?.moves.length ?? 0);
    const moves = this.winner === null ? line.map((move, at) => [el('span', { class: 'number' }, `${first + at + 1}.`),
      button(move, () => line.slice(0, at + 1).forEach((step) => app.session.play(step)), { class: 'pv-move', ...app.hovers(move) })]) : [];
    return [el('p', { class: `sentence wdl-${value}` }, sentence(app, known)), positions(nodes),
      row(won && button(t('Play the best line'), () => app.playLine(line.map((move) => ({ move })), '')),
        won && button(t('Answer yourself'), () => this.answerYourself(), { title: t('Try any defence; every one is refuted') }),
        this.winner !== null && button(t('Show the line'), () => { this.winner = null; this.draw(); })),
      el('p', { class: 'proof-line' }, ...moves.flat())];
  }
}

/** @param {number} [nodes] */
function positions(nodes) {
  return quiet(nodes ? plural(nodes, '{n} position was looked at', '{n} positions were looked at') : '');
}

/** Returns a proof as a sentence. @param {App} app @param {Solution} solution */
function sentence(app, { value, distance, proof }) {
  if (value === 'draw') return t('A draw with best play.');
  /** @type {Record<string, string>} */
  const ways = { vcf: t(', by continuous fours'), threats: t(', by threats'), pns: t(', by proof-number search'), exhaustive: t(', after every move was tried') };
  const when = !distance ? '' : EXACT.includes(proof ?? '') ? plural(distance, ' in {n} ply', ' in {n} plies') : t(' in at most {n} plies', { n: number(distance) });
  return t('{sentence}.', { sentence: wins(app, (value === 'win') === app.firstToMove) + when + (ways[proof ?? ''] ?? '') });
}
