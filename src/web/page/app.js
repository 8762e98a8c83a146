// The state of the page and what happens to it. Panels listen; none knows another.

import { addressOf, readAddress, showAddress } from './address.js';
import { get, isAway, onConnection, onWork, Problem } from './api.js';
import { emptyState, whenLeft } from './dom.js';
import { firstToMove, parse, pointsOf, START, write } from './fen.js';
import { ALL_GAMES, writeGameQuery } from './gamequery.js';
import { currentLanguage, moveLanguage, t } from './i18n.js';
import { Session } from './session.js';
import { loadSettings, saveSettings } from './settings.js';
import { keepGame, keptGame } from './store.js';
import * as tree from './tree.js';

/** @typedef {import('./fen.js').GameName} GameName */
/** @typedef {import('./points.js').Arrow} Arrow */
/** @typedef {import('./address.js').View} View */
/** @typedef {'position' | 'answer' | 'tree' | 'status' | 'arrows' | 'marks' | 'tab' | 'view' | 'editing' | 'style' | 'play' | 'score' | 'press' | 'proof' | 'lesson' | 'announced' | 'made' | 'leave' | 'server' | 'busy'} Happening */

/**
 * What the server says of the position on the board.
 * @typedef {object} Answer
 * @property {string} fen
 * @property {boolean} in_check
 * @property {string[]} legal_moves
 * @property {string[]} [legal_texts]
 * @property {{move: string, reason: string}[]} [forbidden]
 * @property {string} status
 * @property {string} verdict
 * @property {string | null} reason
 * @property {string[]} [reasons]
 * @property {Loop} [loop]
 * @property {LoopMove[]} [moves]
 */

/** @typedef {{occurrences?: number, verdict?: string, reason?: string | null, moves?: LoopMove[]}} Loop */
/** @typedef {{man?: string, at: string}} ManAt */
/** @typedef {{ply?: number, side?: string, man?: string, move: string, text?: string, by?: string, checks?: ManAt[], chases?: ManAt[]}} LoopMove */

/** @typedef {{name: string, games: number, positions: number, writable: boolean}} BookInfo */
/** @typedef {{sets: number, rules: string, metric: string, men?: number, largest?: number}} TablesInfo */
/** @typedef {{books: BookInfo[], tables: TablesInfo | null, engines?: string[]}} GameInfo */

/**
 * What the server has.
 * @typedef {object} Meta
 * @property {string} version
 * @property {GameInfo} xiangqi
 * @property {GameInfo} gomoku
 * @property {{folders: number} | null} library
 * @property {{evaluation: string, threads: number, hash_mib: number, levels: [number, number], usual?: string | null}} engine
 * @property {string[]} [engines] names of engines of other programs
 * @property {boolean} [reviews_by_engines] whether reviews take one of them
 * @property {boolean} writes
 * @property {boolean} [train] whether it has exercises
 * @property {boolean} [autosave] whether it keeps games on disk
 * @property {{making: boolean, error?: string}} [built_in] the book and the tables that the program makes for a server that is given none
 * @property {boolean} [local] whether there is no server: the browser answers by itself
 */

/** @type {Meta} */
const NOTHING = {
  version: '', xiangqi: { books: [], tables: null }, gomoku: { books: [], tables: null }, library: null,
  engine: { evaluation: 'network', threads: 1, hash_mib: 0, levels: [1, 10] }, writes: false,
};

/** The moves at a place whose texts are asked for one at a time, and those after a move whose texts are asked for with its own. */
const FEW = 3;
const AHEAD = 300;

/** The state of the page. */
export class App {
  constructor() {
    this.settings = loadSettings();
    /** @type {Meta} */
    this.meta = NOTHING;
    /** @type {View} */
    this.view = 'board';
    this.tab = 'moves';
    /** The tab that is open at first. */
    this.home = 'moves';
    /** The set of tables that is looked at. */
    this.set = '';
    /** @type {Record<GameName, Session>} */
    this.sessions = { xiangqi: new Session('xiangqi', () => this.moved()), gomoku: new Session('gomoku', () => this.moved()) };
    /** @type {GameName} */
    this.game = 'xiangqi';
    /** @type {Answer | null} */
    this.answer = null;
    /** @type {Map<string, readonly Arrow[]>} */
    this.arrows = new Map();
    /** @type {ReadonlyMap<string, string>} */
    this.marks = new Map();
    /** @type {{text: string, kind: 'info' | 'error' | 'busy' | 'games', hint?: string} | null} */
    this.message = null;
    /** Since which ply stones are numbered, and the stones that a proof goes on with. @type {{from: number, next: readonly string[]} | null} */
    this.proof = null;
    this.timer = 0;
    /** The value that the gauge shows, for the first player. @type {import('./score.js').Score | null} */
    this.score = null;
    /** The value of a review, which the gauge shows where there is no other. @type {{share: number, score: import('./score.js').Score} | null} */
    this.reviewed = null;
    /** The lesson that is going on: it takes the moves of the person. @type {import('./teach/lesson.js').Lesson | null} */
    this.lesson = null;
    this.editing = false;
    /** The arrows on the board, of all kinds. @type {readonly Arrow[]} */
    this.shown = [];
    /** What screen readers are told. */
    this.announced = { text: '', move: '' };
    /** The colour that the main button draws with; empty: it moves men. @type {import('./annotations.js').Colour | ''} */
    this.brush = '';
    /** @type {Map<string, Answer>} */
    this.answers = new Map();
    /** @type {Map<Happening, (() => void)[]>} */
    this.listeners = new Map();
    this.filling = false;
    /** The tree whose texts the server could not give. @type {tree.Node | null} */
    this.stuck = null;
    /** What the rules allow, as far as they are known here. @type {typeof import('./rules.js') | null} */
    this.rules = null;
    /** Whether the way back is to lead to the place before. */
    this.stepping = false;
    /** Whether the address stays as it is. */
    this.keepAddress = false;
    /** How many searches for a move run beside the analysis. */
    this.searching = 0;
    /** @type {AbortController | null} */
    this.asking = null;
    /** What the list of the library shows. */
    this.list = { ...ALL_GAMES };
    /** The game of the library that the address names, with its tree and the number of moves in it, once it is open. @type {{key: string, id: string, root: import('./tree.js').Node | null, size: number} | null} */
    this.linked = null;
    /** Opens the game of the library that the address names. @type {(() => void) | null} */
    this.openLinked = null;
    /** Opens a game of the library at a position. @type {((id: string, fen: string) => void) | null} */
    this.openGame = null;
    onConnection((meta) => this.followServer(meta));
    onWork(() => this.emit('busy'));
    /** Returns the way to a move that is seen and has no text. @type {() => tree.Path | null} */
    this.unread = () => null;
  }

  /** The game on the board. */
  get session() {
    return this.sessions[this.game];
  }

  /** Whether the server has said what it has. */
  get informed() {
    return this.meta !== NOTHING;
  }

  /**
   * Returns a box that says what is missing, with the command of a server that has it; without a server, that it needs one.
   * @param {string} text @param {string} command
   */
  missing(text, command) {
    return this.meta.local ? emptyState(NEEDS_SERVER(), 'juzhong serve') : emptyState(text, command);
  }

  /** Whether the first player is to move. */
  get firstToMove() {
    return firstToMove(this.session.position);
  }

  /** Calls a function whenever something happens. @param {readonly Happening[]} happenings @param {() => void} call */
  on(happenings, call) {
    for (const happening of happenings) {
      this.listeners.set(happening, [...(this.listeners.get(happening) ?? []), call]);
    }
  }

  /** @param {Happening} happening */
  emit(happening) {
    for (const call of this.listeners.get(happening) ?? []) call();
  }

  /** Forgets all listeners, before the page is built again. */
  forgetListeners() {
    this.listeners.clear();
  }

  /** Follows a change of the place or the tree of the game on the board. */
  moved() {
    this.arrows.clear();
    this.message = null;
    this.score = null;
    this.reviewed = null;
    this.answer = this.answers.get(this.answerKey()) ?? null;
    this.keep();
    this.showPlace(this.stepping);
    this.emit('position');
    this.emit('tree');
    if (this.answer) this.emit('answer');
    else void this.ask();
    void this.fillTexts();
  }

  /** Keeps the game on the board, its place and how it is played; not what a lesson has put in its place. */
  keep() {
    if (!this.lesson?.before) keepGame(this.session);
  }

  /** Returns whether the game on the board is still that of the library: no move was added to it or taken from it. */
  isLinked() {
    const { linked, session: { id, root } } = this;
    if (!linked) return false;
    if (linked.root && linked.id !== id) {
      this.linked = null;
      return false;
    }
    if (linked.root && linked.root !== root) {
      if (tree.count(root) !== linked.size) {
        this.linked = null;
        return false;
      }
      linked.root = root;
    }
    return true;
  }

  /** Names the game on the board as one of the library. @param {string} key */
  link(key) {
    const { id, root } = this.session;
    this.linked = { key, id, root, size: tree.count(root) };
  }

  /** Shows the place in the address. @param {boolean} step */
  showPlace(step) {
    if (this.keepAddress) return;
    const { game, start, moves } = this.session;
    const tab = this.tab === this.home ? '' : this.tab;
    const part = this.view === 'tables' ? this.set : this.view === 'board' ? tab : '';
    const linked = this.view === 'board' && this.isLinked() ? `&library=${this.linked?.key}` : '';
    const more = this.view === 'games' ? writeGameQuery(this.list) : linked;
    showAddress(addressOf(this.view, part, game, start, moves, more), step, this.session.id);
  }

  /** The moves that may be played on the board: the server's, or until it answers those that the page knows of. */
  get legal() {
    const { answer, rules, session } = this;
    if (answer) return answer.status === 'ongoing' ? answer.legal_moves : [];
    return rules?.legalMoves(this.game, session.position, isAway()) ?? [];
  }

  answerKey() {
    return [this.game, this.settings.notation, this.session.start, ...this.session.moves].join(' ');
  }

  /** Asks the server what may be played. */
  async ask() {
    this.asking?.abort();
    const asking = new AbortController();
    this.asking = asking;
    const key = this.answerKey();
    try {
      const answer = await get('/api/legal', { ...this.session.query, notation: this.settings.notation }, asking.signal);
      this.remember(key, answer);
    } catch (error) {
      if (!asking.signal.aborted) this.fail(error);
    }
  }

  /** @param {string} key @param {Answer} answer */
  remember(key, answer) {
    if (this.answers.size > 400 || key.length * this.answers.size > 4_000_000) this.answers.clear();
    this.answers.set(key, answer);
    if (key !== this.answerKey()) return;
    this.answer = answer;
    this.emit('answer');
  }

  /** Forgets what the server said, when the language changes. */
  forgetAnswers() {
    this.answers.clear();
    this.answer = null;
  }

  /** Plays a move on the board. @param {string} move @param {string} [source] */
  play(move, source = '') {
    const at = this.answer?.legal_moves.indexOf(move) ?? -1;
    if (this.answer && at < 0) return;
    const text = this.answer?.legal_texts?.[at] ?? '';
    if (!this.lesson) this.session.play(move, { text, source });
    else if (this.lesson.waits) this.lesson.take(move, text);
  }

  /**
   * Plays a line to its end, a move at a time, as a branch of the tree.
   * @param {readonly {move: string, text?: string}[]} moves @param {string} source @param {() => void} [done]
   */
  playLine(moves, source, done) {
    this.halt();
    const { session } = this;
    let at = 0;
    const step = () => {
      const move = this.session === session ? moves[at++] : undefined;
      if (move) session.play(move.move, { text: move.text ?? '', source });
      if (!move || at >= moves.length) { this.halt(); done?.(); }
    };
    this.timer = window.setInterval(step, 650);
    step();
  }

  /** Stops a line that is being played. */
  halt() {
    clearInterval(this.timer);
  }

  /** Changes annotations of the move on the board; whatever searches goes on. @param {Partial<tree.Node>} parts */
  annotate(parts) {
    this.session.annotate(this.session.path, parts);
    this.keep();
    this.emit('tree');
    this.emit('arrows');
  }

  /** Says a text to screen readers only. @param {string} text @param {string} [move] in the notation in force */
  announce(text, move = '') {
    this.announced = { text, move };
    this.emit('announced');
  }

  /** Returns the language of a move as it is written, where it is not that of the page. */
  get moveLanguage() {
    return this.game === 'xiangqi' ? moveLanguage(this.settings.notation) : null;
  }

  /** Says why a move is illegal. @param {string} move */
  async explain(move) {
    try {
      await get('/api/read', { ...this.session.query, text: move });
    } catch (error) {
      this.say(error instanceof Problem ? reasonOf(error.message) : String(error), 'error');
    }
  }

  /** Plays a move written in any notation. @param {string} text @returns {Promise<boolean>} */
  async playText(text) {
    try {
      const { move } = await get('/api/read', { ...this.session.query, text, notation: this.settings.notation });
      this.play(move);
      return true;
    } catch (error) {
      this.fail(error);
      return false;
    }
  }

  /** Fills in the texts of the moves that are seen and have none in the notation in force. */
  async fillTexts() {
    const session = this.session;
    if (session.game === 'gomoku' || this.filling || this.stuck === session.root) return;
    this.filling = true;
    for (let path = this.unread(); path && session === this.session; path = this.unread()) {
      const filled = await this.fillLine(session, path);
      if (!filled) this.stuck = session.root;
      this.emit('tree');
      if (!filled) break;
    }
    this.filling = false;
  }

  /** Asks for the texts of a move and of those beside it or after it; returns whether there are any now. @param {Session} session @param {tree.Path} path */
  async fillLine(session, path) {
    const before = tree.nodeAt(session.root, path.slice(0, -1));
    const node = tree.nodeAt(session.root, path);
    const { notation } = this.settings;
    try {
      const [nodes, textOf] = await (before.children.length > FEW ? this.textsBeside(session, path) : this.textsAlong(session, path));
      if (notation === this.settings.notation) session.fill(nodes, textOf);
      return node.text !== '' || notation !== this.settings.notation;
    } catch {
      return false;
    }
  }

  /** @typedef {[readonly tree.Node[], (node: tree.Node, at: number) => string | undefined]} Texts */

  /** Returns the texts of all moves at the place of one. @param {Session} session @param {tree.Path} path @returns {Promise<Texts>} */
  async textsBeside(session, path) {
    const line = tree.lineTo(session.root, path.slice(0, -1));
    const { notation } = this.settings;
    const { children } = line.at(-1) ?? session.root;
    const answer = await get('/api/legal', { ...session.lineQuery(line.map(({ move }) => move), 0), notation });
    const texts = new Map(answer.legal_moves.map((/** @type {string} */ move, /** @type {number} */ at) => [move, answer.legal_texts?.[at]]));
    return [children, ({ move }) => texts.get(move)];
  }

  /** Returns the texts of a move and of some of the moves around it in its line. @param {Session} session @param {tree.Path} path @returns {Promise<Texts>} */
  async textsAlong(session, path) {
    const node = tree.nodeAt(session.root, path);
    const line = [...tree.lineTo(session.root, path), ...tree.mainLine(node).slice(0, AHEAD)];
    const { notation } = this.settings;
    const moves = line.map(({ move }) => move);
    const query = session.lineQuery(moves, moves.length - path.length + 1);
    const answer = await get('/api/line', { ...query, notation });
    return [line.slice(path.length - 1), (_, at) => answer.moves[at]?.text];
  }

  /** Changes the notation of all texts. @param {import('./settings.js').Settings['notation']} notation */
  setNotation(notation) {
    this.change({ notation, notationChosen: true });
    this.session.forgetTexts();
    this.moved();
  }

  /** Writes moves as the language in force does, unless somebody chose a notation. */
  followLanguage() {
    const notation = currentLanguage() === 'zh' ? 'chinese' : 'wxf';
    if (this.settings.notationChosen || this.settings.notation === notation) return;
    this.settings.notation = notation;
    for (const session of Object.values(this.sessions)) session.forgetTexts();
  }

  /** Puts a game on the board; undo, the way back and the list of games bring back the one that was there. @param {Partial<import('./session.js').Whole>} parts */
  load(parts) {
    this.setLesson(null);
    this.emit('leave');
    if (!this.session.blank) this.keep();
    this.linked = null;
    // The way back leads to the game that was there, or to the list that this one was chosen from.
    this.stepping = !this.session.blank || readAddress().view !== this.view;
    this.session.load(parts);
    this.stepping = false;
  }

  /** Puts a game that is kept in the browser on the board. @param {string} id @returns {Promise<boolean>} whether there is such a game */
  async bring(id) {
    if (this.lesson?.before) this.setLesson(null);
    if (this.session.id === id) return true;
    const known = [...this.session.history.past, ...this.session.history.future].findLast((whole) => whole.id === id);
    const kept = known ?? await keptGame(id);
    if (kept) this.load(kept);
    return Boolean(kept);
  }

  /** Puts a position on the board. @param {string} fen @returns {boolean} */
  loadFen(fen) {
    const position = parse(this.game, fen);
    if (!position) return false;
    this.load({ start: write(this.game, position) });
    return true;
  }

  /** Puts a line of moves on the board. @param {string} fen @param {readonly string[]} moves @param {number} [at] plies to the place */
  loadLine(fen, moves, at = moves.length) {
    const start = fen && parse(this.game, fen) ? fen : START[this.game];
    const place = tree.addLine(tree.node(), [], moves);
    this.load({ start, root: place.root, path: place.path.slice(0, at) });
  }

  /** Returns the position on the board as text: the server's, or what drawing knows. */
  fen() {
    return this.answer?.fen ?? write(this.game, this.session.position);
  }

  /** Changes settings. @param {Partial<import('./settings.js').Settings>} parts */
  change(parts) {
    Object.assign(this.settings, parts);
    saveSettings(this.settings);
    this.emit('style');
  }

  /** Says something in the line under the board. @param {string} text @param {'info' | 'error' | 'busy' | 'games'} [kind] @param {string} [hint] */
  say(text, kind = 'info', hint = '') {
    this.message = text ? { text, kind, hint } : null;
    this.emit('status');
  }

  /** Says what went wrong. @param {unknown} error */
  fail(error) {
    const [text, hint] = explainError(error);
    if (error instanceof DOMException && error.name === 'AbortError') { this.say(text); return; }
    // That the server is away is said for as long as it is.
    if (isAway()) this.emit('status');
    else this.say(text, 'error', hint);
  }

  /** Follows the server: says that it is away, and asks everything again when it is back. @param {Meta | null} meta */
  followServer(meta) {
    if (!meta) { this.emit('status'); return; }
    this.meta = meta;
    this.stuck = null;
    this.emit('server');
    this.moved();
    this.emit('view');
  }

  /** Shows arrows of one kind on the board. @param {string} kind @param {readonly Arrow[]} arrows */
  setArrows(kind, arrows) {
    if (arrows.length === 0 && !this.arrows.has(kind)) return;
    this.arrows.set(kind, arrows);
    this.emit('arrows');
  }

  /** Shows a move while the mouse or the focus is on it. @param {string} move @param {boolean} on */
  hover(move, on) {
    const [from, to] = pointsOf(move);
    this.setArrows('hover', on && from ? [{ from, to: to ?? from, kind: 'hover', weight: 0.5 }] : []);
  }

  /** Returns what a button needs to show its move. @param {string} move */
  hovers(move) {
    const on = () => this.hover(move, true);
    const off = () => this.hover(move, false);
    const onmouseenter = (/** @type {MouseEvent} */ event) => { on(); whenLeft('arrow', event.currentTarget, off); };
    return { onmouseenter, onfocus: on, onblur: off, lang: this.moveLanguage };
  }

  /** Shows short texts at points of the board. @param {ReadonlyMap<string, string>} marks */
  setMarks(marks) {
    if (marks.size === 0 && this.marks.size === 0) return;
    this.marks = marks;
    this.emit('marks');
  }

  /** Shows a proof on the stones. @param {App['proof']} proof */
  setProof(proof) {
    if (!proof && !this.proof) return;
    this.proof = proof;
    this.emit('proof');
  }

  /** Shows a value in the gauge. @param {import('./score.js').Score | null} score for the first player */
  setScore(score) {
    this.score = score;
    this.emit('score');
  }

  /** Shows the value that a review has for the position on the board. @param {App['reviewed']} reviewed */
  setReviewed(reviewed) {
    this.reviewed = reviewed;
    this.emit('score');
  }

  /** Begins a lesson in place of the one before, or ends it. @param {import('./teach/lesson.js').Lesson | null} lesson */
  setLesson(lesson) {
    if (!lesson && !this.lesson) return;
    this.lesson?.close();
    this.lesson = lesson;
    this.arrows.clear();
    this.score = null;
    for (const happening of /** @type {Happening[]} */ (['lesson', 'arrows', 'score', 'play'])) this.emit(happening);
  }

  /**
   * Returns what an element needs to show a small board while the mouse is on it.
   * @param {() => {position: import('./fen.js').Position, last: readonly string[]}} make the position when it is wanted
   */
  previews(make) {
    let wanted = false;
    return {
      onmouseenter: async (/** @type {MouseEvent} */ event) => {
        wanted = true;
        const at = /** @type {HTMLElement} */ (event.currentTarget);
        whenLeft('preview', at, () => {
          wanted = false;
          document.querySelector('.preview')?.remove();
        });
        const { showPreview } = await import('./teach/preview.js');
        if (wanted) showPreview(this, at, make());
      },
    };
  }

  /** Opens a tab. @param {string} tab */
  openTab(tab) {
    this.tab = tab;
    this.emit('tab');
  }

  /** Opens or closes the editor of positions. @param {boolean} editing */
  setEditing(editing) {
    this.editing = editing;
    this.emit('editing');
    if (!editing) this.emit('position');
  }
}

/** Returns what the page says where it has no server and needs one. */
const NEEDS_SERVER = () => t('This page has no server. Books, the library of games and reviews need one on a machine of yours:');

/** Returns an error as a text and what to do about it. @param {unknown} error @returns {[string, string]} */
export function explainError(error) {
  if (error instanceof DOMException && error.name === 'AbortError') return [t('Stopped.'), ''];
  if (!(error instanceof Problem)) return [String(error), ''];
  if (error.code === 'no_server') return [t('The server does not answer.'), t('Start juzhong serve again: the page goes on by itself.')];
  if (error.code === 'needs_server') return [NEEDS_SERVER(), 'juzhong serve'];
  if (error.code === 'broken') return [t('What answers in place of a server broke down.'), t('Try again; if that does not help, load the page anew.')];
  if (error.status === 503) return [t('The server is busy.'), error.hint || t('Wait a few seconds and try again.')];
  return [error.message, error.hint];
}

/** Returns a box that says what went wrong. @param {unknown} error */
export function problemState(error) {
  return emptyState(explainError(error).filter(Boolean).join(' '));
}

/** Returns the last part of a long reason: why, without which move and where. @param {string} text */
function reasonOf(text) {
  const short = text.replace(/\s*[(（](?:position|局面)[:：][\s\S]*$/, '');
  return short.replace(/^move \d+: "[^"]*" is illegal: /, '');
}
