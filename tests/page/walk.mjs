// What walks through the page share: the browser, steps, and the problems that are found on the way.

import { mkdirSync, readFileSync } from 'node:fs';
import assert from 'node:assert/strict';

const { chromium } = await import(process.env.PLAYWRIGHT ?? 'playwright-core');
const shots = process.env.SCREENSHOTS ?? '';
if (shots) mkdirSync(shots, { recursive: true });

/** @type {string[]} */
export const problems = [];
let done = 0;

// A request that was held up may fail after its step: one problem more, and the walk goes on.
process.on('unhandledRejection', (error) => problems.push(`beside the steps: ${error instanceof Error ? error.stack : error}`));

// One browser for all windows: starting it takes seconds.
/** @type {Promise<import('playwright-core').Browser> | undefined} */
let browser;

/**
 * Returns a window of a fresh browser profile that notes every error but those for which `expected` returns true.
 * @param {string} base @param {object} options @param {(message: import('playwright-core').ConsoleMessage) => boolean} [expected]
 */
export async function launch(base, options = {}, expected = () => false) {
  browser ??= chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
  const context = await (await browser).newContext({
    viewport: { width: 1280, height: 800 }, locale: 'en-GB', reducedMotion: 'reduce', acceptDownloads: true, ...options,
  });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: new URL(base).origin }).catch(() => {});
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error' && !expected(message)) problems.push(`console: ${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => problems.push(`error: ${error.stack}`));
  page.on('dialog', (dialog) => { problems.push(`a dialog opened: ${dialog.message()}`); void dialog.dismiss(); });
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => console.error(`CSP: ${event.violatedDirective} ${event.blockedURI}`));
  });
  return { page, close: () => context.close() };
}

/** Opens an address of the page and waits until it can be used. */
export async function go(page, address) {
  await page.goto(address);
  await page.waitForSelector('body[data-ready]');
  await page.waitForTimeout(200);
}

/** Returns what passes requests on after some milliseconds. */
export const late = (wait) => async (route) => {
  await new Promise((resolve) => { setTimeout(resolve, wait); });
  try {
    await route.continue();
  } catch {
    // The page has given it up, or the step that wanted it late is over.
  }
};

/** Returns the middle of a point of the board on the screen. */
export async function place(page, point) {
  const box = await page.locator(`.points [data-point="${point}"]`).boundingBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
}

export async function clickPoint(page, point) {
  await page.mouse.click(...await place(page, point));
}

export const movesOf = (page) => new URL(page.url()).searchParams.get('moves') ?? '';
export const text = (page, selector) => page.locator(selector).first().innerText();

/** Takes a step of the walk: an error in it is a problem, and the walk goes on. ONLY names the steps to take. */
export async function step(name, work) {
  if (process.env.ONLY && !name.includes(process.env.ONLY)) return;
  const before = problems.length;
  try {
    await work();
  } catch (error) {
    problems.push(`${name}: ${error.stack}`);
  }
  done++;
  console.log(problems.length === before ? 'ok  ' : 'FAIL', name);
}

export async function shot(page, name) {
  if (shots) await page.screenshot({ path: `${shots}/${name}.png` });
}

/** Checks that axe-core finds nothing serious. */
export async function accessible(page, name) {
  if (!process.env.AXE) return;
  await page.evaluate(readFileSync(process.env.AXE, 'utf8'));
  const serious = await page.evaluate(async () => {
    if (!('axe' in window)) return ['axe did not load'];
    const { violations } = await window.axe.run();
    return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(' | ')}`);
  });
  assert.deepEqual(serious, [], name);
}

/** Says what was found, and ends with 1 if that was anything. */
export function report() {
  console.log(problems.length === 0 ? `${done} steps passed` : `\n${problems.join('\n\n')}\n\n${problems.length} problems`);
  process.exit(problems.length === 0 ? 0 : 1);
}
