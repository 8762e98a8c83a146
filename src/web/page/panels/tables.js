// The index of endgame tables.

import { get } from '../api.js';
import { problemState } from '../app.js';
import { button, cell, el, emptyState, quiet, row, rowsTable, svg } from '../dom.js';
import { currentLanguage, number, percent, plural, size, t } from '../i18n.js';
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
    /** @type {SetInfo[]} */
    this.sets = [];
    /** What is in the sets, as far as it was asked. @type {Map<string, SetStats>} */
    this.stats = new Map();
    this.asking = false;
    /** The column that the list is sorted by, none at first. */
    this.order = { column: -1, down: false };
    this.element = el('main', { class: 'view view-tables' }, el('h1', {}, t('Endgame tables')), el('div', { class: 'tables-columns' }, this.list, this.details));
    app.on(['view', 'made'], () => { if (app.view === 'tables') void this.load(); });
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
    this.sets = sets;
    this.drawList();
    const first = sets.find(({ material }) => material === this.app.set) ?? sets.at(-1);
    if (first) void this.openSet(first.material, false);
    void this.loadStats();
  }

  /** Asks what is in the sets, one after the other, as long as the list is looked at. */
  async loadStats() {
    if (this.asking) return;
    this.asking = true;
    for (const { material } of this.sets) {
      if (this.app.view !== 'tables') break;
      if (this.stats.has(material)) continue;
      try {
        this.stats.set(material, await get(`/api/tables/${encodeURIComponent(material)}`));
      } catch {
        // The other sets may be read.
        continue;
      }
      this.drawShares(material);
    }
    this.asking = false;
    // Sorted by a share, the list waited for all of them.
    if (this.order.column === 2 || this.order.column === 3) this.drawList();
  }

  /** @param {string} material */
  drawShares(material) {
    const line = [...this.list.querySelectorAll('tbody tr')].find((other) => other.getAttribute('data-set') === material);
    line?.querySelectorAll('.set-share').forEach((box, at) => { box.textContent = shareOf(this.stats.get(material), at === 0 ? 'win' : 'draw'); });
  }

  /** Draws the list in the order that was chosen. */
  drawList() {
    const known = (/** @type {'win' | 'draw'} */ part) => (/** @type {SetInfo} */ { material }) => {
      const set = this.stats.get(material);
      return (set && fraction(set.red[part], set.red)) ?? -1;
    };
    const [wins, draws] = [known('win'), known('draw')];
    /** @type {[string, string, (a: SetInfo, b: SetInfo) => number, string?][]} */
    const heads = [['', t('Set'), (a, b) => a.material.localeCompare(b.material)], ['num wide', t('Men'), (a, b) => menOf(a.material) - menOf(b.material)],
      ['num', t('Wins'), (a, b) => wins(a) - wins(b), t('Of the positions with Red to move')], ['num', t('Draws'), (a, b) => draws(a) - draws(b), t('Of the positions with Red to move')],
      ['num', t('Size'), (a, b) => a.bytes - b.bytes]];
    const { column, down } = this.order;
    const chosen = heads[column]?.[2];
    const sets = chosen ? [...this.sets].sort((a, b) => (down ? -1 : 1) * chosen(a, b)) : this.sets;
    const rows = sets.map((set) => el('tr', { 'data-set': set.material, onclick: () => void this.openSet(set.material) },
      el('td', {}, el('button', { type: 'button', class: 'link' }, set.material), menName(set.material)), cell(menOf(set.material), 'num wide'),
      ...(/** @type {const} */ (['win', 'draw'])).map((part) => cell(shareOf(this.stats.get(set.material), part), 'num set-share')), cell(size(set.bytes))));
    const table = rowsTable('', heads.map(([, name]) => name), rows, heads.map(([kind]) => kind));
    table.querySelectorAll('th').forEach((head, at) => {
      head.setAttribute('aria-sort', at !== column ? 'none' : down ? 'descending' : 'ascending');
      head.replaceChildren(button(head.textContent + (at === column ? (down ? ' ▾' : ' ▴') : ''), () => {
        this.order = { column: at, down: at === column && !down };
        this.drawList();
      }, { class: 'link', title: heads[at]?.[3] ?? null }));
    });
    this.list.replaceChildren(quiet(plural(sets.length, '{n} set', '{n} sets')), table);
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
    this.details.replaceChildren(el('h2', {}, set.material, menName(set.material)), counts(set),
      quiet(t('Practise from a random position:')),
      row(random('win', t('won')), random('draw', t('drawn')), random('loss', t('lost'))), this.note,
      ...(wins.length > 0 ? [el('h3', {}, t('Wins by distance in plies')), histogram(wins)] : []),
      ...(wins.some(([, , byRule]) => byRule > 0) ? [quiet(el('span', { class: 'legend-rule' }), t('by the rules of repetition: they are not among the longest'))] : []),
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

/** Returns the share of a part of the positions with a side to move; undefined if there are none. @param {number} part @param {SideStats} side */
function fraction(part, { win, draw, loss }) {
  const all = win + draw + loss;
  return all > 0 ? part / all : undefined;
}

/** @param {number} part @param {SideStats} side */
function share(part, side) {
  const known = fraction(part, side);
  return known === undefined ? '–' : percent(known);
}

/** Returns a part of the positions of a set with Red to move. @param {SetStats | undefined} set undefined while it is not known @param {'win' | 'draw'} part */
function shareOf(set, part) {
  return set ? share(set.red[part], set.red) : '–';
}

/** Returns the distances that are written under a histogram: some of those that have a bar. @param {readonly number[]} distances */
function marked(distances) {
  const shown = [0, 0.25, 0.5, 0.75, 1].map((part) => distances[Math.round(part * (distances.length - 1))] ?? 0);
  return [...new Set(shown)];
}

/** Returns the name of a set in Chinese, for a Chinese page. @param {string} material such as KRCvKR */
function menName(material) {
  if (currentLanguage() !== 'zh') return null;
  const [red = '', black = ''] = material.split('v');
  return el('span', { class: 'quiet men-name' }, `${sideName(red, '兵仕相帅')}对${sideName(black, '卒士象将')}`);
}

/** Returns the men of a side as manuals name them. @param {string} letters @param {string} names of its pawn, advisor, elephant and king */
function sideName(letters, [pawn = '', advisor = '', elephant = '', king = '']) {
  const count = (/** @type {string} */ letter) => letters.split(letter).length - 1;
  const attackers = /** @type {const} */ ([['R', '车'], ['N', '马'], ['C', '炮'], ['P', pawn]])
    .map(([letter, name]) => count(letter) > 0 ? (['', '双', '三', '四', '五'][count(letter) - 1] ?? '') + name : '').join('');
  const guards = guardsName(count('A'), count('B'), advisor, elephant);
  if (!attackers && !guards) return `光${king}`;
  return !guards && attackers.length === 1 ? `单${attackers}` : attackers + guards;
}

/** @param {number} advisors @param {number} elephants @param {string} advisor @param {string} elephant */
function guardsName(advisors, elephants, advisor, elephant) {
  if (advisors === 0 && elephants === 0) return '';
  if (elephants === 0) return (advisors === 1 ? '单' : '双') + advisor;
  if (advisors === 0) return (elephants === 1 ? '单' : '双') + elephant;
  if (advisors === 1) return elephants === 1 ? `单${advisor}${elephant}` : `单缺${advisor}`;
  return elephants === 1 ? `单缺${elephant}` : `${advisor}${elephant}全`;
}

/** Draws how many wins there are at each distance, those by the rules of repetition below the others. @param {readonly [number, number, number][]} counts */
function histogram(counts) {
  const [width, height] = [560, 140];
  const last = Math.max(...counts.map(([plies]) => plies), 1);
  const most = Math.max(...counts.map(([, n]) => n), 1);
  const step = width / (last + 2);
  const wide = Math.min(28, Math.max(1.5, step * 1.6));
  const tall = (/** @type {number} */ n) => n > 0 ? Math.max(1, (n / most) * height) : 0;
  const bar = (/** @type {number} */ plies, /** @type {number} */ n, kind = '') =>
    svg('rect', { x: (plies + 1) * step - wide / 2, y: height - tall(n), width: wide, height: tall(n), class: `histogram-bar ${kind}` });
  const bars = counts.map(([plies, n, byRule]) => svg('g', {}, bar(plies, n), byRule > 0 && bar(plies, byRule, 'histogram-rule'),
    svg('title', {}, t('{plies} plies: {n} positions', { plies, n: number(n) }))));
  const axis = svg('path', { d: `M0 ${height + 0.5}H${width}`, class: 'histogram-axis' });
  const marks = marked(counts.map(([plies]) => plies)).map((plies) => svg('text', { x: (plies + 1) * step, y: height + 18, 'text-anchor': 'middle' }, plies));
  return svg('svg', { viewBox: `0 0 ${width} ${height + 24}`, class: 'histogram', role: 'img', 'aria-label': t('Wins by distance in plies') }, ...bars, axis, ...marks);
}
