// Openings from a book: the opponent answers by the weights of the book, and a move that it does not have is told. A line
// ends where the book has no more, and where it comes back to a position that it has had.

import { get } from '../api.js';
import { button, select } from '../dom.js';
import { after, plyOf, write } from '../fen.js';
import { number, percent, plural, t } from '../i18n.js';
import { byWeight, Lesson, sideButtons } from './lesson.js';
import { bookSaid } from './verdict.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {import('../panels/book.js').BookMove} BookMove */

/** Below this share of the games in a position a move is called rare. */
const RARE = 0.02;

/** A game through the lines of a book. */
export class Openings extends Lesson {
  /** @param {App} app */
  constructor(app) {
    super(app, t('Openings from the book'));
    this.books = app.meta[app.game].books.map(({ name }) => name);
    this.book = app.settings.books.find((name) => this.books.includes(name)) ?? this.books[0] ?? '';
    this.first = true;
    /** What the book has in the position that is to be played. @type {BookMove[]} */
    this.moves = [];
    this.asked = 0;
    this.right = 0;
    /** Whether the position was answered wrongly before. */
    this.missed = false;
    /** The moves that were not in the book, with the book's own. @type {string[]} */
    this.wrong = [];
    /** Where the lesson begins. */
    this.from = { start: app.session.start, moves: app.session.moves };
  }

  /** @override */
  async start() {
    const choice = this.books.length > 1 ? [select(this.books.map((name) => [name, name]), this.book, (name) => { this.book = name; }, { 'aria-label': t('Book') })] : [];
    this.say([{ text: t('You play the moves of the book; the opponent answers as often as they were played. Which side is yours?'), kind: 'sentence' },
      { text: this.from.moves.length > 0 ? t('It begins at the position on the board.') : '', kind: 'quiet' }], [
      ...sideButtons(this.app, (first) => void this.begin(first)), ...choice]);
  }

  /** @param {boolean} first whose moves the person makes */
  async begin(first) {
    const { app } = this;
    Object.assign(this, { first, asked: 0, right: 0, missed: false, wrong: [] });
    this.load({ start: this.from.start });
    for (const move of this.from.moves) this.play(move, '');
    app.change({ flipped: !first });
    await this.go([]);
  }

  /** Asks the book about the position on the board. @returns {Promise<{moves: BookMove[], total: number, name: string}>} */
  async look() {
    const { app } = this;
    /** @type {import('../panels/book.js').BookAnswer} */
    const answer = await get('/api/book', { ...app.session.query, book: this.book, notation: app.settings.notation }, this.stop.signal);
    const moves = answer.moves.filter(({ flags }) => !flags.some((flag) => ['disabled', 'banned', 'lost'].includes(flag)));
    const name = document.documentElement.lang.startsWith('zh') ? answer.name : answer.name_en ?? answer.name;
    return { moves: moves.sort((a, b) => b.games - a.games || b.weight - a.weight), total: answer.total, name: [answer.ecco, name].filter(Boolean).join(' ') };
  }

  /** Whether the position on the board was there before in this line, which begins where the lesson does. */
  get repeats() {
    const { game, session: { start, moves, position } } = this.app;
    const before = this.from.moves.length;
    const line = moves.slice(before);
    return plyOf(game, write(game, after(game, start, moves.slice(0, before))), line, write(game, position)) < line.length;
  }

  /** Goes on: the opponent moves, or the person is asked. @param {import('./lesson.js').Said[]} said of the last move */
  async go(said) {
    const { app } = this;
    this.at = null;
    try {
      let { moves, name } = await this.look();
      if (!this.over && moves.length > 0 && !this.repeats && app.firstToMove !== this.first) {
        await new Promise((resolve) => { setTimeout(resolve, 250); });
        if (this.over) return;
        const reply = byWeight(moves, ({ weight, games }) => Math.max(0, weight || games));
        this.play(reply.move, reply.text ?? '', 'book');
        ({ moves, name } = await this.look());
      }
      if (this.over) return;
      this.moves = moves;
      if (moves.length === 0 || this.repeats) { this.finish(said); return; }
      this.missed = false;
      this.asked++;
      this.progress = `${number(this.right)} / ${number(this.asked - 1)}`;
      this.ask([...said, { text: [name, t('Your move: what does the book play?')].filter(Boolean).join(' · '), kind: 'sentence' }]);
    } catch (error) {
      this.trouble(error, () => void this.go(said));
    }
  }

  /** @param {import('./lesson.js').Said[]} said */
  ask(said) {
    this.say(said, [button(t('Show the moves'), () => this.show())]);
    this.wait();
  }

  /** Shows what the book has. */
  show() {
    this.miss('');
    this.point(this.moves.slice(0, 3).map(({ move }) => move));
    this.say([{ text: this.texts() }, { text: t('Your move.'), kind: 'quiet' }], []);
  }

  texts() {
    return this.moves.slice(0, 6).map((move) => `${move.text || move.move} (${number(move.games)})`).join(' · ');
  }

  /** Notes that the position was not known. @param {string} text the move that was tried */
  miss(text) {
    if (this.missed) return;
    this.missed = true;
    const best = this.moves[0];
    this.wrong.push(`${text ? `${text} → ` : ''}${best?.text || best?.move || ''}`);
  }

  /** @override @param {string} move @param {string} text */
  take(move, text) {
    const known = this.moves.find((one) => one.move === move);
    this.app.setArrows('lesson', []);
    if (!known) {
      this.miss(text || move);
      this.point([move], 'table-loss');
      this.say([{ text: t('{move} is not in the book.', { move: text || move }), kind: 'bad' }, { text: t('Try again, or look at its moves.'), kind: 'quiet' }], [button(t('Show the moves'), () => this.show())]);
      this.wait();
      return;
    }
    if (!this.missed) this.right++;
    this.play(move, text, 'book');
    const all = this.moves.reduce((sum, { games }) => sum + games, 0);
    const share = known.games / Math.max(1, all);
    const rare = share < RARE && this.moves[0] ? t('The book has it, but rarely ({share}); most play {move}.', { share: percent(share, 1), move: this.moves[0].text || this.moves[0].move }) : '';
    void this.go([{ text: t('{move} is in the book.', { move: text || move }), kind: 'good' }, { text: rare || bookSaid(known) }]);
  }

  /** @param {import('./lesson.js').Said[]} said */
  finish(said) {
    this.progress = '';
    const found = this.moves.length === 0
      ? plural(this.asked, 'The book ends here: {right} of {n} move known.', 'The book ends here: {right} of {n} moves known.')
      : `${t('The line comes back to a position that it has had.')} ${plural(this.asked, '{right} of {n} move known.', '{right} of {n} moves known.')}`;
    this.say([...said, { text: found.replace('{right}', number(this.right)), kind: 'sentence' }, ...(this.wrong.length > 0 ? [{ text: t('To be learnt: {moves}', { moves: this.wrong.join('; ') }) }] : [])], [
      button(t('Once more'), () => void this.begin(this.first), { class: 'primary' }), button(t('The other side'), () => void this.begin(!this.first)),
      button(t('Keep this line and end'), () => this.keep())]);
  }

  /** Ends the lesson and leaves its line on the board. */
  keep() {
    const line = this.app.session.whole;
    this.end();
    this.app.load(line);
  }
}
