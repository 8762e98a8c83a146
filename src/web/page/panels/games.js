// The list of games: a library of the server, a file that was opened, and recent games.

import { get } from '../api.js';
import { explainError } from '../app.js';
import { button, calm, checkbox, el, emptyState } from '../dom.js';
import { number, plural, t } from '../i18n.js';
import { playersOf } from '../session.js';
import { recentGames } from '../store.js';
import { count } from '../tree.js';
import { openAgain, openedGames, showOpened } from './file.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {{id: string | number, players: string[], year: number | null, result: string, ecco: string | null, name: string | null, plies: number, file: string}} Listed */

/** Shows lists of games and opens one at a click. */
export class GamesView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.page = 1;
    this.through = false;
    this.search = el('input', { type: 'search', class: 'search', placeholder: t('Search players, events, openings'), 'aria-label': t('Search players, events, openings'),
      oninput: calm(() => { this.page = 1; void this.load(); }, 150) });
    this.list = el('div');
    this.file = el('div');
    this.recent = el('div');
    this.element = el('main', { class: 'view view-games' }, el('h1', {}, t('Games')),
      el('div', { class: 'row' }, this.search, checkbox(t('games through the position on the board'), false, (through) => {
        this.through = through;
        this.page = 1;
        void this.load();
      })), this.list, this.file, this.recent);
    app.openGame = (id, ply) => void this.open(id, ply);
    app.on(['view'], () => { if (app.view === 'games') this.show(); });
  }

  show() {
    void this.load();
    this.showFile();
    this.showRecent();
  }

  // --- the library ---

  async load() {
    const { app } = this;
    if (!app.informed) return;
    if (!app.meta.library) {
      this.list.replaceChildren(emptyState(t('No folder of games is open. Start the server with one:'), 'juzhong serve --library FOLDER', t('Copy')));
      return;
    }
    const page = this.page;
    try {
      const answer = await get('/api/games', { game: app.session.query.game, search: this.search.value, fen: this.through ? app.fen() : '', page });
      if (page === this.page) this.showList(answer);
    } catch (error) {
      this.list.replaceChildren(emptyState(explainError(error).filter(Boolean).join(' ')));
    }
  }

  /** @param {{total: number, games: Listed[]}} answer */
  showList({ total, games }) {
    const heads = [t('Players'), t('Year'), t('Result'), t('Opening'), t('Plies'), t('File')];
    const rows = games.map((game) => el('tr', { onclick: () => void this.open(String(game.id), 0) },
      el('td', {}, el('button', { type: 'button', class: 'link' }, game.players.join(' – '))), el('td', { class: 'num' }, game.year ?? ''), el('td', { class: 'result' }, game.result.replace('1/2-1/2', '½-½')),
      el('td', {}, [game.ecco, game.name].filter(Boolean).join(' ')), el('td', { class: 'num wide' }, number(game.plies)), el('td', { class: 'wide quiet' }, game.file)));
    const table = el('div', { class: 'scroll-x' }, el('table', { class: 'rows games' },
      el('thead', {}, el('tr', {}, ...heads.map((name, at) => el('th', { scope: 'col', class: at === 1 ? 'num' : at === 4 ? 'num wide' : at > 4 ? 'wide' : '' }, name)))), el('tbody', {}, ...rows)));
    const turn = (/** @type {number} */ step) => () => { this.page += step; void this.load(); };
    this.list.replaceChildren(el('p', { class: 'quiet', role: 'status' }, plural(total, '{n} game', '{n} games')), table,
      el('div', { class: 'row' }, button(t('Earlier'), turn(-1), { disabled: this.page <= 1 }), el('span', { class: 'quiet' }, t('page {n}', { n: this.page })),
        button(t('Later'), turn(1), { disabled: games.length === 0 })));
    if (total === 0) this.list.replaceChildren(emptyState(t('No game was found. Try fewer words.')));
  }

  /** Opens a game of the library. @param {string} id @param {number} ply */
  async open(id, ply) {
    const { app } = this;
    try {
      const opened = await get(`/api/games/${encodeURIComponent(id)}`, { game: app.session.query.game, notation: app.settings.notation });
      app.view = 'board';
      showOpened(app, opened);
      app.session.go(Array(ply).fill(0).slice(0, count(app.session.root)));
    } catch (error) {
      app.fail(error);
      this.list.prepend(emptyState(explainError(error).filter(Boolean).join(' ')));
    }
  }

  // --- a file, recent games ---

  showFile() {
    const games = openedGames();
    if (games.length < 2) { this.file.replaceChildren(); return; }
    this.file.replaceChildren(el('h2', {}, t('Games of the opened file')), el('ul', { class: 'plain' }, ...games.map((game) =>
      el('li', {}, button(`${game.first ?? '?'} – ${game.second ?? '?'} ${game.result}`, () => {
        this.app.view = 'board';
        void openAgain(this.app, game.index);
      }, { class: 'link' }), ' ', el('span', { class: 'quiet' }, plural(game.plies, '{n} ply', '{n} plies'))))));
  }

  showRecent() {
    const games = recentGames().filter((kept) => kept.game === this.app.game);
    if (games.length === 0) { this.recent.replaceChildren(); return; }
    this.recent.replaceChildren(el('h2', {}, t('Recently on the board')), el('ul', { class: 'plain' }, ...games.map((kept) => {
      const [first, second] = playersOf(kept.game, kept.tags);
      const who = first ? `${first} – ${second || '?'}` : t('Analysis');
      return el('li', {}, button(who, () => {
        this.app.view = 'board';
        this.app.load(kept);
        this.app.emit('view');
      }, { class: 'link' }), ' ', el('span', { class: 'quiet' }, `${plural(count(kept.root), '{n} move', '{n} moves')} · ${new Date(kept.when).toLocaleString()}`));
    })));
  }
}
