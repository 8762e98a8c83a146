// A long comment, shown and changed a part at a time, so that no part takes long to lay out.

import { plainComment, withText } from './annotations.js';
import { button, dialog, el, row } from './dom.js';
import { number, t } from './i18n.js';
import { find, movesTo, nodeAt } from './tree.js';

/** Characters of a part. */
const PART = 4000;

/** Cuts a text into parts, at the end of a line or a word where there is one. @param {string} text */
export function partsOf(text) {
  const parts = [];
  for (let from = 0; from < text.length;) {
    const to = from + PART < text.length ? cutBefore(text, from, from + PART) : text.length;
    parts.push(text.slice(from, to));
    from = to;
  }
  return parts.length > 0 ? parts : [''];
}

/** @param {string} text @param {number} from @param {number} to */
function cutBefore(text, from, to) {
  const half = from + PART / 2;
  const end = Math.max(text.lastIndexOf('\n', to - 1), text.lastIndexOf(' ', to - 1)) + 1;
  if (end > half) return end;
  return /[\ud800-\udbff]/.test(text[to - 1] ?? '') ? to - 1 : to;
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
