// The lessons that begin from the page: openings, repertoires, endings, exercises.

import { get } from '../api.js';
import { Endings } from './endings.js';
import { EndingsCourse } from './endingscourse.js';
import { Exercises } from './exercises.js';
import { begin } from './lesson.js';
import { Openings } from './openings.js';
import { Repertoire } from './repertoire.js';

/** @typedef {import('../app.js').App} App */

/** Begins the trainer of openings. @param {App} app */
export function openings(app) {
  begin(app, new Openings(app));
}

/** Begins with the game on the board and its variations as a repertoire. @param {App} app */
export function repertoire(app) {
  begin(app, new Repertoire(app));
}

/** Begins, or goes on, with the course of endings. @param {App} app */
export function course(app) {
  begin(app, new EndingsCourse(app));
}

/** Begins with a won position of a set of the tables by chance. @param {App} app */
export async function endings(app) {
  try {
    /** @type {{tables: import('../wire.js').SetInfo[]}} */
    const { tables } = await get('/api/tables');
    begin(app, new Endings(app, { fen: '', set: '', wdl: 'win' }, tables.map(({ material }) => material)));
  } catch (error) {
    app.fail(error);
  }
}

/** Begins with an ending. @param {App} app @param {import('./endings.js').Task} task */
export function ending(app, task) {
  begin(app, new Endings(app, task));
}

/** Begins with the exercises that are due. @param {App} app */
export function exercises(app) {
  begin(app, new Exercises(app));
}
