// A long comment, shown and changed a part at a time, so that no part takes long to lay out.

import { plainComment, withText } from './annotations.js';
import { button, dialog, el, row } from './dom.js';
import { number, t } from './i18n.js';
import { find, movesTo, nodeAt } from './tree.js';

/** Characters of a part, and its lines, which take longer to lay out. */
const PART = 4000;
const LINES = 150;

/** Cuts a text into parts, at the end of a line or a word where there is one. @param {string} text */
export function partsOf(text) {
  const parts = [];
  for (let from = 0; from < text.length;) {
    // Nothing looks further than the part, for texts may be long.
    const most = text.slice(from, from + PART);
    const part = firstLines(most.length < PART || from + PART === text.length ? most : most.slice(0, endOfWords(most)));
    parts.push(part);
    from += part.length;
  }
  return parts.length > 0 ? parts : [''];
}

/** Returns where a part ends that another one follows. @param {string} most */
function endOfWords(most) {
  const end = Math.max(most.lastIndexOf('\n'), most.lastIndexOf(' ')) + 1;
  if (end > PART / 2) return end;
  return /[\ud800-\udbff]$/.test(most) ? PART - 1 : PART;
}

/** Returns as many lines of a text as a part has at most. @param {string} text */
function firstLines(text) {
  let to = 0;
  for (let lines = 0; lines < LINES; lines++) {
    to = text.indexOf('\n', to) + 1;
    if (to === 0) return text;
  }
  return text.slice(0, to);
}

/** Opens the comment of a move. @param {import('./app.js').App} app @param {import('./tree.js').Path} path */
export function commentDialog(app, path) {
  const { session } = app;
  const { id, root } = session;
  const moves = movesTo(root, path);
  const parts = partsOf(plainComment(nodeAt(root, path).comment));
  let at = 0;
  const area = el('textarea', { rows: 14, class: 'comment-part', 'aria-label': t('Comment on this move') });
  const place = el('span', { class: 'quiet', role: 'status' });
  const turn = (/** @type {number} */ step) => {
    parts[at] = area.value;
    at += step;
    show();
  };
  const [before, after] = [button(t('Previous part'), () => turn(-1)), button(t('Next part'), () => turn(1))];
  const show = () => {
    area.value = parts[at] ?? '';
    area.scrollTop = 0;
    place.textContent = t('part {n} of {all}', { n: number(at + 1), all: number(parts.length) });
    before.disabled = at === 0;
    after.disabled = at === parts.length - 1;
  };
  const save = () => {
    parts[at] = area.value;
    box.close();
    const now = session.id === id ? find(session.root, moves) : null;
    if (now) session.comment(now, withText(nodeAt(session.root, now).comment, parts.join('').trim()));
    else app.say(t('The move of this comment is no longer there.'), 'error');
  };
  const box = dialog(t('Comment on this move'), area,
    ...parts.length > 1 ? [row(before, place, after)] : [],
    row(button(t('Save'), save, { class: 'primary' }), button(t('Cancel'), () => box.close())));
  show();
}
