// The index of endgame tables.

import { get } from '../api.js';
import { problemState } from '../app.js';
import { button, cell, el, emptyState, quiet, row, rowsTable, svg } from '../dom.js';
import { number, percent, plural, size, t } from '../i18n.js';
import { menOf, winsByDistance } from '../wire.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {import('../wire.js').SetInfo} SetInfo */
/** @typedef {import('../wire.js').SetStats} SetStats */
/** @typedef {import('../wire.js').SideStats} SideStats */

/** Shows which tables there are and what is in each. */
export class TablesView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.list = el('div');
    this.details = el('div', { class: 'set-details' });
    this.note = el('div', { role: 'status' });
    this.element = el('main', { class: 'view view-tables' }, el('h1', {}, t('Endgame tables')), el('div', { class: 'tables-columns' }, this.list, this.details));
    app.on(['view'], () => { if (app.view === 'tables') void this.load(); });
  }

  async load() {
    if (!this.app.informed) return;
    const { tables } = this.app.meta.xiangqi;
    if (!tables) {
      this.list.replaceChildren(emptyState(t('No tables are open. Build some and start the server with them:'),
        'juzhong tablebase generate KRvKN --tables tables && juzhong serve --tables tables'));
      return;
    }
    try {
      const { tables: sets } = await get('/api/tables');
      this.showList(sets);
    } catch (error) {
      this.list.replaceChildren(problemState(error));
    }
  }

  /** @param {SetInfo[]} sets */
  showList(sets) {
    const rows = sets.map((set) => el('tr', { onclick: () => void this.openSet(set.material) },
      el('td', {}, el('button', { type: 'button', class: 'link' }, set.material)), cell(menOf(set.material)),
      cell(size(set.bytes))));
    this.list.replaceChildren(quiet(plural(sets.length, '{n} set', '{n} sets')),
      rowsTable('', [t('Set'), t('Men'), t('Size')], rows));
    const first = sets.find(({ material }) => material === this.app.set) ?? sets.at(-1);
    if (first) void this.openSet(first.material, false);
  }

  /** @param {string} name @param {boolean} [scroll] whether to bring it into view */
  async openSet(name, scroll = true) {
    try {
      this.showSet(await get(`/api/tables/${encodeURIComponent(name)}`));
    } catch (error) {
      this.details.replaceChildren(problemState(error));
    }
    if (scroll) this.details.scrollIntoView({ block: 'nearest' });
  }

  /** @param {SetStats} set */
  showSet(set) {
    this.app.set = set.material;
    if (this.app.view === 'tables') this.app.showPlace(false);
    const random = (/** @type {import('./table.js').Wdl} */ wdl, /** @type {string} */ label) => button(label, () => void this.random(set.material, wdl));
    this.note.replaceChildren();
    const wins = winsByDistance(set);
    const longest = [set.red, set.black].filter(({ longest_fen }) => longest_fen);
    this.details.replaceChildren(el('h2', {}, set.material), counts(set),
      quiet(t('Practise from a random position:')),
      row(random('win', t('won')), random('draw', t('drawn')), random('loss', t('lost'))), this.note,
      ...(wins.length > 0 ? [el('h3', {}, t('Wins by distance in plies')), histogram(wins)] : []),
      ...(longest.length > 0 ? [el('h3', {}, t('Longest wins')), el('ul', { class: 'plain' }, ...longest.map(({ longest_fen, longest_win }) =>
        el('li', {}, button(`${plural(longest_win ?? 0, '{n} ply', '{n} plies')}: ${longest_fen}`, () => this.openFen(longest_fen ?? ''), { class: 'link fen-link' }))))] : []));
  }

  /** Practises a position of a set by chance, without its moves. @param {string} set @param {import('./table.js').Wdl} wdl */
  async random(set, wdl) {
    try {
      const { fen } = await get('/api/table/random', { set, wdl });
      this.app.game = 'xiangqi';
      const { ending } = await import('../teach/lessons.js');
      ending(this.app, { fen, set, wdl });
    } catch (error) {
      this.note.replaceChildren(problemState(error));
    }
  }

  /** @param {string} fen */
  openFen(fen) {
    const { app } = this;
    app.game = 'xiangqi';
    app.view = 'board';
    app.loadFen(fen);
    app.emit('view');
    app.openTab('table');
  }
}

/** Returns the counts of a set, by the side to move. @param {SetStats} set */
function counts(set) {
  const heads = ['', t('Wins'), t('Draws'), t('Losses'), t('by rule'), t('plies, longest')];
  /** @param {string} name @param {SideStats} side */
  const line = (name, side) => el('tr', {}, el('th', { scope: 'row' }, name),
    ...[side.win, side.draw, side.loss, (side.by_rule_win ?? 0) + (side.by_rule_loss ?? 0)].map((part) => el('td', { class: 'num', title: number(part) }, share(part, side))),
    cell(number(side.longest_win ?? 0)));
  return el('div', { class: 'scroll-x', tabindex: 0 }, rowsTable('narrow', heads, [line(t('Red to move'), set.red), line(t('Black to move'), set.black)]));
}

/** @param {number} part @param {SideStats} side */
function share(part, side) {
  const all = side.win + side.draw + side.loss;
  return all > 0 ? percent(part / all) : '–';
}

/** Draws how many wins there are at each distance. @param {readonly [number, number][]} counts */
function histogram(counts) {
  const [width, height] = [560, 140];
  const last = Math.max(...counts.map(([plies]) => plies), 1);
  const most = Math.max(...counts.map(([, n]) => n), 1);
  const step = width / (last + 2);
  const wide = Math.min(28, Math.max(1.5, step * 1.6));
  const bars = counts.map(([plies, n]) => {
    const tall = Math.max(1, (n / most) * height);
    return svg('rect', { x: (plies + 1) * step - wide / 2, y: height - tall, width: wide, height: tall, class: 'histogram-bar' },
      svg('title', {}, t('{plies} plies: {n} positions', { plies, n: number(n) })));
  });
  const marks = [0, Math.round(last / 2), last].map((plies) => svg('text', { x: (plies + 1) * step, y: height + 18, 'text-anchor': 'middle' }, plies));
  return svg('svg', { viewBox: `0 0 ${width} ${height + 24}`, class: 'histogram', role: 'img', 'aria-label': t('Wins by distance in plies') }, ...bars, ...marks);
}
