// The index of endgame tables.

import { get } from '../api.js';
import { explainError } from '../app.js';
import { button, el, emptyState, svg } from '../dom.js';
import { number, percent, plural, size, t } from '../i18n.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {{name: string, men: number, bytes: number, wins: number, draws: number, losses: number, by_rule: number, longest: number}} SetInfo */
/** @typedef {SetInfo & {histogram?: [number, number][], longest_wins?: {fen: string, distance?: number}[]}} SetDetails */

/** Shows which tables there are and what is in each. */
export class TablesView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.list = el('div');
    this.details = el('div', { class: 'set-details' });
    this.element = el('main', { class: 'view view-tables' }, el('h1', {}, t('Endgame tables')), el('div', { class: 'tables-columns' }, this.list, this.details));
    app.on(['view'], () => { if (app.view === 'tables') void this.load(); });
  }

  async load() {
    const { tables } = this.app.meta.xiangqi;
    if (!tables) {
      this.list.replaceChildren(emptyState(t('No tables are open. Build some and start the server with them:'),
        'juzhong tablebase generate KRvKN --tables tables && juzhong serve --tables tables', t('Copy')));
      return;
    }
    try {
      const { sets } = await get('/api/tables');
      this.showList(sets);
    } catch (error) {
      this.list.replaceChildren(emptyState(explainError(error).filter(Boolean).join(' ')));
    }
  }

  /** @param {SetInfo[]} sets */
  showList(sets) {
    const heads = [t('Set'), t('Men'), t('Wins'), t('Draws'), t('Losses'), t('by rule'), t('Longest'), t('Size')];
    const rows = sets.map((set) => el('tr', { onclick: () => void this.openSet(set.name) },
      el('td', {}, el('button', { type: 'button', class: 'link' }, set.name)), el('td', { class: 'num wide' }, set.men),
      ...[set.wins, set.draws, set.losses].map((part) => el('td', { class: 'num' }, share(part, set))),
      el('td', { class: 'num wide' }, share(set.by_rule, set)), el('td', { class: 'num' }, number(set.longest)), el('td', { class: 'num wide' }, size(set.bytes))));
    this.list.replaceChildren(el('p', { class: 'quiet' }, plural(sets.length, '{n} set', '{n} sets'), ' · ', t('shares of the positions, for the side to move; longest wins in plies')),
      el('div', { class: 'scroll-x' }, el('table', { class: 'rows' }, el('thead', {}, el('tr', {}, ...heads.map((name, at) =>
        el('th', { scope: 'col', class: at === 0 ? '' : [1, 5, 7].includes(at) ? 'num wide' : 'num' }, name)))), el('tbody', {}, ...rows))));
  }

  /** @param {string} name */
  async openSet(name) {
    try {
      this.showSet(await get(`/api/tables/${encodeURIComponent(name)}`));
    } catch (error) {
      this.details.replaceChildren(emptyState(explainError(error).filter(Boolean).join(' ')));
    }
    this.details.scrollIntoView({ block: 'nearest' });
  }

  /** @param {SetDetails} set */
  showSet(set) {
    const random = (/** @type {string} */ wdl, /** @type {string} */ label) => button(label, () => void this.random(set.name, wdl));
    this.details.replaceChildren(el('h2', {}, set.name),
      el('p', { class: 'quiet' }, t('Practise from a random position:')),
      el('div', { class: 'row' }, random('win', t('won')), random('draw', t('drawn')), random('loss', t('lost'))),
      ...(set.histogram?.length ? [el('h3', {}, t('Wins by distance in plies')), histogram(set.histogram)] : []),
      ...(set.longest_wins?.length ? [el('h3', {}, t('Longest wins')), el('ul', { class: 'plain' }, ...set.longest_wins.map(({ fen, distance }) =>
        el('li', {}, button(distance === undefined ? fen : `${plural(distance, '{n} ply', '{n} plies')}: ${fen}`, () => this.openFen(fen), { class: 'link fen-link' }))))] : []));
  }

  /** @param {string} set @param {string} wdl */
  async random(set, wdl) {
    try {
      const { fen } = await get('/api/table/random', { set, wdl });
      this.openFen(fen);
    } catch (error) {
      this.details.prepend(emptyState(explainError(error).filter(Boolean).join(' ')));
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

/** @param {number} part @param {SetInfo} set */
function share(part, set) {
  const all = set.wins + set.draws + set.losses;
  return all > 0 ? percent(part / all) : '–';
}

/** Draws how many wins there are at each distance. @param {readonly [number, number][]} counts */
function histogram(counts) {
  const [width, height] = [560, 140];
  const last = Math.max(...counts.map(([plies]) => plies), 1);
  const most = Math.max(...counts.map(([, n]) => n), 1);
  const step = width / (last + 1);
  const bars = counts.map(([plies, n]) => {
    const tall = Math.max(1, (n / most) * height);
    return svg('rect', { x: plies * step, y: height - tall, width: Math.max(1.5, step * 1.6), height: tall, class: 'histogram-bar' },
      svg('title', {}, t('{plies} plies: {n} positions', { plies, n: number(n) })));
  });
  const marks = [0, Math.round(last / 2), last].map((plies, at) => svg('text', { x: plies * step, y: height + 18, 'text-anchor': ['start', 'middle', 'end'][at] }, plies));
  return svg('svg', { viewBox: `0 0 ${width} ${height + 24}`, class: 'histogram', role: 'img', 'aria-label': t('Wins by distance in plies') }, ...bars, ...marks);
}
