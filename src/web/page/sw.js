// The service worker: keeps the files of the page in the browser, so that it comes up without a connection and can be
// installed. Files are asked of the server first, so a newer program is seen at once; answers about games are never kept.

/** What a service worker has around it. @type {any} */
const worker = globalThis;

const CACHE = 'juzhong-page';
/** The folder of the page. */
const HOME = new URL('./', location.href).href;
/** Kinds of files that are kept. */
const FILES = /\.(?:js|css|svg|png|webmanifest|wasm|json|jzt)$/;
/** Files that a site without a server has besides those that the page names. */
const SITE_FILES = ['juzhong.wasm', 'texts.json', 'tables/list.json'];
const MOST_FILES = 400;
/** Bytes of tables that are fetched to be kept, and of a file that is kept; other tables are kept once they were needed. */
const MOST_TABLES = 16 << 20;

/** The fetching of all files that is under way. @type {Promise<void> | null} */
let fetching = null;

worker.addEventListener('install', (/** @type {any} */ event) => event.waitUntil(keepAll().then(() => worker.skipWaiting())));
worker.addEventListener('activate', (/** @type {any} */ event) => event.waitUntil(worker.clients.claim()));
worker.addEventListener('fetch', (/** @type {any} */ event) => {
  const key = keyOf(event.request);
  if (key) event.respondWith(answer(event, key));
});

/** Returns the address under which an answer is kept; nothing if it is not. @param {Request} request */
function keyOf(request) {
  const { origin, pathname } = new URL(request.url);
  const address = origin + pathname;
  if (request.method !== 'GET' || !address.startsWith(HOME)) return '';
  const path = address.slice(HOME.length);
  if (path === '' || path === 'index.html') return HOME;
  return FILES.test(path) && !path.startsWith('api/') ? address : '';
}

/** @param {any} event @param {string} key */
async function answer(event, key) {
  try {
    const response = await fetch(event.request);
    if (response.ok && !isLarge(response)) event.waitUntil(keep(key, response.clone()));
    return response;
  } catch (error) {
    const kept = await (await caches.open(CACHE)).match(key, { ignoreVary: true });
    if (kept) return kept;
    throw error;
  }
}

/** Whether a file is too large to be kept. @param {Response} response */
function isLarge({ headers }) {
  return Number(headers.get('content-length') ?? 0) > MOST_TABLES;
}

/** Keeps an answer; where it is another one than before, all files are fetched anew, so that those kept fit each other. @param {string} key @param {Response} response */
async function keep(key, response) {
  const cache = await caches.open(CACHE);
  const old = await cache.match(key, { ignoreVary: true });
  await cache.put(key, response);
  if (old && tagOf(old) !== tagOf(response)) {
    fetching ??= keepAll().finally(() => { fetching = null; });
    await fetching;
  }
}

/** Returns what tells a file from another version of it. @param {Response} response */
function tagOf({ headers }) {
  return (headers.get('etag') ?? headers.get('last-modified') ?? headers.get('content-length') ?? '').replace('-zstd', '');
}

/** Fetches and keeps the page and all files that it names. */
async function keepAll() {
  const cache = await caches.open(CACHE);
  const seen = new Set([HOME]);
  for (let wanted = [HOME]; wanted.length > 0 && seen.size < MOST_FILES;) {
    const found = await Promise.all(wanted.map((address) => fetchOne(cache, address)));
    wanted = [...new Set(found.flat())].filter((address) => !seen.has(address));
    for (const address of wanted) seen.add(address);
  }
  // Scripts that the page names no more are of another version.
  const old = (await cache.keys()).filter(({ url }) => url.endsWith('.js') && !seen.has(url));
  await Promise.all(old.map((request) => cache.delete(request)));
}

/** Fetches and keeps a file, and returns the addresses of those that it names. @param {Cache} cache @param {string} address @returns {Promise<string[]>} */
async function fetchOne(cache, address) {
  const response = await fetch(address, { cache: 'no-cache' });
  if (!response.ok) return [];
  const copy = response.clone();
  await cache.put(address, response);
  if (address === HOME) return namesInPage(await copy.text());
  if (address.endsWith('.js')) return namesInScript(address, await copy.text());
  return address.endsWith('/tables/list.json') ? namesOfTables(address, await copy.json()) : [];
}

/** Whether the page has no server; only then there is a script that answers in its place. */
let isSite = false;

/** @param {string} text */
function namesInPage(text) {
  isSite = text.includes('data-server="none"');
  const names = [...text.matchAll(/(?:href|src)="([^"#?:]+)"/g)].map(([, name = '']) => name);
  return [...names, ...isSite ? SITE_FILES : []].map((name) => new URL(name, HOME).href);
}

/** @param {string} address @param {string} text */
function namesInScript(address, text) {
  const names = [...text.matchAll(/(?:from |import |import\(|new URL\()'(\.{0,2}[\w/.-]+\.js)'/g)].map(([, name = '']) => name);
  return names.filter((name) => isSite || name !== './local.js').map((name) => new URL(name, address).href);
}

/** @param {string} address @param {{files?: Record<string, {file: string, bytes: number}>}} list */
function namesOfTables(address, { files = {} }) {
  const all = Object.values(files);
  const bytes = all.reduce((sum, file) => sum + file.bytes, 0);
  return bytes <= MOST_TABLES ? all.map(({ file }) => new URL(file, address).href) : [];
}
