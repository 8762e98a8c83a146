// The languages of the page. English texts are the keys of the other catalogues.

/** @typedef {'en' | 'zh'} Language */

/** @type {Language} */
let language = 'en';
/** Chinese texts by English texts. @type {Readonly<Record<string, string>>} */
let chinese = {};

/** Loads the Chinese texts of what is seen at first. */
export async function loadChinese() {
  if (Object.keys(chinese).length === 0) chinese = (await import('./zh.js')).ZH;
}

/** The loading of the other Chinese texts. @type {Promise<void> | null} */
let rest = null;

/** Loads the texts of what is loaded later, in the language in force. */
export async function loadRest() {
  if (language !== 'zh') return;
  rest ??= import('./zh-later.js').then(({ ZH }) => { chinese = { ...chinese, ...ZH }; });
  try {
    await rest;
  } catch (error) {
    // Without a connection they are asked for again.
    rest = null;
    throw error;
  }
}

/** Sets the language of all texts made from now on. @param {Language} chosen */
export function setLanguage(chosen) {
  language = chosen;
  document.documentElement.lang = chosen === 'zh' ? 'zh-Hans' : 'en';
}

/** Returns a part of the page that is being loaded, once its texts are there, too. @template T @param {Promise<T>} loading @returns {Promise<T>} */
export async function withTexts(loading) {
  const [part] = await Promise.all([loading, loadRest()]);
  return part;
}

/** Returns the language in force. */
export function currentLanguage() {
  return language;
}

/** Returns the language of moves in a notation, where it is not the page's. @param {string} notation */
export function moveLanguage(notation) {
  return notation === 'chinese' && language !== 'zh' ? 'zh' : null;
}

/** Returns a text in the language in force, with `{name}` replaced by values. @param {string} text @param {Record<string, string | number>} [values] */
export function t(text, values = {}) {
  const known = language === 'zh' ? chinese[text] ?? text : text;
  return known.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

/** Returns a count with the right form of the English noun. @param {number} count @param {string} one @param {string} many */
export function plural(count, one, many) {
  return t(count === 1 ? one : many, { n: number(count) });
}

/** Returns the name of the language for numbers and dates. */
export function locale() {
  return language === 'zh' ? 'zh-CN' : 'en-GB';
}

/** Returns a number with separators. @param {number} value @param {number} [digits] */
export function number(value, digits = 0) {
  return value.toLocaleString(locale(),
    { minimumFractionDigits: digits, maximumFractionDigits: digits }).replace('-', '−');
}

/** Returns a share of one as a percentage. @param {number} share @param {number} [digits] */
export function percent(share, digits = 1) {
  return `${number(share * 100, digits)} %`;
}

/** Returns a count of bytes in the unit that fits it. @param {number} bytes */
export function size(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) { value /= 1024; unit++; }
  return `${number(value, unit && value < 100 ? 1 : 0)} ${units[unit]}`;
}

/** Returns a large number in short, such as 1.2 M. @param {number} value */
export function short(value) {
  if (value >= 1e9) return `${number(value / 1e9, 1)} G`;
  if (value >= 1e6) return `${number(value / 1e6, 1)} M`;
  if (value >= 1e3) return `${number(value / 1e3, 1)} k`;
  return number(value);
}
