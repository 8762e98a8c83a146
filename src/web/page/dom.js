// Makes elements. Texts are always text nodes, so what files hold is never markup.

import { t } from './i18n.js';

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * Attributes of an element: functions are listeners (`onclick`), true and false set or leave out an attribute.
 * @typedef {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} Attributes
 */

const SVG = 'http://www.w3.org/2000/svg';

/** @param {Element} element @param {Attributes} attributes */
function setAll(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
}

/** @param {Element} element @param {readonly Child[]} children */
function addAll(element, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/**
 * Makes an HTML element.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag @param {Attributes} [attributes] @param {...Child} children @returns {HTMLElementTagNameMap[K]}
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  setAll(element, attributes);
  addAll(element, children);
  return element;
}

/** Makes a paragraph that stays in the background. @param {...Child} children */
export function quiet(...children) {
  return el('p', { class: 'quiet' }, ...children);
}

/** Makes a row of controls. @param {...Child} children */
export function row(...children) {
  return el('div', { class: 'row' }, ...children);
}

/** Makes a cell with a number. @param {Child} value @param {string} [kind] */
export function cell(value, kind = 'num') {
  return el('td', { class: kind }, value);
}

/**
 * Makes a table; all columns but the first hold numbers unless their classes say otherwise.
 * @param {string} kind its classes @param {readonly string[]} heads @param {readonly Node[]} rows @param {readonly string[]} [kinds] classes of the columns
 */
export function rowsTable(kind, heads, rows, kinds = []) {
  return el('table', { class: `rows ${kind}` }, el('thead', {}, el('tr', {}, ...heads.map((name, at) =>
    el(name ? 'th' : 'td', { class: kinds[at] ?? (at > 0 ? 'num' : ''), scope: name && 'col' }, name)))), el('tbody', {}, ...rows));
}

/**
 * Makes an SVG element.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag @param {Attributes} [attributes] @param {...Child} children @returns {SVGElementTagNameMap[K]}
 */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  setAll(element, attributes);
  addAll(element, children);
  return /** @type {SVGElementTagNameMap[K]} */ (element);
}

/** Makes a button. @param {string} label @param {(event: MouseEvent) => void} onclick @param {Attributes} [attributes] */
export function button(label, onclick, attributes = {}) {
  return el('button', { type: 'button', onclick, ...attributes }, label);
}

/**
 * Makes a choice among values.
 * @param {readonly (readonly [string, string])[]} options values with their labels
 * @param {string} value @param {(value: string) => void} onchange @param {Attributes} [attributes]
 */
export function select(options, value, onchange, attributes = {}) {
  const list = options.map(([key, label]) => el('option', { value: key, selected: key === value }, label));
  return el('select', { onchange: (/** @type {Event} */ event) =>
    onchange(/** @type {HTMLSelectElement} */ (event.currentTarget).value), ...attributes }, ...list);
}

/**
 * Makes a box to tick, with its label.
 * @param {string} label @param {boolean} checked @param {(checked: boolean) => void} onchange @param {Attributes} [attributes]
 */
export function checkbox(label, checked, onchange, attributes = {}) {
  const input = el('input', { type: 'checkbox', checked, onchange: (/** @type {Event} */ event) =>
    onchange(/** @type {HTMLInputElement} */ (event.currentTarget).checked), ...attributes });
  return el('label', { class: 'check' }, input, ' ', label);
}

/**
 * Makes a labelled field for a number.
 * @param {string} label @param {string | number} value @param {(value: string) => void} onchange @param {Attributes} [attributes]
 */
export function numberField(label, value, onchange, attributes = {}) {
  const input = el('input', { type: 'number', value, inputmode: 'numeric', onchange: (/** @type {Event} */ event) =>
    onchange(/** @type {HTMLInputElement} */ (event.currentTarget).value), ...attributes });
  return el('label', { class: 'field' }, el('span', {}, label), input);
}

/** Makes a box that says what to do next, perhaps with a command to copy. @param {string} text @param {string} [command] */
export function emptyState(text, command) {
  const box = el('div', { class: 'empty' }, el('p', {}, text));
  if (command) box.append(commandBox(command));
  return box;
}

/** Makes a command with a button that copies it. @param {string} command */
function commandBox(command) {
  const copy = button(t('Copy'), () => void navigator.clipboard?.writeText(command).then(() => { copy.textContent = t('Copied.'); }));
  return el('div', { class: 'command' }, el('code', {}, command), copy);
}

/** Hands a text or bytes to the browser to be saved as a file. @param {Blob} blob @param {string} name */
export function saveFile(blob, name) {
  const link = el('a', { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** Returns a function that runs `call` once things have been quiet for some milliseconds. @param {() => void} call @param {number} wait */
export function calm(call, wait) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = window.setTimeout(call, wait);
  };
}

/**
 * Returns a drawing that waits while the mouse is down on an element: what is replaced under it takes no click.
 * @param {HTMLElement} element @param {() => void} draw
 */
export function steady(element, draw) {
  let pressed = false;
  let waits = false;
  element.addEventListener('pointerdown', () => { pressed = true; });
  for (const end of ['pointerup', 'pointercancel']) {
    window.addEventListener(end, () => {
      pressed = false;
      // After the click.
      if (waits) setTimeout(() => { waits = false; draw(); });
    });
  }
  return () => { if (pressed) waits = true; else draw(); };
}

/** What ends when the mouse leaves an element, by its kind. @type {Map<string, AbortController>} */
const hovered = new Map();

/**
 * Calls something once when the mouse is not on an element any more: also where the element was replaced under it, which then
 * tells of no leaving. What came later of the same kind takes its place.
 * @param {string} kind
 * @param {EventTarget | null} element
 * @param {() => void} then
 */
export function whenLeft(kind, element, then) {
  hovered.get(kind)?.abort();
  const watch = new AbortController();
  hovered.set(kind, watch);
  const leave = () => { watch.abort(); then(); };
  element?.addEventListener('mouseleave', leave, { signal: watch.signal });
  window.addEventListener('pointermove', (event) => { if (element && !event.composedPath().includes(element)) leave(); }, { capture: true, signal: watch.signal });
}

/** Opens a dialog. @param {string} title @param {...HTMLElement} children */
export function dialog(title, ...children) {
  const box = el('dialog', { class: 'dialog', 'aria-label': title }, el('h2', {}, title), ...children);
  box.addEventListener('close', () => box.remove());
  box.addEventListener('click', (event) => { if (event.target === box) box.close(); });
  document.body.append(box);
  box.showModal();
  // The focus may be far down; reading begins above.
  box.scrollTop = 0;
  return box;
}
