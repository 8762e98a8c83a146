// The list of games: a library of the server, files that were opened, and recent games.

import { get } from '../api.js';
import { problemState } from '../app.js';
import { button, calm, checkbox, el, emptyState, quiet, row } from '../dom.js';
import { plyOf } from '../fen.js';
import { gamesTable, pager, PAGE } from '../gamelist.js';
import { ALL_GAMES, materialOf, sortedBy } from '../gamequery.js';
import { currentLanguage, locale, number, plural, t } from '../i18n.js';
import { openedFiles, openedGames, openedTotal, restoreOpened } from '../opened.js';
import { keptNote, keptTitle, timeText } from '../recent.js';
import { playersText, resultText } from '../session.js';
import { keptGames } from '../store.js';
import { endOf, find, movesTo } from '../tree.js';
import { limitFields } from './book.js';
import { openAgain, openRow, showOpened } from './file.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {import('../gamequery.js').GameQuery} GameQuery */
/** @typedef {{id: string, first: string | null, second: string | null, result: string, plies: number, saved: number}} Saved when in seconds */
/** @typedef {{id: string | number, key: string, index: number, players: string[], event: string | null, year: number | string | null, result: string, ecco: string | null, name: string | null, name_en?: string | null, plies: number, file: string, copies: number, broken: boolean}} Listed */
/** @typedef {{files: number, files_done: number, bytes: number, bytes_done: number, games: number}} Indexing */
/** @typedef {{total: number, records: number, bad: number, unreadable: number, games: Listed[], indexing: Indexing | null}} Answer */

/** Milliseconds between two looks at a library that is being read. */
const LOOK = 1000;

/** Shows lists of games and opens one at a click. */
export class GamesView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {AbortController | null} */
    this.asking = null;
    this.looking = 0;
    /** The page, and the order, of the list of opened files. @type {GameQuery} */
    this.inFiles = { ...ALL_GAMES };
    this.search = el('input', { type: 'search', class: 'search', placeholder: t('Search players, events, openings'), 'aria-label': t('Search players, events, openings'),
      title: t('In either script, or in pinyin without tones'),
      oninput: calm(() => this.ask({ words: this.search.value, page: 1 }, false), 150) });
    this.controls = row();
    this.list = el('div', { class: 'library' });
    this.file = el('div', { class: 'opened-files' });
    this.saved = el('div');
    this.recent = el('div');
    this.element = el('main', { class: 'view view-games' }, el('h1', {}, t('Games')), openRow(app, '-games'), this.file, this.saved,
      this.controls, this.list, this.recent);
    app.on(['view'], () => { if (app.view === 'games') this.show(); else window.clearTimeout(this.looking); });
  }

  /** Asks for other games. @param {Partial<GameQuery>} change @param {boolean} step whether the way back leads here */
  ask(change, step) {
    const { app } = this;
    app.list = { ...app.list, ...change };
    if (app.view !== 'games') return;
    app.showPlace(step);
    this.showControls();
    void this.load();
  }

  show() {
    this.showControls();
    void this.load();
    this.showFiles();
    void restoreOpened().then(() => { if (this.app.view === 'games') this.showFiles(); });
    void this.showSaved();
    this.showRecent();
  }

  showControls() {
    const { list } = this.app;
    if (document.activeElement !== this.search) this.search.value = list.words;
    if (this.controls.contains(document.activeElement)) return;
    this.controls.hidden = this.app.informed && !this.app.meta.library;
    this.controls.replaceChildren(this.search,
      checkbox(t('games through the position on the board'), list.through, (through) => this.ask({ through, page: 1 }, true)),
      checkbox(t('list every copy'), list.copies, (copies) => this.ask({ copies, page: 1 }, true)),
      ...limitFields(list.yearFrom, list.yearTo, list.minRating, (parts) => this.ask({ ...parts, page: 1 }, true)),
      ...this.app.game === 'xiangqi' ? [this.materialField()] : []);
  }

  materialField() {
    const input = el('input', { type: 'text', class: 'material', value: this.app.list.material, placeholder: 'KRCvKR', spellcheck: 'false', autocapitalize: 'off', maxlength: 40,
      title: t('Men that were on the board at some time in the game: kings K, rooks R, horses N, cannons C, pawns P, advisors A, elephants B'),
      onchange: () => this.ask({ material: materialOf(input.value), page: 1 }, true) });
    return el('label', { class: 'field' }, el('span', {}, t('material')), input);
  }

  async load() {
    const { app } = this;
    if (!app.informed) return;
    window.clearTimeout(this.looking);
    if (!app.meta.library) {
      this.list.replaceChildren(app.missing(t('No folder of games is open. Start the server with one:'), 'juzhong serve --library FOLDER'));
      return;
    }
    const { words, yearFrom, yearTo, minRating, material, sort, descending, copies, through, page } = app.list;
    this.asking?.abort();
    const asking = this.asking = new AbortController();
    try {
      /** @type {Answer} */
      const answer = await get('/api/games', { game: app.session.query.game, search: words, fen: through ? app.fen() : '', page,
        year_from: yearFrom, year_to: yearTo, min_rating: minRating, material: app.game === 'xiangqi' ? material : '', sort, descending, fold: !copies, partial: true }, asking.signal);
      if (asking.signal.aborted) return;
      this.showList(answer);
      if (answer.indexing) this.looking = window.setTimeout(() => { if (app.view === 'games') void this.load(); }, LOOK);
    } catch (error) {
      if (!asking.signal.aborted) this.list.replaceChildren(problemState(error));
    }
  }

  /** @param {Answer} answer */
  showList(answer) {
    const { app } = this;
    const { total, games, indexing } = answer;
    const rows = games.map((game) => ({ ...game, opening: openingOf(game), number: game.index }));
    const progress = indexing ? [progressOf(indexing)] : [];
    if (total === 0) {
      this.list.replaceChildren(...progress, ...indexing ? [] : [emptyState(t('No game was found. Try fewer words.'))]);
      return;
    }
    const table = gamesTable(rows, app.list, {
      sort: (column) => this.ask(sortedBy(app.list, column), true),
      open: (at) => { const game = games[at]; if (game) void this.open(game.key, app.list.through ? app.fen() : ''); },
    });
    this.list.replaceChildren(...progress, el('p', { class: 'quiet', role: 'status' }, countText(answer)), table,
      pager(app.list.page, total, (page) => { this.ask({ page }, true); this.element.scrollIntoView(); }));
  }

  /** Opens a game of the server. @param {string} id @param {string} [fen] a position to go to @param {string} [from] */
  async open(id, fen, from = 'games') {
    const { app } = this;
    const slow = window.setTimeout(() => app.say(t('Opening the game …'), 'busy'), 300);
    try {
      const opened = await get(`/api/${from}/${encodeURIComponent(id)}`, { game: app.session.query.game });
      // The way back leads to the list.
      app.view = 'board';
      showOpened(app, opened);
      if (from === 'games' && id.startsWith('g')) this.link(id);
      const { game, start, root } = app.session;
      if (fen) app.session.go(Array(plyOf(game, start, movesTo(root, endOf(root, [])), fen)).fill(0));
    } catch (error) {
      app.fail(error);
      this.list.prepend(problemState(error));
    } finally {
      window.clearTimeout(slow);
    }
  }

  /** Names the game on the board in the address. @param {string} key */
  link(key) {
    const { app } = this;
    app.link(key);
    app.showPlace(false);
  }

  /** Opens the game that the address names, at the place that it names. */
  async openLinked() {
    const { app } = this;
    const { linked } = app;
    if (!linked || linked.root || !app.meta.library) return;
    const { moves } = app.session;
    try {
      const opened = await get(`/api/games/${encodeURIComponent(linked.key)}`, { game: app.session.query.game });
      app.keepAddress = true;
      showOpened(app, opened);
      app.keepAddress = false;
      this.link(linked.key);
      const path = find(app.session.root, moves);
      if (path) app.session.go(path);
    } catch (error) {
      app.fail(error);
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

  /** Lists the games of the files that were opened last. */
  showFiles() {
    const all = openedGames();
    if (all.length < 2) { this.file.replaceChildren(); return; }
    const { inFiles } = this;
    const words = inFiles.words.toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length === 0 ? all : all.filter((game) => {
      const text = searchedText(game);
      return words.every((word) => text.includes(word));
    });
    if (inFiles.sort) {
      const compare = comparing(inFiles.sort);
      const way = inFiles.descending ? -1 : 1;
      found.sort((a, b) => compare(a, b) * way);
    }
    const shown = found.slice((inFiles.page - 1) * PAGE, inFiles.page * PAGE);
    const rows = shown.map(({ file, entry }) => ({ players: [entry.first, entry.second], event: entry.event, year: entry.date?.slice(0, 4) ?? '',
      result: entry.result, opening: '', plies: entry.plies, file: file.name, number: entry.index, copies: 1, broken: false }));
    const again = (/** @type {Partial<GameQuery>} */ change) => { this.inFiles = { ...inFiles, ...change }; this.showFiles(); };
    const search = el('input', { type: 'search', class: 'search-files', value: inFiles.words, 'aria-label': t('Search the opened files'), placeholder: t('Search the opened files'),
      onchange: () => again({ words: search.value, page: 1 }) });
    const names = openedFiles().map(({ name }) => name).filter(Boolean);
    const total = openedTotal();
    this.file.replaceChildren(el('h2', {}, names.length === 1 ? names[0] ?? '' : t('Games of the opened files')),
      quiet(total > all.length ? t('The first {n} of {m} games are listed.', { n: number(all.length), m: number(total) }) : plural(found.length, '{n} game', '{n} games')),
      row(search),
      gamesTable(rows, inFiles, { sort: (column) => again(sortedBy(inFiles, column)), open: (at) => {
        const game = shown[at];
        if (!game) return;
        this.app.view = 'board';
        void openAgain(this.app, game.file, game.entry.index);
      } }),
      pager(inFiles.page, found.length, (page) => { again({ page }); this.file.scrollIntoView(); }));
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

/** Returns the code and the name of an opening, in the language of the page. @param {Listed} game */
function openingOf({ ecco, name, name_en }) {
  return [ecco, currentLanguage() === 'zh' ? name : name_en ?? name].filter(Boolean).join(' ');
}

/** Makes the bar of a library that is being read. @param {Indexing} indexing */
function progressOf({ files, files_done, bytes, bytes_done, games }) {
  const label = t('Reading the library: {n} of {m} files, {g} games so far', { n: number(files_done), m: number(files), g: number(games) });
  return el('p', { class: 'progress-line', role: 'status' }, el('progress', { max: Math.max(1, bytes), value: bytes_done, 'aria-label': label }), ' ', label);
}

/** Returns how many games were found, and what of the files is not among them. @param {Answer} answer */
function countText({ total, records, bad, unreadable }) {
  const parts = [plural(total, '{n} game', '{n} games')];
  if (records > total) parts.push(t('{n} records: copies of a game are one', { n: number(records) }));
  if (bad > 0) parts.push(plural(bad, '{n} cannot be read', '{n} cannot be read'));
  if (unreadable > 0) parts.push(plural(unreadable, '{n} file cannot be read', '{n} files cannot be read'));
  return parts.join(' · ');
}

/** What is searched of games of opened files, made once for each. @type {WeakMap<object, string>} */
const searched = new WeakMap();

/** @param {import('../opened.js').OpenedGame} game */
function searchedText({ file, entry }) {
  const known = searched.get(entry);
  if (known !== undefined) return known;
  const text = [entry.first, entry.second, entry.event, entry.date, entry.result, file.name].join(' ').toLowerCase();
  searched.set(entry, text);
  return text;
}

/** Returns the order of games of opened files by a column. @param {string} column @returns {(a: import('../opened.js').OpenedGame, b: import('../opened.js').OpenedGame) => number} */
function comparing(column) {
  const { compare } = new Intl.Collator(locale());
  const text = (/** @type {(game: import('../opened.js').OpenedGame) => string | null} */ of) =>
    (/** @type {import('../opened.js').OpenedGame} */ a, /** @type {import('../opened.js').OpenedGame} */ b) => compare(of(a) ?? '', of(b) ?? '');
  if (column === 'plies') return (a, b) => a.entry.plies - b.entry.plies;
  if (column === 'event') return text(({ entry }) => entry.event);
  if (column === 'date') return text(({ entry }) => entry.date);
  if (column === 'result') return text(({ entry }) => entry.result);
  if (column === 'first') return text(({ entry }) => entry.first);
  return text(({ file }) => file.name);
}

/** @param {string} label @param {string} note @param {() => void} open */
function listItem(label, note, open) {
  return el('li', {}, button(label, open, { class: 'link' }), ' ', el('span', { class: 'quiet' }, note));
}
