// The board with what stands around it: gauge, players and clocks, status line, controls.

import { COLOURS, shapesOf, toggleShape, withShapes } from './annotations.js';
import { askAgain, isAway } from './api.js';
import { XiangqiBoard } from './board.js';
import { button, el } from './dom.js';
import { emptyLike, firstToMove } from './fen.js';
import { GomokuBoard } from './gomoku.js';
import { iconButton } from './icons.js';
import { currentLanguage, t } from './i18n.js';
import { chances, scoreText } from './score.js';
import { loopArrows, statusText } from './status.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {XiangqiBoard | GomokuBoard} AnyBoard */

/**
 * What the controls around the board need of others.
 * @typedef {object} BoardHooks
 * @property {import('./points.js').BoardEvents['point']} point a point was chosen while editing
 * @property {import('./points.js').BoardEvents['drop']} drop
 * @property {() => boolean} mayMove whether the person may move now
 * @property {() => void} undo
 * @property {() => HTMLElement | null} ending the card of a game that is over
 * @property {() => {top: HTMLElement, bottom: HTMLElement}} plates the players with their clocks
 */

/** Draws the board of an app and keeps it up to date. */
export class BoardView {
  /** @param {App} app @param {BoardHooks} hooks */
  constructor(app, hooks) {
    this.app = app;
    this.hooks = hooks;
    this.frame = el('div', { class: 'board-frame' });
    this.gauge = el('div', { class: 'gauge', role: 'img' }, el('div', { class: 'gauge-fill' }), el('span', { class: 'gauge-text' }));
    this.status = el('div', { class: 'status', role: 'status', 'aria-live': 'polite' });
    this.live = el('div', { class: 'visually-hidden announcer', role: 'log', 'aria-live': 'polite' });
    const plates = hooks.plates();
    this.element = el('section', { class: 'board-side', 'aria-label': t('Board') }, plates.top,
      el('div', { class: 'board-row' }, this.gauge, this.frame), plates.bottom, this.status, controls(app, hooks.undo), this.live);
    this.board = this.makeBoard();
    app.on(['position', 'editing'], () => this.showPosition());
    app.on(['answer', 'play', 'editing'], () => this.showLegal());
    app.on(['answer', 'status', 'position', 'play', 'tree', 'server'], () => this.showStatus());
    app.on(['arrows', 'answer', 'position', 'style', 'editing', 'lesson'], () => this.showArrows());
    app.on(['announced'], () => this.tell());
    app.on(['proof'], () => this.showStones());
    app.on(['marks', 'position'], () => this.board.setMarks(app.marks));
    app.on(['style'], () => this.showStyle());
    app.on(['score', 'style', 'position', 'answer'], () => this.showGauge());
    this.showStyle();
    this.showPosition();
    this.showGauge();
  }

  /** @returns {AnyBoard} */
  makeBoard() {
    const { app } = this;
    const { columns, rows } = app.session.position;
    /** @type {import('./points.js').BoardEvents} */
    const events = {
      move: (from, to) => app.play(from === to ? from : from + to),
      illegal: (from, to) => this.explain(from, to),
      point: this.hooks.point,
      drop: this.hooks.drop,
      draw: (shape) => app.annotate({ comment: toggleShape(app.session.here.comment, shape) }),
      erase: () => this.erase(),
      brush: () => app.brush,
    };
    const board = app.game === 'gomoku' ? new GomokuBoard(columns, rows, events) : new XiangqiBoard(events);
    this.frame.replaceChildren(board.element);
    return board;
  }

  /** @param {string} from @param {string} to */
  explain(from, to) {
    const forbidden = this.app.answer?.forbidden?.find(({ move }) => move === to);
    if (forbidden) this.app.say(t('{point} is forbidden: {reason}', { point: to, reason: forbidden.reason }), 'error');
    else if (this.app.game === 'xiangqi') void this.app.explain(from + to);
  }

  showPosition() {
    const { app } = this;
    const position = app.session.position;
    const fits = this.board.game === app.game && this.board.columns === position.columns && this.board.rows === position.rows;
    if (!fits) {
      this.board = this.makeBoard();
      this.showStyle();
    }
    this.board.editing = app.editing;
    if (app.editing) return;
    if (this.board instanceof GomokuBoard) this.showStones();
    else this.board.setPosition(position, app.session.last, null);
    if (!app.answer) this.showGuess();
  }

  /** Draws a position that is being edited. @param {import('./fen.js').Position} position */
  showEdited(position) {
    if (this.board.columns === position.columns && this.board.rows === position.rows) this.board.setPosition(position, [], null);
  }

  /** Draws the stones of gomoku with their numbers: of the game, or of a proof. */
  showStones() {
    const { board, app: { session, settings, proof, editing } } = this;
    if (!(board instanceof GomokuBoard) || editing) return;
    const { moves, position, last } = session;
    const from = proof?.from ?? 0;
    board.setNumbers(new Map(settings.numbers || proof ? moves.slice(from).map((move, at) => [move, at + 1]) : []));
    board.setPosition(position, last, null);
    board.setNext(proof?.next ?? [], moves.length - from, position.turn);
    board.setFive(this.app.answer?.status === 'won' ? last.at(-1) ?? '' : '');
  }

  /** Lets moves be played before the server has said which are legal. */
  showGuess() {
    this.board.setLegal(this.hooks.mayMove() ? this.app.legal : []);
  }

  showLegal() {
    const { app, board } = this;
    if (app.editing) return;
    if (!app.answer) { this.showGuess(); return; }
    board.setLegal(this.hooks.mayMove() ? app.legal : []);
    if (board instanceof GomokuBoard) board.setFive(app.answer.status === 'won' ? app.session.last.at(-1) ?? '' : '');
    if (board instanceof GomokuBoard) board.setForbidden(new Map((app.answer.forbidden ?? []).map(({ move, reason }) => [move, reason])));
    else board.drawCheck(app.answer.in_check ? kingOf(app.session.position) : null);
  }

  showStatus() {
    const { app } = this;
    const away = isAway();
    const said = app.message ?? (away ? { text: t('The server does not answer; the board works meanwhile.'), kind: 'error', hint: t('Start juzhong serve again: the page goes on by itself.') } : null);
    const { text, kind } = said ?? { ...statusText(app), kind: 'info' };
    const ending = said || app.editing ? null : this.hooks.ending();
    this.status.className = `status status-${kind}`;
    this.status.replaceChildren(ending ?? el('span', {}, text));
    if (kind === 'games') this.status.append(' ', button(t('Games'), () => { app.view = 'games'; app.showPlace(true); app.emit('view'); }, { class: 'link' }));
    if (said?.hint) this.status.append(' ', el('span', { class: 'hint' }, said.hint));
    if (away) this.status.append(button(t('Try now'), () => void askAgain(), { class: 'small' }));
    if (app.session.studying) {
      this.status.append(el('span', { class: 'badge badge-study' }, t('study')),
        button(t('Back to the game'), () => app.session.backToGame(), { class: 'small' }));
    }
  }

  showArrows() {
    const { app } = this;
    const all = app.lesson ? app.arrows.get('lesson') ?? [] : app.settings.arrows ? [...app.arrows.values()].flat() : [];
    const drawn = shapesOf(app.session.here.comment).filter(({ from, to }) => this.board.has(from) && this.board.has(to));
    const own = drawn.map(({ from, to, colour }) => ({ from, to, kind: COLOURS[colour], weight: 0.5 }));
    app.shown = app.editing ? [] : [...all, ...loopArrows(app.answer), ...own];
    this.board.setArrows(app.shown);
  }

  /** Takes away the arrows and circles of the move. */
  erase() {
    const { comment } = this.app.session.here;
    if (shapesOf(comment).length > 0) this.app.annotate({ comment: withShapes(comment, []) });
  }

  /** Tells screen readers of a move that was not the person's. */
  tell() {
    const { text, move } = this.app.announced;
    const [before = '', after = ''] = text.split('{move}');
    this.live.replaceChildren(before, move && el('span', { lang: this.app.moveLanguage }, move), after);
  }

  showStyle() {
    const { settings } = this.app;
    if (this.board instanceof XiangqiBoard) this.board.setStyle(settings.set, settings.coordinates || (currentLanguage() === 'zh' ? 'chinese' : 'western'));
    this.board.setFlipped(settings.flipped);
    this.element.classList.toggle('flipped', settings.flipped);
    this.showStones();
    this.showLegal();
  }

  /** Returns what the gauge shows: the share of the first player, the value as a text, and what it comes from; null for nothing. */
  gaugeValue() {
    const { app } = this;
    const { answer, score, reviewed } = app;
    const won = ['checkmate', 'stalemate', 'won'].includes(answer?.status ?? '');
    if (won) return { share: app.firstToMove ? 0 : 1, text: app.firstToMove ? '0' : '1', from: t('the end of the game') };
    if (answer?.status === 'drawn') return { share: 0.5, text: '½', from: t('the end of the game') };
    if (app.lesson) return null;
    if (score) return { share: chances(score), text: scoreText(score, 1), from: score.table ? t('endgame tables') : t('the engine') };
    return reviewed && { share: reviewed.share, text: scoreText(reviewed.score, 1), from: t('the review') };
  }

  showGauge() {
    const value = this.gaugeValue();
    const fill = /** @type {HTMLElement} */ (this.gauge.firstElementChild);
    const text = /** @type {HTMLElement} */ (this.gauge.lastElementChild);
    this.gauge.classList.toggle('gauge-none', !value);
    fill.style.height = `${((value?.share ?? 0) * 100).toFixed(1)}%`;
    text.textContent = value?.text ?? '';
    text.classList.toggle('gauge-text-low', (value?.share ?? 0) >= 0.5);
    const values = { score: value?.text ?? '', from: value?.from ?? '' };
    const side = !value ? t('No value: neither engine, review nor tables say one') : this.app.game === 'xiangqi' ? t('Value for Red: {score}, by {from}', values) :
      t('Value for Black: {score}, by {from}', values);
    this.gauge.setAttribute('aria-label', side);
    this.gauge.title = side;
  }
}

/** Returns the point of the king of the side to move. @param {import('./fen.js').Position} position */
function kingOf(position) {
  const king = firstToMove(position) ? 'K' : 'k';
  return [...position.men].find(([, man]) => man === king)?.[0] ?? null;
}

/** @param {App} app @param {() => void} undo */
function controls(app, undo) {
  /** @param {import('./icons.js').Icon} icon @param {string} label @param {() => void} act @param {string} key */
  const control = (icon, label, act, key) => iconButton(icon, label, act, { title: key ? `${label} (${key})` : label, class: 'control' });
  const setup = control('edit', t('Set up a position'), () => app.setEditing(!app.editing), '');
  app.on(['editing'], () => setup.setAttribute('aria-pressed', String(app.editing)));
  return el('div', { class: 'controls', role: 'toolbar', 'aria-label': t('Moves of the game') },
    control('first', t('To the start'), () => app.session.toStart(), 'Home'),
    control('back', t('Previous move'), () => app.session.step(-1), '←'),
    control('next', t('Next move'), () => app.session.step(1), '→'),
    control('last', t('To the end'), () => app.session.toEnd(), 'End'),
    el('span', { class: 'gap' }),
    control('undo', t('Undo'), undo, 'u'),
    control('redo', t('Redo'), () => app.session.redo(), 'r'),
    el('span', { class: 'gap' }),
    control('flip', t('Flip board'), () => app.change({ flipped: !app.settings.flipped }), 'f'),
    setup,
    control('plus', t('New game'), () => newGame(app), 'n'));
}

/** Puts the start on the board. @param {App} app */
export function newGame(app) {
  app.setEditing(false);
  const start = app.game === 'gomoku' ? emptyLike(app.session.start) : '';
  app.load({ start });
}
