// The viewer of endgame tables.

import { get, Problem } from '../api.js';
import { problemState } from '../app.js';
import { button, calm, el, emptyState } from '../dom.js';
import { parse, pointsOf, write } from '../fen.js';
import { plural, t } from '../i18n.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {'win' | 'draw' | 'loss'} Wdl */
/** @typedef {{move: string, text?: string, wdl: Wdl, order: number, distance: number | null, fen?: string}} TableMove */
/** @typedef {{fen: string, material: string, rules: string, metric: string, wdl: Wdl, order: number, distance: number | null, moves: TableMove[]}} TableAnswer */

/** Shows what the tables say of the position on the board. */
export class TablePanel {
  /** @param {App} app @param {(first: boolean) => void} practise plays against perfect defence */
  constructor(app, practise) {
    this.app = app;
    this.practise = practise;
    this.element = el('section', { class: 'panel panel-table', 'aria-label': t('Table') });
    /** @type {AbortController | null} */
    this.asking = null;
    this.later = calm(() => void this.load(), 40);
    app.on(['position'], () => { this.asking?.abort(); this.element.classList.add('stale'); this.later(); });
    app.on(['tab'], () => { if (this.open) this.later(); else app.setArrows('table', []); });
  }

  get open() { return this.app.tab === 'table'; }

  get men() { return this.app.session.position.men.size; }

  async load() {
    if (!this.open || !this.app.informed) return;
    const { app } = this;
    const tables = app.meta.xiangqi.tables;
    if (!tables) { this.show(emptyState(t('No tables are open. Build some and start the server with them:'), BUILD)); return; }
    if (this.men > (tables.men ?? 7)) { this.show(this.tooMany(tables.men ?? 7)); return; }
    const asking = new AbortController();
    this.asking = asking;
    try {
      const answer = await get('/api/table', { ...app.session.query, notation: app.settings.notation }, asking.signal);
      this.showAnswer(answer);
    } catch (error) {
      if (!asking.signal.aborted) this.show(this.problem(error));
    }
  }

  /** @param {number} men */
  tooMany(men) {
    return emptyState(t('{n} men are on the board; the tables have up to {men}, kings included. See the index under Tables for positions to start from.', { n: this.men, men }));
  }

  /** @param {unknown} error */
  problem(error) {
    if (error instanceof Problem && error.code === 'not_in_tables') return this.missing(error.hint);
    return problemState(error);
  }

  /** Says that a set is not there, and which command builds it. @param {string} hint perhaps with a command between backquotes */
  missing(hint) {
    const command = /`([^`]+)`/.exec(hint)?.[1] ?? hint;
    return emptyState(t('The tables do not have these men. This command builds the set:'), command);
  }

  /** @param {...HTMLElement} children */
  show(...children) {
    this.element.classList.remove('stale');
    this.element.replaceChildren(...children);
  }

  // --- the answer ---

  /** @param {TableAnswer} answer */
  showAnswer(answer) {
    const first = this.app.firstToMove;
    this.show(el('p', { class: `sentence wdl-${answer.wdl}` }, sentence(answer, first)), this.clock(answer), this.tools(answer.order),
      ...GROUPS.map(([wdl, title]) => this.group(answer, wdl, t(title))).filter((group) => group !== null),
      el('p', { class: 'quiet' }, t('Table {material}, rules {rules}, distances {metric}', {
        material: answer.material, rules: answer.rules, metric: answer.metric === 'dtm' ? t('to mate') : t('to the next capture') })));
    this.showArrows(answer);
    this.app.setScore({ table: { wdl: first ? answer.wdl : turned(answer.wdl), distance: answer.distance } });
  }

  /** @param {TableAnswer} answer */
  showArrows(answer) {
    const best = answer.moves.filter((move) => move.wdl === answer.wdl && move.distance === answer.moves[0]?.distance && move.order === answer.moves[0]?.order);
    this.app.setArrows('table', best.slice(0, 3).map(({ move }) => {
      const [from = '', to = ''] = pointsOf(move);
      return { from, to, kind: `table-${answer.wdl}`, weight: 0.6 };
    }));
  }

  /** @param {TableAnswer} answer */
  clock(answer) {
    const quiet = parse('xiangqi', this.app.answer?.fen ?? answer.fen)?.quiet ?? 0;
    const left = 120 - quiet;
    const parts = [t('{n} of 120 plies without a capture', { n: quiet })];
    if (answer.wdl !== 'draw' && answer.distance !== null && answer.distance > left) parts.push(t('the win may come too late for the limit'));
    return el('p', { class: 'quiet' }, parts.join(' · '));
  }

  /** @param {number} order */
  tools(order) {
    return el('div', { class: 'row' },
      order > 0 && button(t('Show the loop'), () => void this.showLoop()),
      button(t('Play the best line'), () => void this.playLine()),
      button(t('Play it out'), () => this.practise(this.app.firstToMove), { title: t('You move now; the tables defend perfectly') }),
      button(t('Other side to move'), () => this.turn()));
  }

  /** @param {TableAnswer} answer @param {Wdl} wdl @param {string} title */
  group(answer, wdl, title) {
    const moves = answer.moves.filter((move) => move.wdl === wdl);
    if (moves.length === 0) return null;
    return el('div', { class: `group wdl-${wdl}` }, el('h3', {}, `${title} · ${moves.length}`),
      el('ul', { class: 'table-moves' }, ...moves.map((move) => this.moveItem(move))));
  }

  /** @param {TableMove} move */
  moveItem(move) {
    return el('li', {}, button(move.text || move.move, () => this.app.play(move.move, 'table'), { class: 'link', ...this.app.hovers(move.move) }),
    el('span', { class: 'num' }, distanceText(move)));
  }

  // --- lines ---

  /** Plays the best line. */
  async playLine() {
    const { app } = this;
    try {
      const line = await get('/api/table/line', { ...app.session.query, notation: app.settings.notation });
      app.playLine(line.moves, 'table', () => { if (line.ends) app.say(endOfLine(line.ends)); });
    } catch (error) {
      app.fail(error);
    }
  }

  /** Numbers the moves of the best line on the board where it ends in a loop. */
  async showLoop() {
    const { app } = this;
    try {
      const line = await get('/api/table/line', { ...app.session.query, notation: app.settings.notation });
      app.setArrows('loop', line.moves.slice(-8).map((/** @type {TableMove} */ step, /** @type {number} */ at) => {
        const [from = '', to = ''] = pointsOf(step.move);
        return { from, to, kind: 'loop', weight: 0.3, label: String(at + 1) };
      }));
      app.say(endOfLine('loop'));
    } catch (error) {
      app.fail(error);
    }
  }

  /** Puts the same position with the other side to move on the board. */
  turn() {
    const { app } = this;
    const position = app.session.position;
    app.load({ start: write('xiangqi', { ...position, turn: position.turn === 'w' ? 'b' : 'w', quiet: 0, number: 1 }) });
  }
}

const BUILD = 'juzhong tablebase generate KRvKN --tables tables && juzhong serve --tables tables';

/** @type {[Wdl, string][]} */
const GROUPS = [['win', 'Winning'], ['draw', 'Drawing'], ['loss', 'Losing']];

/** @param {Wdl} wdl @returns {Wdl} */
function turned(wdl) {
  return wdl === 'win' ? 'loss' : wdl === 'loss' ? 'win' : 'draw';
}

/** Returns the verdict of the tables as a sentence. @param {TableAnswer} answer @param {boolean} redToMove */
function sentence(answer, redToMove) {
  if (answer.wdl === 'draw') return t('A draw with best play.');
  const red = (answer.wdl === 'win') === redToMove;
  const who = red ? t('Red wins') : t('Black wins');
  const when = answer.distance === null ? '' : plural(answer.distance, ' in {n} ply', ' in {n} plies');
  const how = answer.order > 0 ? t(', by the repetition rule (round {n})', { n: answer.order }) : '';
  return t('{sentence}.', { sentence: who + when + how });
}

/** @param {TableMove} move */
function distanceText(move) {
  if (move.wdl === 'draw') return '';
  const rule = move.order > 0 ? t('rule, round {n}', { n: move.order }) : '';
  const distance = move.distance === null ? '' : plural(move.distance, '{n} ply', '{n} plies');
  return [distance, rule].filter(Boolean).join(' · ');
}

/** @param {string} ends */
function endOfLine(ends) {
  /** @type {Record<string, string>} */
  const texts = { mate: t('The line ends in mate.'), stalemate: t('The line ends in stalemate.'),
    loop: t('From here the moves repeat, and the repetition rule decides.'), capture: t('The line ends with a capture.') };
  return texts[ends] ?? t('The line ends here.');
}
