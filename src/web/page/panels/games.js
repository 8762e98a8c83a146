// The list of games: a library of the server, a file that was opened, and recent games.

import { get } from '../api.js';
import { problemState } from '../app.js';
import { button, calm, cell, checkbox, el, emptyState, row, rowsTable } from '../dom.js';
import { plyOf } from '../fen.js';
import { number, plural, t } from '../i18n.js';
import { keptNote, keptTitle, timeText } from '../recent.js';
import { playersText, resultText } from '../session.js';
import { keptGames } from '../store.js';
import { endOf, movesTo } from '../tree.js';
import { limitFields } from './book.js';
import { openAgain, openedGames, showOpened } from './file.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {{id: string, first: string | null, second: string | null, result: string, plies: number, saved: number}} Saved when in seconds */
/** @typedef {{id: string | number, players: string[], year: number | string | null, result: string, ecco: string | null, name: string | null, plies: number, file: string}} Listed */

/** Shows lists of games and opens one at a click. */
export class GamesView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {AbortController | null} */
    this.asking = null;
    this.page = 1;
    this.through = false;
    this.search = el('input', { type: 'search', class: 'search', placeholder: t('Search players, events, openings'), 'aria-label': t('Search players, events, openings'),
      oninput: calm(() => this.again(), 150) });
    this.limits = { yearFrom: '', yearTo: '', minRating: '' };
    this.list = el('div');
    this.file = el('div');
    this.saved = el('div');
    this.recent = el('div');
    this.element = el('main', { class: 'view view-games' }, el('h1', {}, t('Games')), this.file, this.saved,
      row(this.search, checkbox(t('games through the position on the board'), false, (through) => {
        this.through = through;
        this.again();
      }), ...limitFields('', '', '', (parts) => { Object.assign(this.limits, parts); this.again(); })), this.list, this.recent);
    app.openGame = (id, fen) => void this.open(id, fen);
    app.on(['view'], () => { if (app.view === 'games') this.show(); });
  }

  /** Asks for the first page. */
  again() {
    this.page = 1;
    void this.load();
  }

  show() {
    void this.load();
    this.showFile();
    void this.showSaved();
    this.showRecent();
  }

  async load() {
    const { app } = this;
    if (!app.informed) return;
    if (!app.meta.library) {
      this.list.replaceChildren(app.missing(t('No folder of games is open. Start the server with one:'), 'juzhong serve --library FOLDER'));
      return;
    }
    const { page, limits: { yearFrom, yearTo, minRating } } = this;
    this.asking?.abort();
    const asking = this.asking = new AbortController();
    try {
      const answer = await get('/api/games', { game: app.session.query.game, search: this.search.value, fen: this.through ? app.fen() : '', page,
        year_from: yearFrom, year_to: yearTo, min_rating: minRating }, asking.signal);
      if (!asking.signal.aborted) this.showList(answer);
    } catch (error) {
      if (!asking.signal.aborted) this.list.replaceChildren(problemState(error));
    }
  }

  /** @param {{total: number, games: Listed[]}} answer */
  showList({ total, games }) {
    const { app } = this;
    const heads = [t('Players'), t('Year'), t('Result'), t('Opening'), t('Plies'), t('File')];
    const rows = games.map((game) => el('tr', { onclick: () => void this.open(String(game.id), this.through ? app.fen() : '') },
      el('td', {}, el('button', { type: 'button', class: 'link' }, playersText(game.players))), cell(game.year ?? ''), el('td', { class: 'result' }, resultText(game.result)),
      el('td', {}, [game.ecco, game.name].filter(Boolean).join(' ')), el('td', { class: 'num wide' }, number(game.plies)), el('td', { class: 'wide quiet' }, game.file)));
    const table = el('div', { class: 'scroll-x', tabindex: 0 }, rowsTable('games', heads, rows, ['', 'num', '', '', 'num wide', 'wide']));
    const turn = (/** @type {number} */ step) => () => { this.page += step; void this.load(); };
    this.list.replaceChildren(el('p', { class: 'quiet', role: 'status' }, plural(total, '{n} game', '{n} games')), table,
      row(button(t('Earlier'), turn(-1), { disabled: this.page <= 1 }), el('span', { class: 'quiet' }, t('page {n}', { n: this.page })),
        button(t('Later'), turn(1), { disabled: this.page * 50 >= total })));
    if (total === 0) this.list.replaceChildren(emptyState(t('No game was found. Try fewer words.')));
  }

  /** Opens a game of the server. @param {string} id @param {string} [fen] a position to go to @param {string} [from] */
  async open(id, fen, from = 'games') {
    const { app } = this;
    try {
      const opened = await get(`/api/${from}/${encodeURIComponent(id)}`, { game: app.session.query.game });
      app.view = 'board';
      showOpened(app, opened);
      const { game, start, root } = app.session;
      if (fen) app.session.go(Array(plyOf(game, start, movesTo(root, endOf(root, [])), fen)).fill(0));
    } catch (error) {
      app.fail(error);
      this.list.prepend(problemState(error));
    }
  }

  /** Lists the games against the engine that the server keeps. */
  async showSaved() {
    const { app } = this;
    if (!app.meta.autosave) return;
    try {
      /** @type {{games: Saved[]}} */
      const { games } = await get('/api/autosave', { game: app.session.query.game });
      this.saved.replaceChildren(...games.length === 0 ? [] : [el('h2', {}, t('Games you played')), el('ul', { class: 'plain listed' }, ...games.map((game) =>
        listItem(`${playersText([game.first, game.second])} ${resultText(game.result)}`, `${plural(game.plies, '{n} ply', '{n} plies')} · ${timeText(game.saved * 1000)}`,
          () => void this.open(game.id, '', 'autosave'))))]);
    } catch (error) {
      this.saved.replaceChildren(problemState(error));
    }
  }

  showFile() {
    const games = openedGames();
    if (games.length < 2) { this.file.replaceChildren(); return; }
    this.file.replaceChildren(el('h2', {}, t('Games of the opened file')), el('ul', { class: 'plain listed' }, ...games.map((game) =>
      listItem(`${playersText([game.first, game.second])} ${resultText(game.result)}`, plural(game.plies, '{n} ply', '{n} plies'), () => {
        this.app.view = 'board';
        void openAgain(this.app, game.index);
      }))));
  }

  showRecent() {
    const { app } = this;
    const games = keptGames().filter(({ id, game }) => game === app.game && id !== app.session.id);
    if (games.length === 0) { this.recent.replaceChildren(); return; }
    this.recent.replaceChildren(el('h2', {}, t('Recently on the board')), el('ul', { class: 'plain' }, ...games.map((kept) =>
      listItem(keptTitle(kept), keptNote(kept), async () => {
        app.view = 'board';
        await app.bring(kept.id);
        app.emit('view');
      }))));
  }
}

/** @param {string} label @param {string} note @param {() => void} open */
function listItem(label, note, open) {
  return el('li', {}, button(label, open, { class: 'link' }), ' ', el('span', { class: 'quiet' }, note));
}
