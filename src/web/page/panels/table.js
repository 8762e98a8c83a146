// The viewer of endgame tables.

import { get, Problem } from '../api.js';
import { problemState } from '../app.js';
import { button, calm, el, emptyState, quiet, row } from '../dom.js';
import { loopStart, parse, pointsOf, write } from '../fen.js';
import { plural, t } from '../i18n.js';
import { loopArrows, wins } from '../status.js';
import { loopRows } from './moves.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {'win' | 'draw' | 'loss'} Wdl */
/** @typedef {{move: string, text?: string, wdl: Wdl, order: number, distance: number | null, fen?: string}} TableMove */
/** @typedef {{fen: string, material: string, rules: string, metric: string, wdl: Wdl, order: number, distance: number | null, moves: TableMove[]}} TableAnswer */

/** Kinds of men as names of sets have them in order, behind the king. */
const KINDS = 'RNCPAB';

/** Returns the two names of the set of some men: the side with more of them first, and turned. @param {Iterable<string>} men @returns {string[]} */
function setNames(men) {
  const letters = [...men];
  const side = (/** @type {(letter: string) => string} */ cased) =>
    `K${[...KINDS].map((kind) => kind.repeat(letters.filter((letter) => letter === cased(kind)).length)).join('')}`;
  const red = side((kind) => kind);
  const black = side((kind) => kind.toLowerCase());
  const [more, fewer] = red.length < black.length ? [black, red] : [red, black];
  return [`${more}v${fewer}`, `${fewer}v${more}`];
}

/** @param {AbortSignal} signal @returns {Promise<Set<string>>} */
async function setsOfServer(signal) {
  const { tables } = await get('/api/tables', {}, signal);
  return new Set(tables.map((/** @type {{material: string}} */ { material }) => material));
}

/** Shows what the tables say of the position on the board. */
export class TablePanel {
  /** @param {App} app @param {(first: boolean) => void} practise plays against perfect defence */
  constructor(app, practise) {
    this.app = app;
    this.practise = practise;
    this.element = el('section', { class: 'panel panel-table', 'aria-label': t('Table') });
    /** @type {AbortController | null} */
    this.asking = null;
    /** A loop of the best line, and where it begins. @type {{key: string, answer: import('../app.js').Answer} | null} */
    this.loop = null;
    /** The names of the sets, once they were asked for. @type {Set<string> | null} */
    this.sets = null;
    this.later = calm(() => void this.load(), 40);
    app.on(['position'], () => { this.asking?.abort(); this.element.classList.add('stale'); this.later(); });
    app.on(['made'], () => { this.sets = null; this.later(); });
    app.on(['tab'], () => { if (this.open) this.later(); else app.setArrows('table', []); });
  }

  get open() { return this.app.tab === 'table'; }

  get men() { return this.app.session.position.men.size; }

  async load() {
    if (!this.open || !this.app.informed) return;
    const tables = this.app.meta.xiangqi.tables;
    if (!tables) { this.show(emptyState(t('No tables are open. Build some and start the server with them:'), BUILD)); return; }
    if (this.men > (tables.men ?? 7)) { this.show(this.tooMany(tables.men ?? tables.largest ?? 7)); return; }
    const asking = new AbortController();
    this.asking = asking;
    try {
      await this.ask(asking.signal);
    } catch (error) {
      if (!asking.signal.aborted) this.show(this.problem(error));
    }
  }

  /** Shows what the server's table says, and asks for no set that it does not have. @param {AbortSignal} signal */
  async ask(signal) {
    const { session, settings } = this.app;
    const [set = '', turned = ''] = setNames(session.position.men.values());
    const sets = this.sets ??= await setsOfServer(signal);
    if (!sets.has(set) && !sets.has(turned)) { this.show(this.missing(set)); return; }
    this.showAnswer(await get('/api/table', { ...session.query, notation: settings.notation }, signal));
  }

  /** @param {number} men */
  tooMany(men) {
    return emptyState(t('{n} men are on the board; the tables have up to {men}, kings included. See the index under Tables for positions to start from.', { n: this.men, men }));
  }

  /** @param {unknown} error */
  problem(error) {
    const isMissing = error instanceof Problem && error.code === 'not_in_tables';
    return isMissing ? this.missing(setNames(this.app.session.position.men.values())[0] ?? '') : problemState(error);
  }

  /** Says that a set is not there, and which command builds it. @param {string} set */
  missing(set) {
    if (this.app.answer?.legal_moves.length === 0) return emptyState(t('The game is over here.'));
    return emptyState(t('The tables do not have these men. This command builds the set:'), `juzhong tablebase generate ${set} --tables DIR`);
  }

  /** @param {...HTMLElement} children */
  show(...children) {
    this.element.classList.remove('stale');
    this.element.replaceChildren(...children);
  }

  /** @param {TableAnswer} answer */
  showAnswer(answer) {
    const first = this.app.firstToMove;
    const loop = this.loop?.key === this.app.answerKey() ? this.loop.answer : null;
    const over = answer.distance === 0 || this.app.answer?.legal_moves.length === 0;
    this.show(el('p', { class: `sentence wdl-${answer.wdl}` }, over ? `${wins(this.app, (answer.wdl === 'win') === first)}.` : sentence(this.app, answer)),
      ...(over ? [quiet(t('The game is over here.'))] : [this.clock(answer), this.tools(answer.order)]), el('div', { class: 'loop' }, ...loopRows(loop)),
      ...GROUPS.map(([wdl, title]) => this.group(answer, wdl, t(title))).filter((group) => group !== null),
      quiet(t('Table {material}, rules {rules}, distances {metric}', {
        material: answer.material, rules: answer.rules, metric: answer.metric === 'dtm' ? t('to mate') : t('to the next capture') })));
    if (loop) this.app.setArrows('table', loopArrows(loop));
    else this.showArrows(answer);
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
    const n = parse('xiangqi', this.app.answer?.fen ?? answer.fen)?.quiet ?? 0;
    const left = 120 - n;
    const parts = [t('{n} of 120 plies without a capture', { n })];
    if (answer.wdl !== 'draw' && answer.distance !== null && answer.distance > left) parts.push(t('the win may come too late for the limit'));
    return quiet(parts.join(' · '));
  }

  /** @param {number} order */
  tools(order) {
    return row(
      order > 0 && button(t('Show the loop'), () => void this.goToLoop()),
      button(t('Play the best line'), () => void this.playLine()),
      button(t('Practise'), async () => (await import('../teach/lessons.js')).ending(this.app, { fen: this.app.fen(), set: '', wdl: '' }),
        { title: t('You play this position against perfect defence, and no move is shown until you ask') }),
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

  /** Returns the best line, and where its loop begins if it ends in one. */
  async bestLine() {
    const { app } = this;
    /** @type {{moves: Required<TableMove>[]}} */
    const { moves } = await get('/api/table/line', { ...app.session.query, notation: app.settings.notation });
    const fens = [app.fen(), ...moves.map(({ fen }) => fen)];
    return { moves, fens, from: loopStart(fens) };
  }

  /** Plays the best line, and shows the loop in which it ends. */
  async playLine() {
    try {
      const { moves, fens, from } = await this.bestLine();
      this.app.playLine(moves, 'table', () => { if (from >= 0) void this.showLoop(fens[from] ?? '', moves.slice(from)); });
    } catch (error) {
      this.app.fail(error);
    }
  }

  /** Goes to where the best line begins to repeat. */
  async goToLoop() {
    const { app } = this;
    try {
      const { moves, fens, from } = await this.bestLine();
      for (const { move, text } of moves.slice(0, Math.max(0, from))) app.session.play(move, { text, source: 'table' });
      if (from >= 0) await this.showLoop(fens[from] ?? '', moves.slice(from));
    } catch (error) {
      app.fail(error);
    }
  }

  /** Shows the loop that begins at the position on the board, as the rules judge it. @param {string} fen @param {readonly TableMove[]} loop */
  async showLoop(fen, loop) {
    const { app } = this;
    const key = app.answerKey();
    const moves = [...loop, ...loop].map(({ move }) => move).join(',');
    this.loop = { key, answer: await get('/api/legal', { fen, moves, notation: app.settings.notation }) };
    void this.load();
    app.say(t('From here the moves repeat, and the repetition rule decides.'));
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

/** Returns the verdict of the tables as a sentence. @param {App} app @param {TableAnswer} answer */
function sentence(app, answer) {
  if (answer.wdl === 'draw') return t('A draw with best play.');
  const who = wins(app, (answer.wdl === 'win') === app.firstToMove);
  const { order, distance } = answer;
  const when = distance === null ? '' : order > 0 ? plural(distance, '; the moves repeat within {n} ply', '; the moves repeat within {n} plies') :
    plural(distance, ' in {n} ply', ' in {n} plies');
  return t('{sentence}.', { sentence: who + (order > 0 ? t(' only by the repetition rule (round {n})', { n: order }) : '') + when });
}

/** @param {TableMove} move */
function distanceText(move) {
  if (move.wdl === 'draw') return '';
  const rule = move.order > 0 ? t('round {n}', { n: move.order }) : '';
  const distance = move.distance === null ? '' : plural(move.distance, '{n} ply', '{n} plies');
  return [rule, distance].filter(Boolean).join(' · ');
}
