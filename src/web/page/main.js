// The page: puts the parts together, follows the address and the keys.

import { nameLanguage, readAddress, takePackedGame } from './address.js';
import { get, takeToken } from './api.js';
import { App, explainError } from './app.js';
import { BoardView, newGame } from './boardview.js';
import { button, el } from './dom.js';
import { leaveLost, OWN } from './engines.js';
import { parse, START } from './fen.js';
import { Hearing } from './hearing.js';
import { endingCard } from './ending.js';
import { currentLanguage, loadChinese, loadRest, setLanguage, t } from './i18n.js';
import { iconButton } from './icons.js';
import { later } from './later.js';
import { BookPanel } from './panels/book.js';
import { EnginePanel } from './panels/engine.js';
import { filePanel, takeDrop, takeText } from './panels/file.js';
import { movesPanel } from './panels/moves.js';
import { plates, playPanel } from './panels/play.js';
import { TablePanel } from './panels/table.js';
import { welcome } from './panels/welcome.js';
import { Play } from './play.js';
import { showRecent } from './recent.js';
import { keepWaiting, lastGame, noteCopy } from './store.js';
import * as tree from './tree.js';
import { workBar } from './workbar.js';

const app = new App();
const play = new Play(app);
const hearing = new Hearing(app);
/** @type {EnginePanel | null} */
let engine = null;
/** @type {import('./panels/review.js').ReviewPanel | null} */
let review = null;
/** @type {import('./panels/setup.js').Setup | null} */
let setup = null;
const wide = window.matchMedia('(min-width: 900px) and (min-height: 521px)');

async function begin() {
  takeToken();
  const packed = takePackedGame();
  await speak(readAddress().language || app.settings.language || (navigator.language.startsWith('zh') ? 'zh' : 'en'));
  app.home = app.tab = wide.matches ? 'book' : 'moves';
  const address = readAddress();
  await restore(address);
  applyStyle();
  build();
  listen();
  try {
    app.meta = await get('/api/meta');
    leaveLost(app);
    play.leaveLost();
    build();
    app.openLinked?.();
  } catch (error) {
    app.fail(error);
  }
  void app.ask();
  await readWords(address);
  await openPackedGame(packed);
  void awaitBuiltIn();
  document.body.dataset['ready'] = 'yes';
  setTimeout(keepPage, UNHURRIED);
  void loadRest().catch(() => { /* They are asked for again. */ });
  app.rules = await import('./rules.js');
  if (!app.answer) app.emit('play');
}

/** Milliseconds after which what is not seen is done. */
const UNHURRIED = 2000;

/** Lets the browser keep the files of the page, where it can. */
function keepPage() {
  navigator.serviceWorker?.register('sw.js').catch(() => { /* The page works without. */ });
}

/** Opens the game of a link that holds one whole. @param {string} packed */
async function openPackedGame(packed) {
  if (packed) await import('./link.js').then(({ openLink }) => openLink(app, packed));
}

/** Sets the language; Chinese texts are loaded where they are wanted. @param {import('./i18n.js').Language} language */
async function speak(language) {
  if (language === 'zh') await loadChinese();
  setLanguage(language);
  app.followLanguage();
}

/** Takes the position from the address, and the rest of its game from the browser. @param {import('./address.js').Address} address */
async function restore(address) {
  app.view = address.view;
  app.game = address.game;
  app.set = address.set;
  app.list = address.list;
  await Promise.all((/** @type {const} */ (['xiangqi', 'gomoku'])).map(restoreGame));
  for (const session of Object.values(app.sessions)) session.changed = () => {};
  if (address.given && address.words.length === 0 && isStart(address.fen)) restorePlace(address.fen, address.moves);
  followLink(address, history.state?.id);
  for (const session of Object.values(app.sessions)) session.changed = () => app.moved();
  play.resume();
  if (play.on) app.tab = 'play';
  if (TABS.includes(address.tab) && !isBeside(address.tab)) app.tab = address.tab;
}

/** Whether a tab of narrow windows stands beside the others here, on a wide one. @param {string} tab */
function isBeside(tab) {
  return wide.matches && (tab === 'moves' || tab === 'engine');
}

/** @param {import('./fen.js').GameName} game */
async function restoreGame(game) {
  const session = app.sessions[game];
  const last = await lastGame(game).catch(() => null);
  if (!last) return;
  const { whole, own } = last;
  // A game is played in one window only.
  session.takeBack(own ? whole : { ...whole, live: null, playing: null }, own);
  if (!own) noteCopy(session);
}

/** Whether an address begins at a position that can be read. @param {string} fen */
function isStart(fen) {
  return fen === '' || fen === 'startpos' || parse(app.game, fen) !== null;
}

/** Reads what the address has in other words than coordinates, and says what cannot be read. @param {import('./address.js').Address} address */
async function readWords({ fen, words }) {
  if (!isStart(fen)) {
    app.say(t('The position in the address cannot be read: {fen}', { fen: fen.slice(0, 80) }), 'error');
    return;
  }
  if (words.length === 0) return;
  /** @type {string[]} */
  const moves = [];
  const start = fen === 'startpos' ? '' : fen;
  let problem = null;
  for (const text of words) {
    try {
      const { move } = await get('/api/read', { ...app.session.questionOf(start || START[app.game], moves), text });
      moves.push(move);
    } catch (error) {
      problem = { text, why: explainError(error).filter(Boolean).join(' ') };
      break;
    }
  }
  app.loadLine(start, moves);
  if (problem) app.say(t('{move} in the address cannot be played: {why}', { move: problem.text.slice(0, 40), why: problem.why }), 'error');
}

/** @param {string} fen @param {readonly string[]} moves */
function restorePlace(fen, moves) {
  const { session } = app;
  const start = fen && fen !== 'startpos' && parse(app.game, fen) ? fen : START[app.game];
  const known = session.start === start ? tree.find(session.root, moves) : null;
  if (known) session.path = known;
  else app.loadLine(start, moves);
}

/** Builds the whole page from the state. */
function build() {
  engine?.stop();
  review?.stop();
  app.forgetListeners();
  play.attach();
  hearing.attach();
  app.on(['style'], applyStyle);
  app.on(['press'], () => app.halt());
  review = setup = null;
  engine = new EnginePanel(app);
  const view = new BoardView(app, {
    point: (point) => setup?.point(point), drop: (from, to) => setup?.drop(from, to),
    mayMove: () => app.lesson ? app.lesson.waits : play.mayMove, undo, plates: () => plates(app, play), ending: () => endingCard(app, play),
  });
  const panels = { book: new BookPanel(app).element, table: tablePanel(), play: playPanel(app, play),
    review: reviewPanel(), values: valuesPanel(), file: filePanel(app) };
  const lesson = el('div', { class: 'lesson' });
  const moves = movesPanel(app);
  moves.querySelector('.tree')?.before(welcome(app, ways()));
  const side = el('div', { class: 'side' }, lesson, engine.element, moves, lower(panels), editor(view));
  const board = el('main', { class: 'view view-board' }, view.element, side);
  document.body.replaceChildren(header(), board, gamesView(), tablesView(), workBar(app));
  app.on(['view'], showView);
  app.on(['tab'], showTab);
  app.on(['server'], () => app.lesson?.resume());
  app.on(['lesson'], () => {
    lesson.replaceChildren(...(app.lesson ? [app.lesson.element] : []));
    document.body.toggleAttribute('data-lesson', app.lesson !== null);
  });
  app.on(['editing'], () => { document.body.toggleAttribute('data-editing', app.editing); });
  app.emit('view');
  app.emit('tab');
  app.emit('lesson');
  if (app.answer) app.emit('answer');
}

/** Returns the panel of tables, in gomoku that of proofs. */
function tablePanel() {
  if (app.game === 'gomoku') {
    return later(app, 'tab', () => true, async () => {
      const { ProofPanel } = await import('./panels/proof.js');
      return () => new ProofPanel(app, () => play.leave());
    }).element;
  }
  return new TablePanel(app, (first) => {
    play.begin(first ? 'human' : OWN, first ? OWN : 'human', true);
    app.openTab('play');
  }).element;
}

function reviewPanel() {
  return later(app, 'tab', () => app.tab === 'review', async () => {
    const { ReviewPanel } = await import('./panels/review.js');
    return () => review = new ReviewPanel(app);
  }).element;
}

function valuesPanel() {
  return later(app, 'tab', () => app.tab === 'values', async () => {
    const { ValuesPanel } = await import('./panels/values.js');
    return () => new ValuesPanel(app);
  }).element;
}

/** Returns the editor of positions. @param {BoardView} view */
function editor(view) {
  return later(app, 'editing', () => app.editing, async () => {
    const { Setup } = await import('./panels/setup.js');
    return () => setup = new Setup(app, (position) => view.showEdited(position), (at) => view.board.pointAt(at));
  }).element;
}

/** Returns the view of games, which also opens games of the library for others. */
function gamesView() {
  const { element, part } = later(app, 'view', () => app.view === 'games', async () => {
    const { GamesView } = await import('./panels/games.js');
    return () => new GamesView(app);
  });
  app.openGame = async (id, fen) => (await part())?.open(id, fen);
  app.openLinked = async () => { if (app.linked && !app.linked.root) await (await part())?.openLinked(); };
  return element;
}

function tablesView() {
  return later(app, 'view', () => app.view === 'tables', async () => {
    const { TablesView } = await import('./panels/tables.js');
    return () => new TablesView(app);
  }).element;
}

/** What is seldom looked at is loaded then. */
const help = () => import('./help.js');

/** What the three ways into the page do. @returns {import('./panels/welcome.js').Ways} */
function ways() {
  return {
    play: () => app.openTab('play'),
    analyse: () => {
      if (!app.settings.engine) engine?.switch();
      app.openTab(wide.matches ? 'book' : 'engine');
    },
    games: () => openView('games', app.game),
  };
}

/** Asks what the server has until the built-in book and tables are there, and shows each once it is. */
async function awaitBuiltIn() {
  while (app.meta.built_in?.making) {
    await new Promise((done) => setTimeout(done, 1500));
    try {
      const before = JSON.stringify(app.meta);
      const meta = await get('/api/meta');
      if (JSON.stringify(meta) === before) continue;
      // What somebody is typing or reading stays as it is.
      app.meta = meta;
      app.emit('made');
    } catch {
      // A server that does not answer is asked again.
    }
  }
}

const TABS = ['moves', 'engine', 'book', 'table', 'play', 'review', 'values', 'file'];

/** @param {Record<string, HTMLElement>} panels */
function lower(panels) {
  const labels = [t('Moves'), t('Engine'), t('Book'), app.game === 'gomoku' ? t('Proof') : t('Table'), t('Play'), t('Review'), t('Values'), t('File')];
  const tabs = TABS.map((name, at) => button(labels[at] ?? '', (event) => {
    app.openTab(name);
    // The arrows go through the game after a click, through the tabs only for those who came by keyboard.
    if (event.detail > 0) /** @type {HTMLElement} */ (event.currentTarget).blur();
  }, { role: 'tab', 'data-tab': name, class: 'tab', id: `tab-${name}` }));
  const bar = el('div', { class: 'tabs', role: 'tablist', 'aria-label': t('Panels'), onkeydown: turnTabs }, ...tabs);
  for (const [name, panel] of Object.entries(panels)) {
    panel.setAttribute('data-panel', name);
    panel.setAttribute('role', 'tabpanel');
  }
  return el('div', { class: 'lower' }, bar, el('div', { class: 'panels', tabindex: 0 }, ...Object.values(panels)));
}

/** Moves between tabs with the arrows. @param {KeyboardEvent} event */
function turnTabs(event) {
  const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
  if (step === 0) return;
  const tabs = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('.tab')]).filter((tab) => tab.offsetParent);
  const next = tabs[tabs.findIndex((tab) => tab === document.activeElement) + step];
  next?.focus();
  next?.click();
  event.preventDefault();
  event.stopPropagation();
}

function header() {
  /** @param {string} label @param {import('./app.js').View} view @param {import('./fen.js').GameName} game */
  const link = (label, view, game) => button(label, () => openView(view, game), { class: 'nav', 'data-view': view, 'data-game': game });
  const other = currentLanguage() === 'zh' ? 'EN' : '中文';
  return el('header', { class: 'top' },
    el('span', { class: 'brand' }, 'juzhong ', el('span', { lang: 'zh' }, '橘中')),
    el('nav', { 'aria-label': t('Views') }, link(t('Board'), 'board', 'xiangqi'), link(t('Games'), 'games', app.game),
      link(t('Tables'), 'tables', 'xiangqi'), link(t('Gomoku'), 'board', 'gomoku')),
    el('span', { class: 'top-tools' },
      button(other, () => void switchLanguage(), { class: 'tool', id: 'language', lang: other === 'EN' ? 'en' : 'zh', title: other === 'EN' ? 'English' : '中文' }),
      iconButton('shade', t('Light or dark'), switchScheme, { class: 'tool', id: 'scheme' }),
      iconButton('style', t('Style'), () => void help().then(({ showStyles }) => showStyles(app)), { class: 'tool', id: 'styles' }),
      button('?', () => void help().then(({ showHelp }) => showHelp(app)), { class: 'tool', id: 'help', title: t('Help (?)'), 'aria-label': t('Help') })));
}

/** @param {import('./app.js').View} view @param {import('./fen.js').GameName} game */
function openView(view, game) {
  const other = app.game !== game;
  app.view = view;
  if (other && view === 'board') changeGame(game);
  app.showPlace(true);
  app.emit('view');
}

/** @param {import('./fen.js').GameName} game */
function changeGame(game) {
  play.suspend();
  app.setLesson(null);
  app.game = game;
  app.editing = false;
  play.resume();
  app.arrows.clear();
  app.answer = null;
  app.proof = null;
  build();
  app.moved();
}

function showView() {
  document.body.dataset['view'] = app.view;
  document.body.dataset['game'] = app.game;
  app.showPlace(false);
  for (const link of document.querySelectorAll('.nav')) {
    const here = link.getAttribute('data-view') === app.view && (app.view !== 'board' || link.getAttribute('data-game') === app.game);
    if (here) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}

function showTab() {
  app.showPlace(false);
  document.body.dataset['tab'] = app.tab;
  for (const tab of document.querySelectorAll('.tab')) {
    const here = tab.getAttribute('data-tab') === app.tab;
    tab.setAttribute('aria-selected', String(here));
    tab.setAttribute('tabindex', here ? '0' : '-1');
  }
}

function applyStyle() {
  const { scheme, theme } = app.settings;
  const dark = scheme === 'dark' || (scheme === 'auto' && window.matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset['scheme'] = dark ? 'dark' : 'light';
  document.documentElement.dataset['theme'] = theme;
}

function switchScheme() {
  const dark = document.documentElement.dataset['scheme'] === 'dark';
  app.change({ scheme: dark ? 'light' : 'dark' });
}

async function switchLanguage() {
  const language = currentLanguage() === 'zh' ? 'en' : 'zh';
  const renames = play.namesHere();
  await speak(language);
  await loadRest().catch(() => { /* They are asked for again. */ });
  nameLanguage(language);
  if (renames) play.rename();
  app.change({ language });
  app.forgetAnswers();
  build();
  app.moved();
}

/** @type {Record<string, () => void>} */
const KEYS = {
  ArrowLeft: () => app.session.step(-1), ArrowRight: () => app.session.step(1),
  ArrowUp: () => app.session.beside(-1), ArrowDown: () => app.session.beside(1),
  Home: () => app.session.toStart(), End: () => app.session.toEnd(),
  f: () => app.change({ flipped: !app.settings.flipped }),
  e: () => engine?.switch(), b: () => app.openTab('book'), t: () => app.openTab('table'), v: () => app.openTab(app.tab === 'values' ? 'book' : 'values'),
  p: () => app.openTab('play'), m: () => hearing.switch(), s: () => (app.session.studying ? app.session.backToGame() : app.session.beginStudy()),
  g: () => showRecent(app), u: () => undo(), r: () => app.session.redo(), n: () => newGame(app),
  ' ': () => void play.best(), '?': () => void help().then(({ showHelp }) => showHelp(app)), '/': () => focusEntry(), Delete: () => app.session.remove(app.session.path),
};

/** The keys that tell nothing during a lesson. */
const IN_LESSONS = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'f', '?', '/'];

/** Undoes the last edit; in a game that is being played, takes moves back. */
function undo() {
  if (app.lesson) return;
  if (play.on && play.atEnd) play.takeBack();
  else app.session.undo();
}

function focusEntry() {
  if (!wide.matches) app.openTab('moves');
  document.getElementById('move-entry')?.focus();
}

/** Returns what a key does now, or nothing. @param {string} key */
function actOf(key) {
  if ((app.editing || app.view !== 'board') && key !== '?') return undefined;
  return app.lesson && !IN_LESSONS.includes(key) ? undefined : KEYS[key];
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  const target = /** @type {HTMLElement} */ (event.target);
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
  if (target.matches('input, textarea, select')) {
    if (event.key === 'Escape') target.blur();
    return;
  }
  if (event.key === ' ' && target.matches('button, summary')) return;
  const act = actOf(event.key);
  if (!act) return;
  event.preventDefault();
  act();
}

/** @param {ClipboardEvent} event */
function onPaste(event) {
  const target = /** @type {HTMLElement} */ (event.target);
  if (target.matches('input, textarea')) return;
  const text = event.clipboardData?.getData('text/plain');
  if (text) void takeText(app, text);
}

/** @param {DragEvent} event */
function onDrop(event) {
  event.preventDefault();
  document.body.classList.remove('dropping');
  const data = event.dataTransfer;
  const text = data?.getData('text/plain');
  if (data && data.files.length > 0) void takeDrop(app, data);
  else if (text) void takeText(app, text);
}

/** Goes where the way back or forth leads: to another view, another game, or both. */
async function onWayBack() {
  // A game in the address is opened by itself.
  if (location.hash.startsWith('#tree=')) return;
  const address = readAddress();
  const id = history.state?.id;
  app.view = address.view;
  app.set = address.set;
  app.list = address.list;
  if (address.game !== app.game) changeGame(address.game);
  // A list says nothing of the board.
  if (address.view === 'board') await followToBoard(address, id);
  app.moved();
  app.emit('view');
  app.openLinked?.();
}

/** @param {import('./address.js').Address} address @param {string | undefined} id the game that was on the board there */
async function followToBoard(address, id) {
  app.keepAddress = true;
  if (id) await app.bring(id);
  app.keepAddress = false;
  const { session } = app;
  if (session.id === id) session.path = tree.reach(session.root, address.moves);
  else restorePlace(address.fen, address.moves);
  followLink(address, id);
}

/** Notes which game of the library the address names; it is asked for unless this browser has it on the board. @param {import('./address.js').Address} address @param {string | undefined} id */
function followLink({ linked }, id) {
  if (linked === (app.linked?.key ?? '')) return;
  app.linked = null;
  if (linked && app.session.id === id) app.link(linked);
  else if (linked) app.linked = { key: linked, id: '', root: null, size: 0 };
}

function listen() {
  document.addEventListener('keydown', onKey);
  document.addEventListener('keydown', (event) => {
    app.emit('press');
    if (event.key === 'Escape' && app.editing && !document.querySelector('dialog[open]')) app.setEditing(false);
  });
  document.addEventListener('pointerdown', () => app.emit('press'));
  document.addEventListener('paste', onPaste);
  document.addEventListener('dragover', (event) => { event.preventDefault(); document.body.classList.add('dropping'); });
  document.addEventListener('dragleave', (event) => { if (!event.relatedTarget) document.body.classList.remove('dropping'); });
  document.addEventListener('drop', onDrop);
  window.addEventListener('popstate', () => void onWayBack());
  window.addEventListener('hashchange', () => void openPackedGame(takePackedGame()));
  window.addEventListener('pagehide', () => {
    engine?.stop();
    play.keepNow();
    keepWaiting();
  });
  document.addEventListener('visibilitychange', keepWaiting);
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', applyStyle);
  wide.addEventListener('change', () => {
    if (isBeside(app.tab)) app.openTab('book');
  });
}

void begin();
