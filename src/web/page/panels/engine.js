// Live analysis: lines with values, streamed by the server; by one engine, or by two side by side.

import { CLIENT, stream } from '../api.js';
import { explainError } from '../app.js';
import { calm, el, button, row, select, steady } from '../dom.js';
import { byEngine, engineChoices, engineName, enginePicker, evaluationField, factsOf, hasEngines, meant, OWN, rangeField } from '../engines.js';
import { number, plural, short, t } from '../i18n.js';
import { after, pointsOf } from '../fen.js';
import { SOURCES } from '../movelist.js';
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

/** The search of one engine in the position on the board. */
class Search {
  /** @param {App} app @param {'engine' | 'second'} kind of its arrows; only the first has the gauge */
  constructor(app, kind) {
    this.app = app;
    this.kind = kind;
    /** @type {Map<number, Info>} */
    this.lines = new Map();
    /** @type {{source: string, text: string} | null} */
    this.done = null;
    /** @type {AbortController | null} */
    this.running = null;
    this.paused = false;
    this.error = '';
    this.facts = el('span', { class: 'facts' });
    this.go = button('', (event) => {
      this.stopOrGo();
      // Space asks for the best move after a click, and presses the button again only for those who came by keyboard.
      if (event.detail > 0) this.go.blur();
    }, { class: 'small' });
    this.list = el('ol', { class: 'lines-list' });
    this.drawLines = steady(this.list, () => this.list.replaceChildren(...this.rows()));
    this.later = calm(() => this.restart(), 60);
  }

  /** The engine; empty where none is chosen. */
  get engine() {
    const { app } = this;
    if (this.kind === 'engine') return meant(app, app.settings.analyst);
    const { second } = app.settings;
    return second && hasEngines(app) && second !== meant(app, app.settings.analyst) ? meant(app, second) : '';
  }

  /** Whether it is wanted. */
  get on() {
    return this.app.settings.engine && !this.app.lesson && this.engine !== '';
  }

  /** Stops the search, or goes on without a limit. */
  stopOrGo() {
    if (this.running) {
      this.paused = true;
      this.stop();
      this.draw();
    } else {
      this.paused = false;
      void this.start(this.error ? this.app.settings.seconds * 1000 : 0);
    }
  }

  moved() {
    this.stop();
    this.forget();
    this.draw();
    if (this.on) this.later();
  }

  /** Forgets what was found, and takes it off the board. */
  forget() {
    this.paused = false;
    this.lines.clear();
    this.done = null;
    this.error = '';
    this.unshow();
  }

  unshow() {
    this.app.setArrows(this.kind, []);
    if (this.kind === 'engine') this.app.setScore(null);
  }

  /** Shows a fault in place of the lines. @param {string} text */
  fail(text) {
    this.error = text;
    this.lines.clear();
    this.unshow();
  }

  stop() {
    this.running?.abort();
    this.running = null;
  }

  restart() {
    this.stop();
    this.lines.clear();
    this.done = null;
    this.error = '';
    const { app } = this;
    const open = app.answer?.status === 'ongoing' && !app.editing && !app.searching;
    if (this.on && open && !this.paused) void this.start(app.settings.seconds * 1000);
    else this.clear();
  }

  clear() {
    this.unshow();
    this.draw();
  }

  /** What stands for the search in the question to the server. @param {number} movetime */
  query(movetime) {
    const { app, engine } = this;
    const { lines, notation, sizes } = app.settings;
    const client = this.kind === 'engine' ? CLIENT : `${CLIENT}-${this.kind}`;
    return { ...app.session.query, multipv: lines, notation, movetime: movetime || '', client, ...(app.meta.local ? {} : sizes[engine]), evaluation: undefined, ...byEngine(app, engine) };
  }

  /** @param {number} movetime in milliseconds, 0 without a limit */
  async start(movetime) {
    const running = new AbortController();
    this.running = running;
    this.error = '';
    this.draw();
    try {
      await stream('/api/analyse', this.query(movetime), undefined, (event, data) => {
        if (this.running === running) this.take(event, data);
      }, running.signal);
    } catch (error) {
      if (this.running === running && !running.signal.aborted) this.fail(explainError(error).filter(Boolean).join(' '));
    }
    if (this.running !== running) return;
    this.running = null;
    this.draw();
  }

  /** @param {string} event @param {any} data */
  take(event, data) {
    if (event === 'info') this.lines.set(data.multipv ?? 1, { ...data, score: readScore(data.score) ?? {} });
    if (event === 'done') this.done = data;
    if (event === 'error') this.fail([data.detail, data.hint].filter(Boolean).join(' '));
    this.draw();
    this.showOnBoard();
  }

  showOnBoard() {
    const first = this.lines.get(1);
    if (!first) return;
    if (this.kind === 'engine') this.app.setScore(forFirst(first.score, this.app.firstToMove));
    // The best one last, so that it lies on the others.
    const lines = [...this.lines.values()].sort((a, b) => b.multipv - a.multipv);
    const arrows = lines.flatMap((line) => this.arrowOf(line, line.multipv === 1 ? 1 : 0.25));
    this.app.setArrows(this.kind, arrows);
  }

  /** @param {Info} line @param {number} weight @returns {import('../points.js').Arrow[]} */
  arrowOf(line, weight) {
    const [from, to] = pointsOf(line.pv[0] ?? '');
    return from ? [{ from, to: to ?? from, kind: this.kind, weight, faint: line.multipv > 1 }] : [];
  }

  draw() {
    this.go.textContent = this.running ? t('Stop') : this.error ? t('Try again') : t('Go on');
    this.go.hidden = !this.on || (!this.running && !this.error && this.lines.size === 0);
    this.facts.textContent = this.factsText();
    this.drawLines();
  }

  factsText() {
    const first = this.lines.get(1);
    if (!this.on || this.error) return '';
    if (!first) return this.running ? t('thinking …') : '';
    const parts = [t('depth {depth}', { depth: first.seldepth ? `${first.depth}/${first.seldepth}` : first.depth }),
      t('{n} nodes/s', { n: short(first.nps) }), t('{n} s', { n: number(first.time_ms / 1000, 1) })];
    if (!this.running && !this.paused && this.done?.source === 'search') parts.push(t('time is up'));
    if (this.done && this.done.source !== 'search') parts.push(t(SOURCES[this.done.source] ?? this.done.source));
    return parts.join(' · ');
  }

  rows() {
    if (this.error) return [el('li', { class: 'bad' }, hasEngines(this.app) ? `${engineName(this.engine)}: ${this.error}` : this.error)];
    const wanted = this.on ? this.app.settings.lines : 0;
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
    }, { class: 'pv-move', ...this.hovers(line, at) });
  }

  /** Returns what shows a move of a line on the board and, after the first, the position that it leads to. @param {Info} line @param {number} at */
  hovers(line, at) {
    const { app } = this;
    const { session } = app;
    const arrows = app.hovers(line.pv[at] ?? '');
    const moves = [...session.moves, ...line.pv.slice(0, at + 1)];
    const small = app.previews(() => ({ position: after(app.game, session.start, moves), last: pointsOf(line.pv[at] ?? '') }));
    const onmouseenter = (/** @type {MouseEvent} */ event) => {
      // The first move stands on the board itself; a later one may begin where no man is yet.
      if (at === 0) arrows.onmouseenter(event);
      void small.onmouseenter(event);
    };
    return { ...arrows, onmouseenter };
  }
}

/** Shows what engines find in the position on the board. */
export class EnginePanel {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.first = new Search(app, 'engine');
    this.second = new Search(app, 'second');
    this.searches = [this.first, this.second];
    this.toggle = button(t('Engine'), () => this.switch(), { class: 'switch', role: 'switch', title: t('Analysis on or off (e)') });
    this.picker = enginePicker(app, '', (name) => this.pick(name), { 'aria-label': t('Which engine'), class: 'small picker' });
    this.name = el('span', { class: 'engine-name' });
    this.beside = el('section', { class: 'beside', 'aria-label': t('Second engine') },
      el('div', { class: 'panel-head' }, this.name, this.second.facts, this.second.go), this.second.list);
    this.fields = el('div', { class: 'engine-fields' });
    /** The engines whose fields are shown. */
    this.shown = '';
    const fields = app.game === 'gomoku'
      ? (hasEngines(app) ? t('Compare, threads, hash') : t('Threads, hash'))
      : (hasEngines(app) ? t('Compare, threads, hash, evaluation') : t('Threads, hash, evaluation'));
    this.more = el('details', { class: 'engine-more', ontoggle: () => void this.drawFields() }, el('summary', {}, fields), this.fields);
    this.element = el('section', { class: 'panel panel-engine', 'aria-label': t('Engine') },
      el('div', { class: 'panel-head' }, this.toggle, this.picker, this.first.facts, this.first.go, this.choice()), this.first.list, this.beside, this.more);
    app.on(['position'], () => this.searches.forEach((search) => search.moved()));
    app.on(['answer'], () => this.searches.forEach((search) => { if (!search.running && search.on) search.later(); }));
    app.on(['play'], () => this.makeRoom());
    app.on(['lesson'], () => this.searches.forEach((search) => search.restart()));
    this.draw();
  }

  /** Stops while the opponent thinks, so that one search runs at a time. */
  makeRoom() {
    for (const search of this.searches) {
      if (this.app.searching) search.stop();
      else if (search.on && !search.running) search.later();
    }
  }

  stop() {
    this.searches.forEach((search) => search.stop());
  }

  choice() {
    const options = /** @type {[string, string][]} */ ([1, 2, 3, 4, 5].map((n) => [String(n), plural(n, '{n} line', '{n} lines')]));
    return select(options, String(this.app.settings.lines), (value) => this.change({ lines: Number(value) }),
      { 'aria-label': t('How many lines'), class: 'small' });
  }

  /** Turns analysis on or off. */
  switch() {
    this.searches.forEach((search) => search.forget());
    this.change({ engine: !this.app.settings.engine });
  }

  /** Changes settings and searches anew. @param {Partial<import('../settings.js').Settings>} parts */
  change(parts) {
    this.app.change(parts);
    this.searches.forEach((search) => search.restart());
    this.draw();
  }

  /** @param {string} name */
  pick(name) {
    this.first.forget();
    this.change({ analyst: name, ...(this.app.settings.second === name ? { second: '' } : {}) });
  }

  draw() {
    const { app } = this;
    this.toggle.setAttribute('aria-checked', String(app.settings.engine));
    this.element.classList.toggle('off', !app.settings.engine);
    this.picker.hidden = !hasEngines(app);
    this.picker.value = this.first.engine;
    this.beside.hidden = !this.second.on;
    this.name.textContent = engineName(this.second.engine);
    this.more.hidden = Boolean(app.meta.local) || !app.informed;
    this.searches.forEach((search) => search.draw());
    void this.drawFields();
  }

  /** Shows the second engine and the sizes of both; the server is asked for these only once somebody looks. */
  async drawFields() {
    const { app, first, second } = this;
    const engines = [first.engine, second.engine].filter(Boolean);
    const shown = [app.game, ...engines].join();
    // Fields stay what they are while somebody goes from one to the next.
    if (!this.more.open || shown === this.shown) return;
    this.shown = shown;
    const sizes = await Promise.all(engines.map((name) => this.sizes(name, engines.length > 1)));
    // The own engine's moves and reviews have its evaluation, whoever analyses.
    if (!engines.includes(OWN)) sizes.push(await this.ownEvaluation());
    if (shown !== this.shown) return;
    const others = /** @type {[string, string][]} */ ([['', t('no other')], ...engineChoices(app).filter(([name]) => name !== first.engine)]);
    const compare = el('label', { class: 'field' }, el('span', {}, t('Compare with')), select(others, second.engine, (name) => {
      second.forget();
      this.change({ second: name });
    }));
    this.fields.replaceChildren(...(hasEngines(app) ? [row(compare)] : []), ...sizes);
    // The next look may find it mended.
    if (this.fields.querySelector('.lost')) this.shown = '';
  }

  /** Keeps sizes of an engine, or the evaluation of the own one. @param {string} name @param {{threads?: number | undefined, hash?: number | undefined, evaluation?: string | undefined}} parts */
  set(name, parts) {
    const { sizes } = this.app.settings;
    const wanted = Object.fromEntries(Object.entries({ ...sizes[name], ...parts }).filter(([, value]) => value));
    this.change({ sizes: { ...sizes, [name]: wanted } });
  }

  /** Makes the field of an engine's evaluation, if it has more than one. @param {import('../engines.js').EngineFacts} facts */
  evaluation({ name, evaluations = [] }) {
    const { app } = this;
    if (app.game !== 'xiangqi' || evaluations.length === 0) return null;
    return evaluationField(evaluations, app.settings.sizes[name]?.evaluation, (value) => this.set(name, { evaluation: value }));
  }

  async ownEvaluation() {
    const field = this.evaluation(await factsOf(this.app, OWN));
    return field ? row(el('span', { class: 'engine-name' }, engineName(OWN)), field) : '';
  }

  /** @param {string} name @param {boolean} named */
  async sizes(name, named) {
    const { app } = this;
    const title = named ? el('span', { class: 'engine-name' }, engineName(name)) : null;
    try {
      const facts = await factsOf(app, name);
      const kept = app.settings.sizes[name] ?? {};
      const fields = [rangeField(t('Threads'), facts.threads, kept.threads, (value) => this.set(name, { threads: value })),
        rangeField(t('Hash in MiB'), facts.hash, kept.hash, (value) => this.set(name, { hash: value })),
        this.evaluation(facts)].filter(Boolean);
      return fields.length > 0 ? row(title, ...fields) : '';
    } catch (error) {
      return el('p', { class: 'quiet lost' }, `${engineName(name)}: ${explainError(error).filter(Boolean).join(' ')}`);
    }
  }
}

/** @param {number[] | null | undefined} wdl */
function wdlText(wdl) {
  if (!wdl || wdl.length !== 3) return null;
  const [win, draw, loss] = wdl.map((share) => number(share / 10, 1));
  return t('For the side to move: win {win} %, draw {draw} %, loss {loss} %', { win: win ?? '', draw: draw ?? '', loss: loss ?? '' });
}
