// What the evaluation thinks each piece and each term is worth.

import { get } from '../api.js';
import { problemState } from '../app.js';
import { calm, cell, el, quiet, rowsTable } from '../dom.js';
import { evaluationOf } from '../engines.js';
import { number, t } from '../i18n.js';
import { signed } from '../score.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {{middle: number, ending: number, now: number}} Side */
/** @typedef {{part?: string, term?: string, red: Side | number, black: Side | number}} Part */
/** @typedef {{term: string, count?: {mover: number, other: number}, value: {mover: number, other: number}}} GomokuTerm */
/** @typedef {{men?: {square: string, value: number}[], network?: {men: {square: string, value: number}[], value: number}, parts?: Part[], terms?: (Part | GomokuTerm)[], points?: Record<string, number>, best?: string, value?: number, total?: unknown, score?: number}} Evaluation */

/** Shows values while its tab is open. */
export class ValuesPanel {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.element = el('section', { class: 'panel panel-values', 'aria-label': t('Values') });
    this.later = calm(() => void this.load(), 40);
    /** The evaluation whose values are shown. */
    this.by = '';
    app.on(['position'], () => { app.setMarks(new Map()); this.later(); });
    app.on(['tab'], () => { if (this.open) this.later(); else app.setMarks(new Map()); });
    app.on(['style'], () => { if (this.open && this.by !== evaluationOf(app)) this.later(); });
  }

  get open() { return this.app.tab === 'values'; }

  async load() {
    if (!this.open) return;
    const { app } = this;
    const key = app.answerKey();
    try {
      const answer = await get('/api/eval', app.session.query);
      if (key === app.answerKey() && this.open) this.show(answer.eval ?? {});
    } catch (error) {
      this.element.replaceChildren(problemState(error));
    }
  }

  /** @param {Evaluation} evaluation */
  show(evaluation) {
    this.by = evaluationOf(this.app);
    if (this.app.game === 'gomoku') this.showPoints(evaluation);
    else this.showMen(evaluation);
  }

  /** @param {Evaluation} evaluation */
  showMen(evaluation) {
    const network = this.by === 'network' ? evaluation.network : undefined;
    this.app.setMarks(new Map((network?.men ?? evaluation.men ?? []).map(({ square, value }) => [square, String(Math.round(value))])));
    const parts = /** @type {Part[]} */ (evaluation.terms ?? evaluation.parts ?? []);
    const rows = parts.filter((part) => sideOf(part.red) !== 0 || sideOf(part.black) !== 0).map((part) => {
      const [red, black] = [sideOf(part.red), sideOf(part.black)];
      return el('tr', {}, el('th', { scope: 'row' }, t(words(part.term ?? part.part ?? ''))), ...[red, black].map((value) => cell(number(value))),
        el('td', { class: 'num strong' }, signed(red - black, 0)));
    });
    const [red, black] = [sum(parts, 'red'), sum(parts, 'black')];
    const table = rowsTable('values', [t('Term'), t('Red'), t('Black'), t('difference')], rows);
    table.append(el('tfoot', {}, el('tr', {}, el('th', { scope: 'row' }, t('Sum')), cell(number(red)), cell(number(black)), cell(signed(red - black, 0), 'num strong'))));
    this.element.replaceChildren(
      network ? el('p', { class: 'strong' }, t('The network: {value} for the side to move', { value: signed(network.value, 0) })) : '',
      quiet(network
        ? t('Under each piece: how much worse off its side would be without it, in centipawns, by the network that juzhong evaluates with. Below: the terms of the classical evaluation.')
        : t('Under each piece: what it is worth here, in centipawns. Below: the sums of the terms.')),
      table);
  }

  /** @param {Evaluation} evaluation */
  showPoints(evaluation) {
    const points = Object.entries(evaluation.points ?? {}).filter(([, value]) => value > 0).sort((a, b) => b[1] - a[1]).slice(0, 40);
    this.app.setMarks(new Map(points.map(([point, value]) => [point, String(Math.round(value))])));
    const terms = /** @type {GomokuTerm[]} */ (evaluation.terms ?? []).filter(({ value }) => value.mover !== 0 || value.other !== 0);
    this.element.replaceChildren(
      quiet(terms.length > 0 ? t('On the points: how good they are by their patterns. Below: the sums of the terms.') : t('On the points: how good they are by their patterns.')),
      terms.length === 0 ? '' : rowsTable('values', [t('Term'), t('to move'), t('other side')], terms.map((term) => el('tr', {}, el('th', { scope: 'row' }, t(term.term)),
        cell(signed(term.value.mover, 1)), cell(signed(term.value.other, 1))))));
  }
}

/** @param {Side | number} side */
function sideOf(side) {
  return typeof side === 'number' ? side : side.now;
}

/** @param {readonly Part[]} parts @param {'red' | 'black'} side */
function sum(parts, side) {
  return parts.reduce((total, part) => total + sideOf(part[side]), 0);
}

/** @param {string} name */
function words(name) {
  return name.replaceAll('_', ' ');
}
