// Speaks to the WebAssembly module through its memory: in the worker of the page, and under Node in tests.

/** @typedef {{status: number, kind: string, headers: Record<string, string>, body: Uint8Array<ArrayBuffer>}} Answer */

/**
 * The functions of the module.
 * @typedef {object} Exports
 * @property {WebAssembly.Memory} memory
 * @property {(length: number) => number} input
 * @property {() => void} ask
 * @property {() => number} output
 * @property {() => number} output_length
 */

const LINE_FEED = 10;
/** Bytes that crypto gives at once. */
const MOST_RANDOM = 65536;

/** An instance of the module. */
export class Bridge {
  /** @param {WebAssembly.Module} module @param {(name: string, data: string) => void} [onEvent] takes the events of streams */
  constructor(module, onEvent = () => {}) {
    const page = {
      now: () => performance.now(),
      fill: (/** @type {number} */ place, /** @type {number} */ length) => this.fill(place >>> 0, length >>> 0),
      event: (/** @type {number} */ place, /** @type {number} */ length) => {
        const text = new TextDecoder().decode(this.bytes(place >>> 0, length >>> 0));
        const end = text.indexOf('\n');
        onEvent(text.slice(0, end), text.slice(end + 1));
      },
    };
    const { exports } = new WebAssembly.Instance(module, { page });
    this.exports = /** @type {Exports} */ (/** @type {unknown} */ (exports));
  }

  /** @param {number} place @param {number} length */
  bytes(place, length) {
    return new Uint8Array(this.exports.memory.buffer, place, length);
  }

  /** @param {number} place @param {number} length */
  fill(place, length) {
    for (let at = 0; at < length; at += MOST_RANDOM) {
      crypto.getRandomValues(this.bytes(place + at, Math.min(MOST_RANDOM, length - at)));
    }
  }

  /** Asks a question. @param {string} path @param {Record<string, string>} [query] @param {Uint8Array} [body] @returns {Answer} */
  ask(path, query = {}, body = new Uint8Array()) {
    const head = new TextEncoder().encode(`${JSON.stringify({ path, query })}\n`);
    const length = head.length + body.length;
    const place = this.exports.input(length) >>> 0;
    if (place === 0) throw new RangeError('the request is too long');
    const input = this.bytes(place, length);
    input.set(head);
    input.set(body, head.length);
    this.exports.ask();
    const output = this.bytes(this.exports.output() >>> 0, this.exports.output_length() >>> 0).slice();
    const end = output.indexOf(LINE_FEED);
    const about = JSON.parse(new TextDecoder().decode(output.subarray(0, end)));
    return { ...about, body: output.slice(end + 1) };
  }

  /** Asks a question whose answer is JSON. @param {string} path @param {Record<string, string>} [query] @param {Uint8Array} [body] @returns {any} */
  json(path, query, body) {
    return JSON.parse(new TextDecoder().decode(this.ask(path, query, body).body));
  }
}
