// Answers the requests of the page where it has no server: workers run the WebAssembly module. Each kind of search has a
// worker of its own, which is ended with it.

/** @typedef {import('./worker.js').TableList} TableList */
/** @typedef {{resolve: (response: Response) => void, reject: (error: unknown) => void, stream: ReadableStreamDefaultController<Uint8Array> | null}} Waiting */

/** The addresses of searches, each with the name of its worker. @type {Record<string, string>} */
const SEARCHES = { '/api/analyse': 'analyse', '/api/move': 'move', '/api/solve': 'solve' };
const SITE = new URL('.', import.meta.url).href;

/** What every worker begins with: the module and the list of tables. @type {Promise<{module: WebAssembly.Module, tables: any}> | null} */
let loading = null;
/** @type {Map<string, Helper>} */
const helpers = new Map();

function load() {
  loading ??= Promise.all([compiled(), listOfTables()])
    .then(([module, tables]) => ({ module, tables }))
    .catch((error) => { loading = null; throw error; });
  return loading;
}

async function compiled() {
  const response = await fetch(`${SITE}juzhong.wasm`);
  if (!response.ok) throw new Error(response.statusText);
  return WebAssembly.compile(await response.arrayBuffer());
}

/** Returns what the site knows of its tables; nothing if it has none. */
async function listOfTables() {
  try {
    const response = await fetch(`${SITE}tables/list.json`);
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}

/** A worker. */
class Helper {
  /** @param {string} name @param {{module: WebAssembly.Module, tables: any}} beginning */
  constructor(name, { module, tables }) {
    this.name = name;
    this.number = 0;
    /** @type {Map<number, Waiting>} */
    this.waiting = new Map();
    this.worker = new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
    this.worker.onmessage = ({ data }) => this.take(data);
    this.worker.onerror = (event) => this.end(new Error(event.message));
    this.worker.postMessage({ module, tables, site: SITE });
  }

  /** Ends the worker, and all that is waited for. @param {unknown} reason */
  end(reason) {
    this.worker.terminate();
    if (helpers.get(this.name) === this) helpers.delete(this.name);
    for (const { reject, stream } of this.waiting.values()) {
      if (stream) stream.error(reason);
      else reject(reason);
    }
    this.waiting.clear();
  }

  /** Ends the worker if it is at work; one that is idle is used again. @param {unknown} reason */
  endWork(reason) {
    if (this.waiting.size > 0) this.end(reason);
  }

  /**
   * Asks the worker; what is aborted while it is at work on this ends it.
   * @param {string} path @param {Record<string, string>} query @param {ArrayBuffer | null} body
   * @param {AbortSignal | null | undefined} signal @returns {Promise<Response>}
   */
  ask(path, query, body, signal) {
    const id = ++this.number;
    signal?.addEventListener('abort', () => { if (this.waiting.has(id)) this.end(signal.reason); }, { once: true });
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, stream: null });
      this.worker.postMessage({ id, path, query, body });
    });
  }

  /** @param {{id: number, name?: string, text?: string, failure?: string, status?: number, kind?: string, headers?: Record<string, string>, body?: Uint8Array<ArrayBuffer>}} message */
  take({ id, name, text, failure, ...answer }) {
    const waiting = this.waiting.get(id);
    if (!waiting) return;
    if (name !== undefined) { eventTo(waiting, name, text ?? ''); return; }
    if (failure !== undefined) { this.end(new Error(failure)); return; }
    this.waiting.delete(id);
    const { status = 500, kind = '', headers = {}, body } = answer;
    if (waiting.stream) {
      const done = new TextDecoder().decode(body);
      eventTo(waiting, status === 200 ? 'done' : 'error', done);
      waiting.stream.close();
    } else {
      waiting.resolve(new Response(body ?? null, { status, headers: { ...headers, 'Content-Type': kind } }));
    }
  }
}

/** Hands an event on, as a server sends it. @param {Waiting} waiting @param {string} name @param {string} data */
function eventTo(waiting, name, data) {
  if (!waiting.stream) {
    const body = new ReadableStream({ start: (controller) => { waiting.stream = controller; } });
    waiting.resolve(new Response(body, { headers: { 'Content-Type': 'text/event-stream' } }));
  }
  waiting.stream?.enqueue(new TextEncoder().encode(`event: ${name}\ndata: ${data}\n\n`));
}

/**
 * Answers a request as a server would.
 * @param {string} address @param {RequestInit} init @returns {Promise<Response>}
 */
export async function answer(address, init) {
  const { pathname, searchParams } = new URL(address, location.origin);
  const { signal } = init;
  const [beginning, body] = await Promise.all([load(), bytesOf(init.body)]);
  signal?.throwIfAborted();
  if (pathname === '/api/tables') return jsonOf(beginning.tables?.answer ?? { tables: [] });
  const query = Object.fromEntries(searchParams);
  const name = SEARCHES[pathname] ?? 'questions';
  // A search for the same purpose ends the one before it, if that is still at work.
  if (name !== 'questions') helpers.get(name)?.endWork(new DOMException('another search began', 'AbortError'));
  const helper = helpers.get(name) ?? new Helper(name, beginning);
  helpers.set(name, helper);
  const response = await helper.ask(pathname, { ...query, ...placeOf(pathname, init.body) }, body, name === 'questions' ? null : signal);
  signal?.throwIfAborted();
  return pathname === '/api/meta' ? withTables(response, beginning.tables) : response;
}

/** Returns the position that the body of a request names, which stands among the parameters here. @param {string} path @param {unknown} body @returns {Record<string, string>} */
function placeOf(path, body) {
  if (path !== '/api/move' || typeof body !== 'string') return {};
  const wanted = JSON.parse(body);
  const names = ['game', 'fen', 'moves', 'notation'];
  return Object.fromEntries(names.flatMap((name) => wanted[name] ? [[name, String(wanted[name])]] : []));
}

/** @param {unknown} body @returns {Promise<ArrayBuffer | null>} */
async function bytesOf(body) {
  if (body === undefined || body === null) return null;
  return new Response(/** @type {BodyInit} */ (body)).arrayBuffer();
}

/** @param {unknown} object */
function jsonOf(object) {
  return new Response(JSON.stringify(object), { headers: { 'Content-Type': 'application/json' } });
}

/** Adds what the site knows of its tables to what there is. @param {Response} response @param {any} tables */
async function withTables(response, tables) {
  const meta = await response.json();
  meta.local = true;
  const [first] = tables?.answer.tables ?? [];
  if (first) meta.xiangqi.tables = { metric: first.metric, rules: first.rules, sets: tables.answer.tables.length, men: tables.men };
  return jsonOf(meta);
}
