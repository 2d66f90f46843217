/** The console in a browser: from an empty and from a filled cache to the first screen, and how long a key takes to be drawn. */
import { chromium } from 'playwright-core';
import { buildConsole } from '../bin/build-console.js';
import { findBrowser, NO_BROWSER } from '../test/support/browser.ts';
import { createBenchDatabase } from './support/postgres.ts';
import { report } from './support/row.ts';
import { createProject, PASSWORD, startService } from './support/service.ts';
import { isQuick } from './support/settings.ts';
import { fillUsers, USER_TYPE } from './support/users.ts';

const BENCH = 'console';
const ROUNDS = isQuick ? 2 : 7;
const TEXT = 'Department of tests';

const executablePath = await findBrowser();
if (executablePath === undefined) throw new Error(NO_BROWSER);
await buildConsole();
await using scope = new AsyncDisposableStack();
const { url: databaseUrl } = scope.use(await createBenchDatabase());
await fillUsers(databaseUrl, 1_000);
const { location } = scope.use(await createProject(USER_TYPE));
const { url } = scope.use(await startService({ databaseUrl, project: location }));
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
scope.defer(() => browser.close());

const cold: number[] = [];
const warm: number[] = [];
const keys: number[] = [];
for (let round = 0; round <= ROUNDS; round++) {
  const context = await browser.newContext();
  await context.request.post(`${url}/svc/authentication?_action=login`, {
    headers: { 'X-Svc-Username': 'svc-admin', 'X-Svc-Password': PASSWORD, 'X-Requested-With': 'bench' },
  });
  const shown = async () => {
    const page = await context.newPage();
    const startedAt = performance.now();
    await page.goto(`${url}/console/home`, { waitUntil: 'commit' });
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await page.locator('main dl dd').first().waitFor();
    const ms = performance.now() - startedAt;
    await page.close();
    return ms;
  };
  const first = await shown();
  const second = await shown();
  const page = await context.newPage();
  await page.goto(`${url}/console/objects/user/new`);
  const field = page.getByRole('textbox').first();
  await field.waitFor();
  await page.evaluate(`(() => {
    window.slowest = 0;
    new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries()) if (name === 'keydown') window.slowest = Math.max(window.slowest, duration);
    }).observe({ type: 'event', durationThreshold: 16, buffered: true });
  })()`);
  await field.pressSequentially(TEXT, { delay: 30 });
  const slowest = await page.evaluate<number>('window.slowest');
  await context.close();
  // The first round is one of a browser that has just been started.
  if (round === 0) continue;
  cold.push(first);
  warm.push(second);
  keys.push(slowest);
}
const row = { bench: BENCH, unit: 'ms', lessIsBetter: true };
report({ ...row, quantity: 'first screen, empty cache', ours: cold, goal: { atMost: 1_500 } });
report({ ...row, quantity: 'first screen, filled cache', ours: warm, goal: { atMost: 300 } });
report({
  ...row,
  quantity: 'slowest of 19 keys in a form until it is drawn',
  ours: keys,
  goal: { atMost: 50 },
});
