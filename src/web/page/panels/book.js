// The explorer of opening books, several side by side.

import { get, hasToken, post, Problem } from '../api.js';
import { problemState } from '../app.js';
import { button, calm, cell, checkbox, dialog, el, emptyState, numberField, quiet, row, rowsTable, select } from '../dom.js';
import { emptyLike, pointsOf } from '../fen.js';
import { currentLanguage, moveLanguage, number, percent, plural, t } from '../i18n.js';
import { iconButton } from '../icons.js';
import { playersOf, playersText, resultText } from '../session.js';
import { addLine, node } from '../tree.js';

/** @typedef {import('../app.js').App} App */

/**
 * A move of a book.
 * @typedef {object} BookMove
 * @property {string} move
 * @property {string} [text]
 * @property {number} games
 * @property {number} [red]
 * @property {number} draws
 * @property {number} black
 * @property {number} [white]
 * @property {number | null} score
 * @property {number} weight
 * @property {{source?: string, value?: number, text?: string, depth?: number} | null} [engine]
 * @property {number | null} year_min
 * @property {number | null} year_max
 * @property {string | null} ecco
 * @property {string | null} name
 * @property {string | null} name_en
 * @property {number} [priority]
 * @property {string[]} flags
 * @property {string | null} comment
 * @property {number} [games_after]
 * @property {number} [transposed]
 */

/** A column: its head, its class, and what it is. @typedef {{name: string, kind: string, tip?: string}} Head */
/** @typedef {{ecco?: string | null, name?: string | null, name_en?: string | null, total: number, total_weight?: number, mirrored?: boolean, moves: BookMove[]}} BookAnswer */
/** @typedef {{red: string | null, black: string | null, white?: string | null, red_rating: number | null, black_rating: number | null, white_rating?: number | null, event: string | null, year: number | null, result: string | null, file: string, number: number, ply: number, move: string | null, text?: string, moves: string}} Sample */

/** Shows what books say of the position on the board. */
export class BookPanel {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.columns = el('div', { class: 'columns' });
    this.foot = el('div', { class: 'foot' });
    this.samples = el('details', { class: 'samples', ontoggle: () => void this.loadSamples() },
      el('summary', {}, t('Sample games')), el('div'));
    this.filters = el('details', { class: 'filters' });
    this.drawFilters();
    this.element = el('section', { class: 'panel panel-book', 'aria-label': t('Book') }, this.columns, this.foot, this.filters, this.samples);
    /** @type {AbortController | null} */
    this.asking = null;
    this.later = calm(() => void this.load(), 40);
    app.on(['position'], () => { this.element.classList.add('stale'); this.later(); });
    app.on(['tab'], () => { if (this.open) this.later(); else app.setArrows('book', []); });
    app.on(['made'], () => { this.drawFilters(); this.later(); });
  }

  get open() { return this.app.tab === 'book'; }

  get books() {
    return this.app.meta[this.app.game].books;
  }

  get chosen() {
    const names = this.books.map(({ name }) => name);
    const wanted = this.app.settings.books.filter((name) => names.includes(name));
    return wanted.length > 0 ? wanted : names.slice(0, 2);
  }

  /** Years and ratings of the games that count, as the server takes them. */
  get limits() {
    const { yearFrom, yearTo, minRating } = this.app.settings;
    return { year_from: yearFrom, year_to: yearTo, min_rating: minRating };
  }

  /** Whether games are left out by year or rating: books keep counts only, so that the library answers then. */
  get limited() {
    return Object.values(this.limits).some(Boolean);
  }

  /** What is shown side by side: books by name, and the library without one. */
  get sources() {
    if (this.limited) return [''];
    const { library } = this.app.meta;
    return library && (this.app.settings.library || this.books.length === 0) ? [...this.chosen, ''] : this.chosen;
  }

  drawFilters() {
    const { app } = this;
    /** @param {Partial<import('../settings.js').Settings>} parts */
    const set = (parts) => { app.change(parts); this.later(); };
    const boxes = this.books.length > 1 ? this.books.map(({ name }) => checkbox(name, this.chosen.includes(name), (on) =>
      set({ books: on ? [...this.chosen, name] : this.chosen.filter((other) => other !== name) }))) : [];
    if (app.meta.library && this.books.length > 0) boxes.push(checkbox(t('Games of the library'), app.settings.library, (library) => set({ library })));
    this.filters.replaceChildren(el('summary', {}, t('Filters')), row(
      numberField(t('min. games'), app.settings.minGames || '', (value) => set({ minGames: Number(value) || 0 }), { min: 0 }),
      ...limitFields(app.settings.yearFrom, app.settings.yearTo, app.settings.minRating, set), ...boxes));
  }

  async load() {
    if (!this.open || !this.app.informed) return;
    this.samples.open = false;
    if (this.limited && !this.app.meta.library) {
      this.showNothing(this.app.missing(t('Years and ratings are counted in a folder of games. Start the server with one:'), LIBRARY));
      return;
    }
    if (this.sources.length === 0) { this.showNoBook(); return; }
    this.asking?.abort();
    const asking = new AbortController();
    this.asking = asking;
    const slow = setTimeout(() => this.element.classList.add('busy'), 50);
    try {
      const answers = await Promise.all(this.sources.map((book) => this.ask(book, asking.signal)));
      if (!asking.signal.aborted) this.show(answers);
    } catch (error) {
      if (!asking.signal.aborted) this.showNothing(problemState(error));
    }
    clearTimeout(slow);
    if (this.asking === asking) this.element.classList.remove('busy', 'stale');
  }

  /** @param {string} book a name, or none for the library @param {AbortSignal} signal @returns {Promise<BookAnswer>} */
  async ask(book, signal) {
    const { settings, session } = this.app;
    const query = { ...session.query, notation: settings.notation };
    if (book) return get('/api/book', { ...query, book, min_games: settings.minGames || '' }, signal);
    const answer = await get('/api/games/moves', { ...query, ...this.limits }, signal);
    return { ...answer, moves: answer.moves.filter((/** @type {BookMove} */ { games }) => games >= settings.minGames)
      .map((/** @type {BookMove} */ move) => ({ ...move, weight: move.games, flags: [] })) };
  }

  /** Says why there is nothing to show. @param {HTMLElement} reason */
  showNothing(reason) {
    this.element.classList.remove('stale');
    this.columns.replaceChildren(reason);
    this.foot.replaceChildren(this.limited ? this.unlimit() : '');
    this.app.setArrows('book', []);
  }

  /** Says that years and ratings are counted in the library, and offers to forget them. */
  unlimit() {
    return quiet(t('Years and ratings are counted in the games of the library.'), ' ', button(t('Remove the filters'), () => {
      this.app.change({ yearFrom: '', yearTo: '', minRating: '' });
      this.drawFilters();
      this.later();
    }, { class: 'small' }));
  }

  showNoBook() {
    const gomoku = this.app.game === 'gomoku';
    const command = gomoku ? 'juzhong book build --game gomoku GAMES -o my.book && juzhong serve --book my.book' :
      'juzhong book build GAMES -o my.book && juzhong serve --book my.book';
    this.showNothing(this.app.missing(t('No book is open. Build one from game files and start the server with it:'), command));
  }

  async loadSamples() {
    const box = /** @type {HTMLElement} */ (this.samples.lastElementChild);
    if (!this.samples.open) return;
    const key = this.app.answerKey();
    const books = this.limited ? [] : this.chosen;
    const lists = await Promise.all([...books.map((book) => this.bookSamples(book)), this.librarySamples()]);
    if (key !== this.app.answerKey()) return;
    const shown = lists.flat();
    if (shown.length === 0 && books.length > 0) shown.push(emptyState(t('The book keeps no games of this position. Build it with samples:'), 'juzhong book build GAMES -o my.book --samples 4'));
    if (!this.app.meta.library) shown.push(this.app.missing(t('No folder of games is open. Start the server with one:'), LIBRARY));
    box.replaceChildren(...shown);
  }

  /** @param {string} book @returns {Promise<HTMLElement[]>} */
  async bookSamples(book) {
    const { settings, session } = this.app;
    try {
      /** @type {{games: Sample[]}} */
      const { games } = await get('/api/book/games', { ...session.query, book, notation: settings.notation });
      if (games.length === 0) return [];
      return [el('h3', {}, book), el('ul', { class: 'plain' }, ...games.slice(0, 12).map((game) => this.bookSample(game)))];
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return [];
    }
  }

  /** @param {Sample} sample */
  bookSample(sample) {
    const { app } = this;
    const tags = tagsOf(app.game, sample);
    return sampleItem(playersText(playersOf(app.game, tags), `${sample.file} ${sample.number}`), sample.year, sample.result, sample.text || sample.move, () => {
      const place = addLine(node(), [], sample.moves.split(' '));
      app.load({ start: app.game === 'gomoku' ? emptyLike(app.session.start) : '', tags, result: sample.result ?? '*', opened: true, root: place.root, path: place.path.slice(0, sample.ply) });
    });
  }

  /** @returns {Promise<HTMLElement[]>} */
  async librarySamples() {
    const { app } = this;
    if (!app.meta.library) return [];
    const fen = app.fen();
    try {
      /** @type {{games: import('./games.js').Listed[], total: number}} */
      const { games, total } = await get('/api/games', { game: app.session.query.game, fen, page: 1, partial: true, ...this.limits });
      return [el('h3', {}, `${t('Games of the library')} · ${number(total)}`),
        el('ul', { class: 'plain' }, ...games.slice(0, 8).map(({ id, key, players, year, result, file }) =>
          sampleItem(playersText(players, `${file} ${Number(id) + 1}`), year, result, '', () => app.openGame?.(key, fen))))];
    } catch (error) {
      return [problemState(error)];
    }
  }

  /** @param {BookAnswer[]} answers */
  show(answers) {
    const shown = answers.map((answer, at) => this.column(this.sources[at] ?? '', answer));
    this.columns.replaceChildren(...shown);
    const first = answers.find((answer) => answer.moves.length > 0) ?? answers[0];
    if (!first) return;
    this.foot.replaceChildren(this.footText(first), this.limited ? this.unlimit() : this.adder(first) ?? '');
    this.showArrows(first.moves);
  }

  /** @param {readonly BookMove[]} moves */
  showArrows(moves) {
    const most = Math.max(1, ...moves.map(({ games }) => games));
    this.app.setArrows('book', moves.slice(0, 5).flatMap(({ move, games, flags }) => {
      const [from, to] = pointsOf(move);
      if (!from || flags.includes('disabled') || flags.includes('banned')) return [];
      return [{ from, to: to ?? from, kind: 'book', weight: Math.sqrt(games / most) * 0.9 }];
    }));
  }

  /** @param {string} book @param {BookAnswer} answer */
  column(book, answer) {
    const several = this.sources.length > 1;
    const box = el('div', { class: 'column' }, (several || !book) && el('h3', {}, book || t('Games of the library')));
    if (answer.moves.length === 0) {
      box.append(emptyState(book ? this.noMove() : t('No game of the library went on from here.')));
      return box;
    }
    const moves = [...answer.moves].sort((a, b) => b.games - a.games || b.weight - a.weight);
    const heads = this.heads(book, moves);
    const table = rowsTable('book-rows', heads.map(({ name }) => name), moves.map((move) => this.rowOf(book, answer, move, heads)), heads.map(({ kind }) => kind));
    heads.forEach(({ tip }, at) => { if (tip) table.querySelectorAll('th')[at]?.setAttribute('title', tip); });
    box.append(table);
    return box;
  }

  /** Says what may be done where the book ends. */
  noMove() {
    const { answer, settings } = this.app;
    if (answer && answer.status !== 'ongoing') return t('The game is over here.');
    return settings.engine ? t('No move in this book. Go back with ←.') : t('No move in this book. Go back with ←, or press e to start the engine.');
  }

  /** Returns the columns that have something in them. @param {string} book @param {readonly BookMove[]} moves @returns {Head[]} */
  heads(book, moves) {
    const xiangqi = this.app.game === 'xiangqi';
    /** @type {Head[]} */
    const heads = [{ name: t('Move'), kind: '' }, { name: t('games'), kind: 'num', tip: t('Games with this move, and their share of all games of the position') },
      { name: xiangqi ? t('Red · draw · Black') : t('Black · draw · White'), kind: 'bar-head', tip: t('How these games ended, in per cent') },
      { name: t('Score'), kind: 'num', tip: t('What the side to move got: wins, and half of the draws') }];
    if (book) heads.push({ name: t('Weight'), kind: 'num weight', tip: t('How often the book is to play the move, in proportion to the others') });
    if (moves.some(({ year_min }) => year_min)) heads.push({ name: t('Years'), kind: 'years', tip: t('Years of the first and the last game') });
    return heads;
  }

  /** @param {string} book @param {BookAnswer} answer @param {BookMove} move @param {readonly Head[]} heads */
  rowOf(book, answer, move, heads) {
    const { app } = this;
    const { onmouseenter, onfocus, onblur } = app.hovers(move.move);
    const row = el('tr', { class: move.flags.map((flag) => `flag-${flag}`).join(' ') || null, onmouseenter, onclick: () => app.play(move.move, book ? 'book' : '') },
      el('td', {}, el('button', { type: 'button', class: 'link move-name', lang: moveLanguage(app.settings.notation), onfocus, onblur }, move.text || move.move), el('span', { class: 'flags' }, ...flagsOf(move))),
      el('td', { class: 'num' }, number(move.games), el('span', { class: 'share' }, shareText(move.games / Math.max(1, answer.total)))),
      el('td', { class: 'bar-cell' }, this.bar(move)),
      cell(move.score === null ? '–' : percent(move.score)));
    if (book) row.append(el('td', { class: 'num weight' }, number(move.weight)));
    if (heads.some(({ kind }) => kind === 'years')) row.append(el('td', { class: 'years' }, years(move)));
    const note = noteOf(move, nameOf(answer));
    row.append(el('td', { class: 'note' }, ...flagsOf(move), note));
    const extra = this.extra(book, move);
    if (extra) row.append(el('td', { class: 'tools' }, extra));
    if (note) row.setAttribute('title', note);
    return row;
  }

  /** Draws wins, draws and losses as parts of a bar, with numbers. @param {BookMove} move */
  bar(move) {
    const gomoku = this.app.game === 'gomoku';
    const parts = gomoku ? [move.black, move.draws, move.white ?? 0] : [move.red ?? 0, move.draws, move.black];
    const [first = 0, draws = 0, second = 0] = parts;
    const sum = Math.max(1, first + draws + second);
    const label = gomoku ? t('Black {first}, draw {draws}, White {second}', { first, draws, second }) :
      t('Red {first}, draw {draws}, Black {second}', { first, draws, second });
    const names = gomoku ? ['bar-black', 'bar-draw', 'bar-white'] : ['bar-red', 'bar-draw', 'bar-black'];
    const box = el('div', { class: 'bar', role: 'img', 'aria-label': label, title: label });
    parts.forEach((part, at) => {
      const share = part / sum;
      const piece = el('span', { class: names[at] }, share >= 0.18 ? `${Math.round(share * 100)}` : '');
      piece.style.width = `${share * 100}%`;
      box.append(piece);
    });
    return box;
  }

  /** @param {BookAnswer} answer */
  footText(answer) {
    const parts = [nameOf(answer), plural(answer.total, '{n} game', '{n} games'), yearsOf(answer.moves)];
    if (answer.total === 0) return el('p');
    if (answer.mirrored) parts.push(t('found by its mirror image'));
    return quiet(parts.filter(Boolean).join(' · '));
  }

  /** @param {string} book @param {BookMove} move */
  extra(book, move) {
    const writable = this.app.meta.writes && hasToken() && this.books.find(({ name }) => name === book)?.writable;
    if (!writable) return null;
    return iconButton('edit', t('Edit {move}', { move: move.text || move.move }), (event) => { event.stopPropagation(); this.edit(book, move); }, { class: 'small' });
  }

  /** Returns a choice of the moves that a book lacks, to add one. @param {BookAnswer} answer */
  adder(answer) {
    const book = this.books.find(({ name, writable }) => writable && this.chosen.includes(name));
    const legal = this.app.answer;
    if (!book || !legal || !this.app.meta.writes || !hasToken()) return null;
    const known = new Set(answer.moves.map(({ move }) => move));
    const options = legal.legal_moves.map((move, at) => /** @type {[string, string]} */ ([move, legal.legal_texts?.[at] ?? move])).filter(([move]) => !known.has(move));
    const list = select(options, '', () => {}, { 'aria-label': t('Add a move to the book') });
    return el('details', {}, el('summary', {}, t('Add a move to the book')), row(list,
      button(t('Add'), () => void this.change(book.name, { add_line: list.value }))));
  }

  /** @param {string} book @param {BookMove} move */
  edit(book, move) {
    const weight = el('input', { type: 'number', value: move.weight, min: 0, 'aria-label': t('Weight') });
    const comment = el('input', { type: 'text', value: move.comment ?? '', 'aria-label': t('Comment') });
    const disabled = el('input', { type: 'checkbox', checked: move.flags.includes('disabled') });
    const close = () => box.close();
    const save = () => {
      /** @type {Record<string, unknown>} */
      const change = {};
      if (Number(weight.value) !== move.weight) change['weight'] = Number(weight.value);
      if (comment.value !== (move.comment ?? '')) change[comment.value ? 'comment' : 'clear_comment'] = comment.value || true;
      if (disabled.checked !== move.flags.includes('disabled')) change[disabled.checked ? 'disable' : 'enable'] = true;
      close();
      void this.change(book, { move: move.move, ...change });
    };
    const box = dialog(move.text || move.move,
      el('label', { class: 'stack' }, el('span', {}, t('Weight')), weight),
      el('label', { class: 'stack' }, el('span', {}, t('Comment')), comment),
      el('label', { class: 'check' }, disabled, ' ', t('Never play this move')),
      row(button(t('Save'), save, { class: 'primary' }), button(t('Cancel'), close),
        button(t('Undo the last edit'), () => { close(); void this.send('/api/book/undo', { book }); })));
  }

  /** Edits a move of the position on the board. @param {string} book @param {Record<string, unknown>} edit as `book edit --script` has it */
  change(book, edit) {
    const { start, moves } = this.app.session;
    return this.send('/api/book/edit', { book, edit: { fen: start, moves, ...edit } });
  }

  /** @param {string} path @param {Record<string, unknown>} body */
  async send(path, body) {
    try {
      await post(path, { game: this.app.game, ...body });
      this.app.say(t('The book is changed.'));
    } catch (error) {
      this.app.fail(error);
    }
    this.later();
  }
}

const LIBRARY = 'juzhong serve --library FOLDER';

/**
 * Returns the fields for years and ratings.
 * @param {string} from @param {string} to @param {string} rating
 * @param {(parts: {yearFrom?: string, yearTo?: string, minRating?: string}) => void} set @returns {HTMLElement[]}
 */
export function limitFields(from, to, rating, set) {
  return [numberField(t('from year'), from, (yearFrom) => set({ yearFrom })), numberField(t('to year'), to, (yearTo) => set({ yearTo })),
    numberField(t('rating from'), rating, (minRating) => set({ minRating }), { min: 0, step: 50, title: t('Both players have at least this rating') })];
}

/** Returns the tags of a game that a book keeps. @param {import('../fen.js').GameName} game @param {Sample} sample @returns {Record<string, string>} */
function tagsOf(game, { red, black, white, event, year }) {
  const [first, second] = game === 'gomoku' ? ['Black', 'White'] : ['Red', 'Black'];
  const all = { Event: event, Date: year && String(year), [first ?? '']: game === 'gomoku' ? black : red, [second ?? '']: game === 'gomoku' ? white : black };
  return Object.fromEntries(Object.entries(all).flatMap(([name, value]) => value ? [[name, value]] : []));
}

/** @param {string} players @param {number | string | null} year @param {string | null} result @param {string | null} move @param {() => void} open */
function sampleItem(players, year, result, move, open) {
  return el('li', {}, button(`${players}${year ? ` (${year})` : ''} ${resultText(result)}`, open, { class: 'link' }),
    move && el('span', { class: 'quiet' }, ` · ${move}`));
}

/** @param {BookMove} move */
function years(move) {
  if (!move.year_min) return '';
  return move.year_min === move.year_max ? String(move.year_min) : `${move.year_min}–${move.year_max}`;
}

/** @param {readonly BookMove[]} moves */
function yearsOf(moves) {
  const first = moves.flatMap(({ year_min }) => year_min ?? []);
  const last = moves.flatMap(({ year_max }) => year_max ?? []);
  return first.length > 0 ? `${Math.min(...first)}–${Math.max(...last)}` : '';
}

/** @type {Record<string, string>} */
const FLAGS = { disabled: 'disabled', banned: 'banned by the rules', lost: 'lost by the tables', locked: 'locked', added: 'added by hand' };

/** @param {BookMove} move */
function flagsOf(move) {
  return move.flags.map((flag) => el('span', { class: `badge badge-${flag}` }, t(FLAGS[flag] ?? flag)));
}

/** Returns the code and the name of an opening. @param {{ecco?: string | null, name?: string | null, name_en?: string | null}} opening */
function nameOf({ ecco, name, name_en: english }) {
  return [ecco, currentLanguage() === 'zh' ? name : english ?? name].filter(Boolean).join(' ');
}

/** Returns a share in per cent, never as nothing where there is something. @param {number} share */
function shareText(share) {
  if (share > 0 && share < 0.001) return `< ${percent(0.001)}`;
  return percent(share, share > 0 && share < 0.01 ? 1 : 0);
}

/**
 * Returns what else is known of a move: the name after it where it is another one than before, transpositions, value, comment.
 * @param {BookMove} move @param {string} before
 */
function noteOf(move, before) {
  const name = nameOf(move);
  const texts = [name === before ? '' : name];
  if (move.transposed) texts.push(plural(move.transposed, '{n} game by transposition', '{n} games by transposition'));
  if (move.engine?.text) texts.push(t('engine {value}', { value: move.engine.text }));
  if (move.priority) texts.push(t('priority {n}', { n: move.priority }));
  if (move.comment) texts.push(move.comment);
  return texts.filter(Boolean).join(' · ');
}
