// Playing against the engine: whose turn it is, clocks, hints, the end of the game.

import { isAway, post } from './api.js';
import { Autosave, newGameId } from './autosave.js';
import { explainError } from './app.js';
import { byEngine, hasEngines, OWN, sayLost } from './engines.js';
import { firstToMove, parse, pointsOf } from './fen.js';
import { t } from './i18n.js';
import { readScore, scoreText, forFirst } from './score.js';
import { howText, resultHere, verdictText, wins } from './status.js';
import { samePath } from './tree.js';

/** @typedef {import('./app.js').App} App */
/** A person, `human`, or the name of an engine. @typedef {string} Player */
/** @typedef {{on: boolean, first: Player, second: Player, clock: [number, number], perfect: boolean, id: string}} KeptPlay */

/** A game that is being played, on one board of an app. */
export class Play {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** The game that is followed, by its name in this browser. */
    this.of = '';
    /** The position whose best move is awaited. */
    this.pending = '';
    this.on = false;
    /** @type {Player} */
    this.first = 'human';
    /** @type {Player} */
    this.second = OWN;
    /** Milliseconds left to the first and the second player. @type {[number, number]} */
    this.clock = [0, 0];
    /** Whether the tables answer at full strength, whatever the level. */
    this.perfect = false;
    this.thinking = false;
    /** Says how the last game ended, in the language in force. @type {(() => string) | null} */
    this.ended = null;
    /** The engine that failed to move, and why. @type {{engine: string, text: string} | null} */
    this.failed = null;
    this.stamp = 0;
    /** @type {AbortController | null} */
    this.asking = null;
    this.saver = new Autosave(app);
    window.setInterval(() => this.tick(), 200);
  }

  /** Follows the happenings of the app. */
  attach() {
    this.app.on(['answer', 'position', 'server'], () => this.follow());
    this.app.on(['leave'], () => this.suspend());
  }

  /** Whether the place on the board is the end of the game being played. */
  get atEnd() {
    const { live, path, studying } = this.app.session;
    return live !== null && !studying && samePath(live, path);
  }

  /** Whether the first player is to move in the game being played. */
  get firstToMove() {
    const { game, start, live, path } = this.app.session;
    return firstToMove(parse(game, start) ?? { turn: 'w' }) === ((live ?? path).length % 2 === 0);
  }

  /** Whether a person may move on the board now. */
  get mayMove() {
    return !this.on || !this.atEnd || this.mover === 'human';
  }

  /** Who is to move in the game being played. */
  get mover() {
    return this.firstToMove ? this.first : this.second;
  }

  get timed() {
    return this.on && this.app.settings.minutes > 0;
  }

  /** Begins a game from the position on the board. @param {Player} first @param {Player} second @param {boolean} perfect */
  begin(first, second, perfect) {
    const { app } = this;
    // A game that is over begins again from its start.
    if (resultHere(app) !== null && app.session.moves.length > 0) app.load({ start: app.session.start });
    this.of = app.session.id;
    this.first = first;
    this.second = second;
    this.perfect = perfect;
    this.on = true;
    this.ended = null;
    this.failed = null;
    this.saver.id = newGameId();
    const full = app.settings.minutes * 60000;
    this.clock = [full, full];
    this.stamp = Date.now();
    app.session.left = null;
    app.session.live = app.session.path;
    app.session.result = '*';
    app.session.tags = { Date: new Date().toLocaleDateString('sv').replaceAll('-', '.'), ...this.names() };
    app.change({ flipped: first !== 'human' && second === 'human' });
    this.changed();
    app.emit('tree');
    this.follow();
  }

  /** @returns {Record<string, string>} */
  names() {
    const name = (/** @type {Player} */ player) => player === 'human' ? t('You') : this.nameOf(player);
    const [first, second] = this.app.game === 'gomoku' ? ['Black', 'White'] : ['Red', 'Black'];
    return { [first ?? '']: name(this.first), [second ?? '']: name(this.second) };
  }

  /** Returns the name of an engine with its strength. @param {string} engine */
  nameOf(engine) {
    const { settings } = this.app;
    if (engine === OWN && this.perfect) return t('Tables');
    if (engine === OWN) return t(hasEngines(this.app) ? 'juzhong, level {level}' : 'Engine, level {level}', { level: settings.level });
    const strength = settings.strengths[engine];
    return strength === undefined ? engine : t('{name}, strength {n}', { name: engine, n: strength });
  }

  /** Gives a side to an engine or to a person. @param {boolean} first @param {Player} player */
  setSide(first, player) {
    if (first) this.first = player;
    else this.second = player;
    this.failed = null;
    this.silence();
    this.rename();
    this.changed();
    this.follow();
  }

  /** Names the players anew. */
  rename() {
    const { session } = this.app;
    session.tags = { ...session.tags, ...this.names() };
    this.app.emit('tree');
  }

  /** Lets the own engine take the place of one that failed. */
  replaceFailed() {
    const engine = this.failed?.engine;
    if (this.first === engine) this.first = OWN;
    if (this.second === engine) this.second = OWN;
    this.tryAgain();
    this.rename();
  }

  /** Asks once more for the move that did not come. */
  tryAgain() {
    this.failed = null;
    this.changed();
    this.follow();
  }

  /** Gives the sides of engines that the server has no more to its own. */
  leaveLost() {
    const lost = [...new Set([this.first, this.second])].filter((player) => player !== 'human' && player !== OWN && !this.app.meta.engines?.includes(player));
    if (lost.includes(this.first)) this.first = OWN;
    if (lost.includes(this.second)) this.second = OWN;
    if (lost.length === 0 || !this.on) return;
    this.rename();
    sayLost(this.app, lost.join(', '));
  }

  /** What is to be said of the end of the last game while it is on the board. */
  get endText() {
    return this.ended && this.app.session.result !== '*' ? this.ended() : '';
  }

  /** Whether the players that the board names are those of the game that is played or was played last. */
  namesHere() {
    const { tags, result } = this.app.session;
    const ours = this.on || (this.ended !== null && result !== '*');
    return ours && Object.entries(this.names()).every(([side, name]) => tags[side] === name);
  }

  /** Plays once more from where the last game began, with the sides exchanged. */
  rematch() {
    const { session } = this.app;
    const { first, second, perfect } = this;
    this.app.load({ start: session.start });
    this.begin(second, first, perfect);
  }

  /** Ends the game. @param {string} result @param {() => string} how says how it ended */
  end(result, how) {
    const { session } = this.app;
    this.silence();
    this.on = false;
    this.failed = null;
    this.ended = how;
    session.result = result;
    session.live = null;
    session.opened = true;
    this.saver.later();
    this.app.announce(how());
    this.app.emit('tree');
    this.changed();
  }

  /** Stops for a while: another game comes on the board. */
  suspend() {
    if (!this.on) return;
    this.keep();
    void this.saver.save();
    this.silence();
    this.on = false;
    this.of = '';
    this.saver.id = '';
  }

  /** Gives up a search for a move that is no longer wanted. */
  silence() {
    this.asking?.abort();
    this.asking = null;
    this.thinking = false;
  }

  /** Ends playing without a result: the board is free again. */
  leave() {
    this.silence();
    this.on = false;
    this.failed = null;
    this.saver.id = '';
    this.app.session.live = null;
    this.changed();
  }

  resign() {
    const first = this.first === 'human' && (this.second !== 'human' || this.firstToMove);
    const { game } = this.app;
    this.end(first ? '0-1' : '1-0', () => game === 'xiangqi' && first ? t('Red resigns.') :
      first || game === 'xiangqi' ? t('Black resigns.') : t('White resigns.'));
  }

  changed() {
    this.keep();
    this.app.emit('play');
  }

  keep() {
    const { on, first, second, clock, perfect, saver } = this;
    this.app.session.playing = on ? { on, first, second, clock, perfect, id: saver.id } : null;
    this.app.keep();
  }

  /** Keeps the clocks as they stand. */
  keepNow() {
    if (this.on) this.keep();
  }

  /** Goes on with a game that a reload or another game interrupted. */
  resume() {
    const { session } = this.app;
    const kept = session.playing;
    const on = Boolean(kept?.on && session.live);
    this.silence();
    Object.assign(this, { of: session.id, on, failed: null, ended: null, stamp: Date.now() });
    this.saver.id = on ? kept?.id ?? '' : '';
    if (on) Object.assign(this, { first: kept?.first, second: kept?.second, clock: kept?.clock, perfect: kept?.perfect });
    this.app.emit('play');
  }

  follow() {
    if (this.of !== this.app.session.id) this.resume();
    if (!this.on) return;
    if (!this.app.session.live) { this.leave(); return; }
    if (!this.atEnd) return;
    this.keep();
    if (this.app.session.moves.length > 0) this.saver.later();
    const { answer } = this.app;
    if (!answer) return;
    if (answer.status !== 'ongoing' || answer.verdict !== 'none') { this.finish(answer); return; }
    if (this.mover !== 'human' && !this.thinking && !this.failed) void this.think();
  }

  /** @param {import('./app.js').Answer} answer */
  finish(answer) {
    const verdict = answer.verdict.replaceAll('_', ' ');
    const draw = answer.status === 'drawn' || verdict === 'draw';
    const mated = ['checkmate', 'stalemate', 'won'].includes(answer.status);
    const first = mated ? !this.app.firstToMove : verdict === 'red wins' || verdict === 'black loses';
    const how = () => howText(answer) || verdictText(answer);
    if (draw) this.end('1/2-1/2', how);
    else this.end(first ? '1-0' : '0-1', how);
  }

  async think() {
    const { app } = this;
    const session = app.session;
    const engine = this.mover;
    const asking = new AbortController();
    this.asking = asking;
    this.thinking = true;
    app.emit('play');
    try {
      const reply = await this.ask({}, engine, asking.signal);
      if (this.asking !== asking || !this.on || app.session !== session) return;
      this.silence();
      this.take(reply);
    } catch (error) {
      if (this.asking !== asking) return;
      this.silence();
      // The server is asked again when it is back.
      if (!isAway()) this.failed = { engine, text: explainError(error).filter(Boolean).join(' ') };
      app.fail(error);
    }
    app.emit('play');
  }

  /** Plays the engine's move at the end of the game, wherever the board stands. @param {{move: string, text?: string, source?: string, score?: unknown}} reply */
  take(reply) {
    const { session } = this.app;
    this.press();
    if (!this.atEnd) {
      if (session.studying || !session.live) return;
      session.path = session.live;
    }
    const name = this.nameOf(this.mover);
    session.play(reply.move, { text: reply.text ?? '', source: reply.source ?? '' });
    this.app.announce(t('{name} plays {move}.', { name }), reply.text || reply.move);
  }

  /** Returns how an engine of the game looks for its move. @param {string} engine @returns {Record<string, unknown>} */
  manner(engine) {
    const { settings, meta } = this.app;
    const movetime = Math.round(settings.moveSeconds * 1000);
    if (engine === OWN) return { movetime, level: this.perfect ? meta.engine.levels[1] : settings.level };
    const strength = settings.strengths[engine];
    return { ...(settings.moveDepth > 0 ? { depth: settings.moveDepth } : { movetime }), ...(strength === undefined ? {} : { strength }) };
  }

  /** Asks for an engine's move. @param {Record<string, unknown>} parts @param {string} [engine] @param {AbortSignal} [signal] @returns {Promise<any>} */
  ask(parts, engine = OWN, signal = undefined) {
    const { settings, session } = this.app;
    const { fen, moves, game } = session.query;
    const { app } = this;
    app.searching++;
    app.emit('play');
    const body = { game: game || 'xiangqi', fen: fen || 'startpos', moves, ...byEngine(this.app, engine), ...this.manner(engine),
      book: settings.useBook && !this.perfect, tables: settings.useTables || this.perfect, notation: settings.notation, ...parts };
    return post('/api/move', body, {}, signal).finally(() => {
      app.searching--;
      app.emit('play');
    });
  }

  /** Asks for the best move of the position on the board; null if another one is there by then. */
  async bestHere() {
    const { app } = this;
    const place = () => `${app.game} ${app.session.start} ${app.session.moves.join(',')}`;
    const asked = place();
    if (this.pending === asked || app.answer && app.answer.status !== 'ongoing') return null;
    this.pending = asked;
    try {
      const reply = await this.ask({ level: app.meta.engine.levels[1], book: true, tables: true });
      return place() === asked ? reply : null;
    } finally {
      if (this.pending === asked) this.pending = '';
    }
  }

  /** Shows a good move. */
  async hint() {
    try {
      const reply = await this.bestHere();
      if (!reply) return;
      const [from = '', to] = pointsOf(reply.move);
      this.app.setArrows('hint', [{ from, to: to ?? from, kind: 'hint', weight: 0.8 }]);
      const score = readScore(reply.score);
      this.app.say(t('Hint: {move}', { move: reply.text || reply.move }) + (score ? ` (${scoreText(forFirst(score, this.app.firstToMove))})` : ''));
    } catch (error) {
      this.app.fail(error);
    }
  }

  /** Plays the best move that book, tables or engine know. */
  async best() {
    try {
      const reply = await this.bestHere();
      if (reply) this.app.session.play(reply.move, { text: reply.text ?? '', source: reply.source ?? '' });
    } catch (error) {
      this.app.fail(error);
    }
  }

  /** Takes moves back until a person is to move. */
  takeBack() {
    const { session } = this.app;
    this.silence();
    const live = session.live ?? session.path;
    const both = this.mover === 'human' && (this.first !== 'human' || this.second !== 'human') && live.length > 1;
    const first = live.length - (both ? 2 : 1);
    if (first < 0) return;
    this.failed = null;
    session.live = live.slice(0, first);
    session.path = live;
    session.remove(live.slice(0, first + 1));
    session.live = session.path;
    this.changed();
    this.follow();
  }

  /** Offers a draw; the engine takes it when it does not stand better. */
  async offerDraw() {
    if (this.first === 'human' && this.second === 'human') { this.end('1/2-1/2', () => t('Draw by agreement.')); return; }
    this.app.say(t('The engine thinks about the offer …'), 'busy');
    try {
      const reply = await this.judge();
      const score = readScore(reply.score);
      const mine = this.mover === 'human' ? score?.cp ?? 0 : -(score?.cp ?? 0);
      if (mine > -30 && !score?.mate) this.end('1/2-1/2', () => t('Draw by agreement.'));
      else this.app.say(t('The engine declines the draw.'));
    } catch (error) {
      this.app.fail(error);
    }
  }

  /** Asks the opponent, or the own engine at its best, how the game stands. */
  judge() {
    const other = this.mover === this.first ? this.second : this.first;
    const own = other === 'human' || other === OWN;
    return own ? this.ask({ level: this.app.meta.engine.levels[1], book: false }) : this.ask({ book: false }, other);
  }

  /** Adds the increment to the side that moved. */
  press() {
    if (!this.timed) return;
    const side = this.firstToMove ? 0 : 1;
    this.clock[side] += this.app.settings.increment * 1000;
  }

  tick() {
    const now = Date.now();
    const spent = now - this.stamp;
    this.stamp = now;
    if (!this.timed || this.failed || isAway() || this.app.session.studying || !this.app.session.live) return;
    const side = this.firstToMove ? 0 : 1;
    this.clock[side] = Math.max(0, this.clock[side] - spent);
    this.app.emit('score');
    if (this.clock[side] === 0) this.end(side === 0 ? '0-1' : '1-0', () => t('{winner} on time.', { winner: wins(this.app, side === 1) }));
  }
}
