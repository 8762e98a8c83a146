// The explorer of opening books, several side by side.

import { get, hasToken, post } from '../api.js';
import { explainError } from '../app.js';
import { button, calm, checkbox, el, emptyState, numberField, select } from '../dom.js';
import { pointsOf } from '../fen.js';
import { currentLanguage, number, percent, plural, t } from '../i18n.js';
import { iconButton } from '../icons.js';

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

/** @typedef {{ecco: string | null, name: string | null, name_en: string | null, total: number, total_weight?: number, mirrored?: boolean, moves: BookMove[]}} BookAnswer */

/** Shows what books say of the position on the board. */
export class BookPanel {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.columns = el('div', { class: 'columns' });
    this.foot = el('div', { class: 'foot' });
    this.samples = el('details', { class: 'samples', ontoggle: () => void this.loadSamples() },
      el('summary', {}, t('Sample games')), el('div'));
    this.element = el('section', { class: 'panel panel-book', 'aria-label': t('Book') }, this.columns, this.foot, this.filters(), this.samples);
    /** @type {AbortController | null} */
    this.asking = null;
    this.later = calm(() => void this.load(), 40);
    app.on(['position'], () => { this.element.classList.add('stale'); this.later(); });
    app.on(['tab'], () => { if (this.open) this.later(); else app.setArrows('book', []); });
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

  filters() {
    const { app } = this;
    /** @param {Partial<import('../settings.js').Settings>} parts */
    const set = (parts) => { app.change(parts); this.later(); };
    const boxes = this.books.length > 1 ? this.books.map(({ name }) => checkbox(name, this.chosen.includes(name), (on) =>
      set({ books: on ? [...this.chosen, name] : this.chosen.filter((other) => other !== name) }))) : [];
    return el('details', { class: 'filters' }, el('summary', {}, t('Filters')), el('div', { class: 'row' },
      numberField(t('at least games'), app.settings.minGames || '', (value) => set({ minGames: Number(value) || 0 }), { min: 0 }),
      numberField(t('from year'), app.settings.yearFrom, (value) => set({ yearFrom: value })),
      numberField(t('to year'), app.settings.yearTo, (value) => set({ yearTo: value })), ...boxes));
  }

  // --- asking ---

  async load() {
    if (!this.open || !this.app.informed) return;
    this.samples.open = false;
    if (this.books.length === 0) { this.element.classList.remove('stale'); this.showNoBook(); return; }
    this.asking?.abort();
    const asking = new AbortController();
    this.asking = asking;
    const slow = setTimeout(() => this.element.classList.add('busy'), 50);
    try {
      const answers = await Promise.all(this.chosen.map((book) => this.ask(book, asking.signal)));
      if (!asking.signal.aborted) this.show(answers);
    } catch (error) {
      if (!asking.signal.aborted) this.columns.replaceChildren(emptyState(explainError(error).filter(Boolean).join(' ')));
    }
    clearTimeout(slow);
    if (this.asking === asking) this.element.classList.remove('busy', 'stale');
  }

  /** @param {string} book @param {AbortSignal} signal @returns {Promise<BookAnswer>} */
  ask(book, signal) {
    const { settings, session } = this.app;
    return get('/api/book', { ...session.query, book, notation: settings.notation, min_games: settings.minGames || '',
      year_from: settings.yearFrom, year_to: settings.yearTo }, signal);
  }

  showNoBook() {
    const gomoku = this.app.game === 'gomoku';
    const command = gomoku ? 'juzhong book build --game gomoku GAMES -o my.book && juzhong serve --book my.book' :
      'juzhong book build GAMES -o my.book && juzhong serve --book my.book';
    this.columns.replaceChildren(emptyState(t('No book is open. Build one from game files and start the server with it:'), command, t('Copy')));
    this.foot.replaceChildren();
  }

  async loadSamples() {
    const box = /** @type {HTMLElement} */ (this.samples.lastElementChild);
    if (!this.samples.open) return;
    if (!this.app.meta.library) {
      box.replaceChildren(emptyState(t('No folder of games is open. Start the server with one:'), 'juzhong serve --library FOLDER', t('Copy')));
      return;
    }
    const fen = this.app.fen();
    try {
      const { games, total } = await get('/api/games', { game: this.app.session.query.game, fen, page: 1 });
      box.replaceChildren(el('p', { class: 'quiet' }, plural(total, '{n} game', '{n} games')),
        el('ul', { class: 'plain' }, ...games.slice(0, 8).map((/** @type {any} */ game) => this.sample(game))));
    } catch (error) {
      box.replaceChildren(emptyState(explainError(error)[0]));
    }
  }

  /** @param {{id: string | number, players: string[], year: number | null, result: string}} game */
  sample(game) {
    const label = `${game.players.join(' – ')}${game.year ? ` (${game.year})` : ''} ${game.result}`;
    return el('li', {}, button(label, () => this.app.openGame?.(String(game.id), this.app.session.moves.length), { class: 'link' }));
  }

  // --- drawing ---

  /** @param {BookAnswer[]} answers */
  show(answers) {
    const shown = answers.map((answer, at) => this.column(this.chosen[at] ?? '', answer));
    this.columns.replaceChildren(...shown);
    const first = answers.find((answer) => answer.moves.length > 0) ?? answers[0];
    if (!first) return;
    this.foot.replaceChildren(this.footText(first), this.adder(first) ?? '');
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
    const several = this.chosen.length > 1;
    const box = el('div', { class: 'column' }, several && el('h3', {}, book));
    if (answer.moves.length === 0) {
      box.append(emptyState(t('No move in this book. Go back with ←, or turn the engine on with e.')));
      return box;
    }
    const moves = [...answer.moves].sort((a, b) => b.games - a.games || b.weight - a.weight);
    box.append(el('table', { class: several ? 'rows narrow' : 'rows' },
      el('thead', {}, el('tr', {}, ...this.heads(several).map(([name, kind]) => el('th', { class: kind, scope: 'col' }, name)))),
      el('tbody', {}, ...moves.flatMap((move) => this.rowsOf(book, answer, move, several)))));
    return box;
  }

  /** @param {boolean} several @returns {[string, string][]} */
  heads(several) {
    /** @type {[string, string][]} */
    const heads = [[t('Move'), ''], [t('games'), 'num'], [this.app.game === 'xiangqi' ? t('Red · draw · Black') : t('Black · draw · White'), 'bar-head'],
      [t('Score'), 'num'], [t('Weight'), 'num wide']];
    return several ? heads.slice(0, 4) : [...heads, [t('Years'), 'wide']];
  }

  /** @param {string} book @param {BookAnswer} answer @param {BookMove} move @param {boolean} several */
  rowsOf(book, answer, move, several) {
    const { app } = this;
    const hover = (/** @type {boolean} */ on) => this.hover(move, on);
    const row = el('tr', { class: move.flags.map((flag) => `flag-${flag}`).join(' ') || null, onmouseenter: () => hover(true), onmouseleave: () => hover(false),
      onclick: () => app.play(move.move, 'book') },
      el('td', {}, el('button', { type: 'button', class: 'link move-name', onfocus: () => hover(true), onblur: () => hover(false) }, move.text || move.move)),
      el('td', { class: 'num' }, number(move.games), el('span', { class: 'share' }, percent(move.games / Math.max(1, answer.total), 0))),
      el('td', { class: 'bar-cell' }, this.bar(move)),
      el('td', { class: 'num' }, move.score === null ? '–' : percent(move.score)));
    if (!several) row.append(el('td', { class: 'num wide' }, number(move.weight)), el('td', { class: 'wide years' }, years(move)));
    const extra = this.extra(book, move);
    if (extra) row.append(el('td', { class: 'tools' }, extra));
    const note = noteOf(move);
    return note ? [row, el('tr', { class: 'note-row' }, el('td', { colspan: 7 }, note))] : [row];
  }

  /** @param {BookMove} move @param {boolean} on */
  hover(move, on) {
    const [from, to] = pointsOf(move.move);
    this.app.setArrows('hover', on && from ? [{ from, to: to ?? from, kind: 'hover', weight: 0.5 }] : []);
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
    const name = currentLanguage() === 'zh' ? answer.name : answer.name_en ?? answer.name;
    const parts = [[answer.ecco, name].filter(Boolean).join(' '), plural(answer.total, '{n} game', '{n} games'), yearsOf(answer.moves)];
    if (answer.total === 0) return el('p');
    if (answer.mirrored) parts.push(t('found by its mirror image'));
    return el('p', { class: 'quiet' }, parts.filter(Boolean).join(' · '));
  }

  // --- editing ---

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
    return el('details', {}, el('summary', {}, t('Add a move to the book')), el('div', { class: 'row' }, list,
      button(t('Add'), () => void this.change(book.name, { add_line: list.value }))));
  }

  /** @param {string} book @param {BookMove} move */
  edit(book, move) {
    const weight = el('input', { type: 'number', value: move.weight, min: 0, 'aria-label': t('Weight') });
    const comment = el('input', { type: 'text', value: move.comment ?? '', 'aria-label': t('Comment') });
    const disabled = el('input', { type: 'checkbox', checked: move.flags.includes('disabled') });
    const close = () => { dialog.close(); dialog.remove(); };
    const save = () => {
      /** @type {Record<string, unknown>} */
      const change = {};
      if (Number(weight.value) !== move.weight) change['weight'] = Number(weight.value);
      if (comment.value !== (move.comment ?? '')) change[comment.value ? 'comment' : 'clear_comment'] = comment.value || true;
      if (disabled.checked !== move.flags.includes('disabled')) change[disabled.checked ? 'disable' : 'enable'] = true;
      close();
      void this.change(book, { move: move.move, ...change });
    };
    const dialog = el('dialog', { class: 'dialog' }, el('h2', {}, move.text || move.move),
      el('label', { class: 'stack' }, el('span', {}, t('Weight')), weight),
      el('label', { class: 'stack' }, el('span', {}, t('Comment')), comment),
      el('label', { class: 'check' }, disabled, ' ', t('Never play this move')),
      el('div', { class: 'row' }, button(t('Save'), save, { class: 'primary' }), button(t('Cancel'), close),
        button(t('Undo the last edit'), () => { close(); void this.send('/api/book/undo', { book }); })));
    document.body.append(dialog);
    dialog.showModal();
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

/** Returns what else is known of a move: name after it, flags, transpositions, value, comment. @param {BookMove} move */
function noteOf(move) {
  const name = currentLanguage() === 'zh' ? move.name : move.name_en ?? move.name;
  /** @type {(HTMLElement | string)[]} */
  const parts = move.flags.map((flag) => el('span', { class: `badge badge-${flag}` }, t(FLAGS[flag] ?? flag)));
  const texts = [[move.ecco, name].filter(Boolean).join(' ')];
  if (move.transposed) texts.push(plural(move.transposed, '{n} game by transposition', '{n} games by transposition'));
  if (move.engine?.text) texts.push(t('engine {value}', { value: move.engine.text }));
  if (move.priority) texts.push(t('priority {n}', { n: move.priority }));
  if (move.comment) texts.push(move.comment);
  const text = texts.filter(Boolean).join(' · ');
  if (text) parts.push(text);
  return parts.length > 0 ? el('span', { class: 'quiet' }, ...parts) : null;
}
