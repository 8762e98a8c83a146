// The editor of positions.

import { button, calm, el, quiet, row, select, svg } from '../dom.js';
import { get } from '../api.js';
import { parse, START, write } from '../fen.js';
import { t } from '../i18n.js';
import { manShape } from '../board.js';
import { MAN_NAMES } from '../pieces.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {import('../fen.js').Position} Position */

/** Edits a position on the board. */
export class Setup {
  /** @param {App} app @param {(position: Position) => void} show @param {(at: {clientX: number, clientY: number}) => string | null} pointAt tells the point of the board under the mouse */
  constructor(app, show, pointAt) {
    this.app = app;
    this.show = show;
    this.pointAt = pointAt;
    this.brush = '';
    /** @type {Position} */
    this.position = app.session.position;
    this.element = el('section', { class: 'panel panel-setup', 'aria-label': t('Set up a position') });
    this.verdict = el('div', { class: 'verdict', role: 'status' });
    this.field = el('input', { type: 'text', class: 'fen', 'aria-label': 'FEN', spellcheck: 'false', autocomplete: 'off',
      onchange: () => this.takeFen(this.field.value) });
    this.done = button(t('Use this position'), () => this.finish(), { class: 'primary' });
    this.judge = calm(() => void this.askVerdict(), 120);
    app.on(['editing'], () => this.open());
  }

  open() {
    if (!this.app.editing) return;
    this.position = this.app.session.position;
    this.draw();
    this.changed();
  }

  draw() {
    const { app } = this;
    this.element.replaceChildren(
      el('div', { class: 'panel-head' }, el('strong', {}, t('Set up a position'))),
      quiet(t('Drag pieces to the board, or choose one and click points. The right button removes a piece, and so does dragging it off the board.')),
      app.game === 'gomoku' ? this.stonePalette() : this.palette(), this.options(), this.field, this.verdict,
      row(this.done, button(t('Cancel'), () => app.setEditing(false))));
  }

  palette() {
    const { settings } = this.app;
    const keys = (/** @type {string} */ men) => [...men].map((man) => this.brushButton(man,
      svg('svg', { viewBox: '-50 -50 100 100', 'aria-hidden': 'true' }, manShape(settings.set, man))));
    return el('div', { class: 'palette', role: 'radiogroup', 'aria-label': t('Pieces') }, ...keys('KABNRCP'), this.eraser(), ...keys('kabnrcp'));
  }

  eraser() {
    return this.brushButton('', svg('svg', { viewBox: '0 0 24 24', class: 'icon eraser', 'aria-hidden': 'true' }, svg('path', { d: 'M6 6l12 12M18 6L6 18' })));
  }

  stonePalette() {
    const stone = (/** @type {string} */ man) => this.brushButton(man, svg('svg', { viewBox: '-50 -50 100 100', 'aria-hidden': 'true' },
      svg('g', { class: `stone stone-${man === 'x' ? 'black' : 'white'}` }, svg('circle', { r: 44, class: 'stone-face' }))));
    return el('div', { class: 'palette', role: 'radiogroup' }, stone('x'), stone('o'), this.eraser());
  }

  /** @param {string} man @param {Element} face */
  brushButton(man, face) {
    const name = man ? t(MAN_NAMES[man] ?? man) : t('Remove');
    const key = el('button', { type: 'button', role: 'radio', 'aria-checked': String(this.brush === man), 'aria-label': name, title: name,
      'data-man': man, onclick: () => this.choose(man) }, face);
    if (man) this.makeDraggable(key, man);
    return key;
  }

  /** Lets a piece be carried from the palette to the board. @param {HTMLElement} key @param {string} man */
  makeDraggable(key, man) {
    const face = /** @type {Element} */ (key.firstElementChild);
    key.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      const from = [event.clientX, event.clientY];
      /** @type {HTMLElement | null} */
      let carried = null;
      key.setPointerCapture(event.pointerId);
      const carry = (/** @type {PointerEvent} */ at) => {
        if (!carried && Math.hypot(at.clientX - (from[0] ?? 0), at.clientY - (from[1] ?? 0)) > 6) {
          carried = el('div', { class: 'carried' }, /** @type {Element} */ (face.cloneNode(true)));
          document.body.append(carried);
        }
        if (carried) carried.style.translate = `${at.clientX}px ${at.clientY}px`;
      };
      const end = (/** @type {PointerEvent} */ at) => {
        key.removeEventListener('pointermove', carry);
        for (const name of ENDS) key.removeEventListener(name, /** @type {EventListener} */ (end));
        if (carried) this.putAt(man, at.type === 'pointerup' ? this.pointAt(at) : null);
        carried?.remove();
      };
      key.addEventListener('pointermove', carry);
      for (const name of ENDS) key.addEventListener(name, /** @type {EventListener} */ (end));
    });
  }

  /** @param {string} man @param {string | null} point */
  putAt(man, point) {
    if (point) this.set({ men: new Map(this.position.men).set(point, man) });
  }

  /** @param {string} man */
  choose(man) {
    this.brush = man;
    for (const key of this.element.querySelectorAll('.palette button')) {
      key.setAttribute('aria-checked', String(key.getAttribute('data-man') === man));
    }
  }

  options() {
    const { app } = this;
    const xiangqi = app.game === 'xiangqi';
    const sides = xiangqi ? [['w', t('Red to move')], ['b', t('Black to move')]] : [['x', t('Black to move')], ['o', t('White to move')]];
    const box = row(
      select(/** @type {[string, string][]} */ (sides), this.position.turn, (turn) => this.set({ turn }), { 'aria-label': t('Side to move'), class: 'turn' }),
      button(t('Start position'), () => this.takeFen(START[app.game])),
      button(t('Empty the board'), () => this.clear()));
    if (xiangqi) box.append(button(t('Swap colours'), () => this.swap()));
    else {
      box.append(el('label', { class: 'field' }, el('span', {}, t('Size of the board')), this.sizeChoice()),
        el('label', { class: 'field' }, el('span', {}, t('Rules')), this.ruleChoice()));
    }
    return box;
  }

  sizeChoice() {
    return select([['15', '15 × 15'], ['19', '19 × 19'], ['20', '20 × 20']], String(this.position.rows),
      (size) => this.takeFen(`${Array(Number(size)).fill(size).join('/')} x ${this.position.rest || '5'}`));
  }

  ruleChoice() {
    const now = this.position.rest.split(' ')[1] ?? 'freestyle';
    return select([['freestyle', t('freestyle')], ['standard', t('exactly five')], ['renju', t('renju')]], now,
      (rule) => this.set({ rest: rule === 'freestyle' ? '5' : `5 ${rule}` }));
  }

  /** @param {Partial<Position>} parts */
  set(parts) {
    this.position = { ...this.position, quiet: 0, number: 1, ...parts };
    this.changed();
  }

  clear() { this.set({ men: new Map() }); }

  swap() {
    const men = new Map([...this.position.men].map(([point, man]) =>
      [(point[0] ?? '') + (9 - Number(point.slice(1))), man === man.toUpperCase() ? man.toLowerCase() : man.toUpperCase()]));
    this.set({ men, turn: this.position.turn === 'w' ? 'b' : 'w' });
    this.draw();
  }

  /** Puts the chosen piece on a point, or takes the one there away. @param {string} point */
  point(point) {
    const men = new Map(this.position.men);
    if (!this.brush || men.get(point) === this.brush) men.delete(point);
    else men.set(point, this.brush);
    this.set({ men });
  }

  /** Carries a piece. @param {string} from @param {string | null} to */
  drop(from, to) {
    const men = new Map(this.position.men);
    const man = men.get(from);
    men.delete(from);
    if (man && to) men.set(to, man);
    this.set({ men });
  }

  /** @param {string} text */
  takeFen(text) {
    const position = parse(this.app.game, text);
    if (!position) {
      this.verdict.className = 'verdict bad';
      this.verdict.textContent = t('This is not a FEN.');
      return;
    }
    this.position = position;
    this.draw();
    this.changed();
  }

  changed() {
    this.field.value = write(this.app.game, this.position);
    this.show(this.position);
    this.done.disabled = true;
    this.judge();
  }

  async askVerdict() {
    const fen = this.field.value;
    try {
      const answer = await get('/api/legal', { game: this.app.game === 'gomoku' ? 'gomoku' : '', fen });
      if (fen === this.field.value) this.showVerdict(answer);
    } catch (error) {
      this.showVerdict({ status: 'illegal', reasons: [error instanceof Error ? error.message : String(error)] });
    }
  }

  /** @param {{status: string, reasons?: string[]}} answer */
  showVerdict(answer) {
    const bad = answer.status === 'illegal';
    this.done.disabled = bad;
    this.verdict.className = bad ? 'verdict bad' : 'verdict good';
    this.verdict.replaceChildren(bad ? el('ul', {}, ...(answer.reasons ?? []).map((reason) => el('li', {}, readable(reason)))) : t('A legal position.'));
  }

  finish() {
    const fen = this.field.value;
    this.app.editing = false;
    this.app.emit('editing');
    this.app.load({ start: fen });
  }
}

/** Ends of a drag. */
const ENDS = ['pointerup', 'pointercancel'];

/** Returns a reason with the names of the men in place of their letters. @param {string} reason */
function readable(reason) {
  return reason.replace(/'([KABNRCPkabnrcp])'/g, (whole, /** @type {string} */ man) => {
    const name = MAN_NAMES[man];
    return name ? t(name) : whole;
  });
}
