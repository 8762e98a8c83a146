// Asks the server, or what answers in its place where the page is served as files alone (wasm/page). Errors are problems
// in the sense of RFC 9457.

import { currentLanguage, t } from './i18n.js';

/** An answer that says what went wrong and what to do. */
export class Problem extends Error {
  /** @param {{status?: number, code?: string, title?: string, detail?: string, hint?: string | null}} body */
  constructor(body) {
    super(body.detail || body.title || 'error');
    this.status = body.status ?? 0;
    this.code = body.code ?? '';
    this.hint = body.hint ?? '';
  }
}

/** @typedef {Record<string, string | number | boolean | null | undefined>} Query */

/** The name of this window: a new search ends its last one. */
export const CLIENT = Math.random().toString(36).slice(2);

const TOKEN = 'juzhong.token';

/** What answers in the browser itself, where there is no server: its builder marks the page so. */
const local = globalThis.document?.documentElement.dataset['server'] === 'none' ? import('./local.js') : null;

/** Keeps the token that the address brought and takes it out of the address. */
export function takeToken() {
  const match = /(?:^#|&)token=([^&]+)/.exec(location.hash);
  if (!match?.[1]) return;
  sessionStorage.setItem(TOKEN, decodeURIComponent(match[1]));
  history.replaceState(null, '', location.pathname + location.search);
}

/** Returns whether this window may write. */
export function hasToken() {
  return sessionStorage.getItem(TOKEN) !== null;
}

// --- the server goes away and comes back ---

/** The first and the longest pause between two questions to a server that is away, in milliseconds. */
const PAUSES = /** @type {const} */ ([1000, 30_000]);

/** The pause after which a server that is away is asked again; 0 while it is there. */
let pause = 0;
let timer = 0;
/** Is told when the server goes away, and when it is back what it has. @type {(meta: any) => void} */
let follow = () => {};

/** Returns whether the server has gone away. */
export function isAway() {
  return pause > 0;
}

/** Calls a function with null when the server goes away, and with what it has when it is back. @param {(meta: any) => void} call */
export function onConnection(call) {
  follow = call;
}

function lose() {
  if (isAway() || local) return;
  [pause] = PAUSES;
  follow(null);
  timer = window.setTimeout(() => void askAgain(), pause);
}

/** Notes that nothing answers, and returns that as a problem. */
function gone() {
  lose();
  return new Problem({ code: local ? 'broken' : 'no_server', title: 'no answer' });
}

/** Asks the server whether it is there; if not, once more after a pause twice as long. */
export async function askAgain() {
  if (local) return;
  clearTimeout(timer);
  try {
    const response = await fetch(address('/api/meta', {}));
    if (isProblem(response)) throw await problemOf(response);
    const meta = await response.json();
    const back = isAway();
    pause = 0;
    if (back) follow(meta);
  } catch {
    if (!isAway()) { lose(); return; }
    pause = Math.min(pause * 2, PAUSES[1]);
    timer = window.setTimeout(() => void askAgain(), pause);
  }
}

// --- what a person waits for ---

/** Milliseconds after which a question that a person waits for is seen to be at work. */
const SOON = 300;

/** What is said while the answers to these paths are awaited, and whether waiting can be given up. @type {readonly [RegExp, () => string, boolean][]} */
const AWAITED = [
  [/^\/api\/open$/, () => t('Reading the file …'), true],
  [/^\/api\/(save|convert)$/, () => t('Writing the games …'), true],
  [/^\/api\/games$/, () => t('Searching the games …'), true],
  [/^\/api\/(games|autosave)\/[^/]+$/, () => t('Opening the game …'), true],
  [/^\/api\/book\/(?!games)/, () => t('Changing the book …'), false],
];

/** What is awaited, with what gives it up. @type {Map<object, {text: () => string, stop: (() => void) | null}>} */
const awaited = new Map();
/** The signals of work that is shown as a whole. @type {WeakSet<AbortSignal>} */
const shownAsWhole = new WeakSet();
let followWork = () => {};

/** Returns what is at work for a person. */
export function atWork() {
  return [...awaited.values()].map(({ text, stop }) => ({ text: text(), stop }));
}

/** Calls a function whenever something begins or ends to be at work. @param {() => void} call */
export function onWork(call) {
  followWork = call;
}

/**
 * Runs work; if it takes long, it is seen.
 * @template T @param {() => string} text @param {boolean} stops whether it can be given up @param {AbortSignal | undefined} signal
 * @param {(signal: AbortSignal) => Promise<T>} work @returns {Promise<T>}
 */
async function shown(text, stops, signal, work) {
  const given = new AbortController();
  const timer = setTimeout(() => {
    awaited.set(given, { text, stop: stops ? () => given.abort() : null });
    followWork();
  }, SOON);
  try {
    return await work(signal ? AbortSignal.any([signal, given.signal]) : given.signal);
  } finally {
    clearTimeout(timer);
    if (awaited.delete(given)) followWork();
  }
}

/**
 * Runs a question; if a person waits for it and it takes long, it is seen to be at work.
 * @template T @param {string} path @param {AbortSignal | undefined} signal @param {(signal: AbortSignal | undefined) => Promise<T>} ask @returns {Promise<T>}
 */
async function seen(path, signal, ask) {
  const [, text, stops = false] = AWAITED.find(([pattern]) => pattern.test(path)) ?? [];
  const whole = signal !== undefined && shownAsWhole.has(signal);
  if (!text || whole || path.startsWith('/api/games/moves')) return ask(signal);
  return shown(text, stops, signal, ask);
}

/**
 * Runs work of several questions that a person waits for; it is seen as one, and can be given up.
 * @template T @param {() => string} text what is said of it, asked for again after each `tell`
 * @param {(signal: AbortSignal, tell: () => void) => Promise<T>} work @returns {Promise<T>}
 */
export function inSteps(text, work) {
  return shown(text, true, undefined, (signal) => {
    shownAsWhole.add(signal);
    return work(signal, () => { if (awaited.size > 0) followWork(); });
  });
}

/** @param {string} path @param {Query} query */
function address(path, query) {
  const parts = new URLSearchParams({ lang: currentLanguage() });
  for (const [name, value] of Object.entries(query)) {
    if (value !== '' && value !== null && value !== undefined && value !== false) parts.set(name, String(value));
  }
  // A line of moves is long enough without its commas in three characters each.
  return `${path}?${parts.toString().replaceAll('%2C', ',')}`;
}

/** @param {unknown} body @returns {HeadersInit} */
function headers(body) {
  const token = sessionStorage.getItem(TOKEN);
  /** @type {Record<string, string>} */
  const all = {};
  if (token) all['X-Token'] = token;
  if (typeof body === 'object' && !(body instanceof ArrayBuffer) && !(body instanceof Blob)) {
    all['Content-Type'] = 'application/json';
  }
  return all;
}

/** @param {Response} response @returns {Promise<Problem>} */
async function problemOf(response) {
  const retry = response.headers.get('Retry-After');
  try {
    const body = await response.json();
    return new Problem({ status: response.status, ...body });
  } catch {
    return new Problem({ status: response.status, code: retry ? 'busy' : 'error', title: response.statusText });
  }
}

/** @param {Response} response */
function isProblem(response) {
  return !response.ok || (response.headers.get('Content-Type') ?? '').startsWith('application/problem');
}

/**
 * Sends a request and returns the response; fails with a Problem.
 * @param {string} path @param {Query} query @param {unknown} [body] @param {AbortSignal} [signal]
 */
async function send(path, query, body, signal) {
  /** @type {RequestInit} */
  const init = signal ? { signal } : {};
  if (body !== undefined) {
    init.method = 'POST';
    init.headers = headers(body);
    init.body = body instanceof ArrayBuffer || body instanceof Blob || typeof body === 'string' ? body : JSON.stringify(body);
  }
  let response;
  try {
    response = await (local ? (await local).answer(address(path, query), init) : fetch(address(path, query), init));
  } catch (error) {
    if (signal?.aborted) throw error;
    throw gone();
  }
  if (isProblem(response)) throw await problemOf(response);
  return response;
}

/** Returns the JSON that the server answers to a question. @param {string} path @param {Query} [query] @param {AbortSignal} [signal] @returns {Promise<any>} */
export function get(path, query = {}, signal) {
  return seen(path, signal, async (stop) => (await send(path, query, undefined, stop)).json());
}

/**
 * Sends a body and returns the JSON of the answer.
 * @param {string} path @param {unknown} body @param {Query} [query] @param {AbortSignal} [signal] @returns {Promise<any>}
 */
export function post(path, body, query = {}, signal) {
  return seen(path, signal, async (stop) => (await send(path, query, body, stop)).json());
}

/** Sends a body and returns the file that the server makes of it. @param {string} path @param {unknown} body @param {Query} [query] @param {AbortSignal} [signal] @returns {Promise<Blob>} */
export function fetchFile(path, body, query = {}, signal = undefined) {
  return seen(path, signal, async (stop) => (await send(path, query, body, stop)).blob());
}

/**
 * Reads server-sent events until the stream ends or the signal stops it.
 * @param {string} path @param {Query} query @param {unknown} body undefined asks with GET
 * @param {(event: string, data: any) => void} onEvent @param {AbortSignal} signal
 */
export async function stream(path, query, body, onEvent, signal) {
  const response = await send(path, query, body, signal);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return;
  let rest = '';
  let last = '';
  for (;;) {
    const { done, value } = await reader.read().catch((error) => {
      if (!signal.aborted) throw gone();
      throw error;
    });
    if (done) break;
    const blocks = (rest + value).replaceAll('\r\n', '\n').split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) last = handOn(block, onEvent);
  }
  // A stream that breaks off may be the first sign that the server is gone.
  if (signal.aborted || LAST.has(last)) return;
  await askAgain();
  if (isAway()) throw gone();
}

/** The events after which a stream ends. */
const LAST = new Set(['done', 'error']);

/** Hands on an event and returns its name. @param {string} block @param {(event: string, data: any) => void} onEvent */
function handOn(block, onEvent) {
  let event = 'message';
  const data = [];
  for (const line of block.split('\n')) {
    if (line.startsWith('event:')) event = line.slice(6).trim();
    if (line.startsWith('data:')) data.push(line.slice(5).trimStart());
  }
  if (data.length > 0) onEvent(event, JSON.parse(data.join('\n')));
  return event;
}
