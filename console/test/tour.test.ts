/** The tour of the README in the console, step by step as it stands there, on the project that is shipped. */
import { readdir, readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildConsole } from '../../bin/build-console.js';
import { ADMIN_PASSWORD } from '../../test/support/api.ts';
import { findBrowser, launchBrowser, NO_BROWSER } from '../../test/support/browser.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { rewrite } from './conform.ts';
import { visit } from './site.ts';

const executable = await findBrowser();
if (executable === undefined) console.warn(NO_BROWSER);

const ROOT = new URL('../../', import.meta.url);

/** What `npm start` runs, its schedules as well. */
async function shippedFiles(): Promise<Record<string, string>> {
  const of = async (folder: string, wanted: RegExp) => {
    const names = (await readdir(new URL(folder, ROOT))).filter((name) => wanted.test(name));
    return Promise.all(
      names.map(async (name) => [
        `${folder}/${name}`,
        await readFile(new URL(`${folder}/${name}`, ROOT), 'utf8'),
      ]),
    );
  };
  const lists = await Promise.all([
    of('conf', /^schedule-(?:deactivate-leavers|sample-users)\.json$/),
    of('script', /^(?!access\b).*\.js$/),
    of('workflow', /\.xml$/),
  ]);
  return Object.fromEntries(lists.flat());
}

describe.skipIf(executable === undefined)('the tour of the README in the console', () => {
  const scope = new AsyncDisposableStack();
  let server: TestServer;
  let browser: Browser;
  const admin: { page: Page; problems: readonly string[] } = Object.create(null);
  beforeAll(async () => {
    const built = buildConsole();
    server = scope.use(await startTestServer({ files: await shippedFiles(), deploymentIntervalMs: 50 }));
    await built;
    browser = await launchBrowser(executable ?? NO_BROWSER);
    scope.defer(() => browser.close());
    Object.assign(admin, await visit(browser, server, { user: null, path: '/' }));
  });
  afterAll(() => scope.disposeAsync());

  const apply = async (page: Page) => {
    await page.getByText('Nothing has been written yet').waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };
  const logIn = async (page: Page, name: string, password: string) => {
    await page.getByRole('textbox', { name: 'User name' }).fill(name);
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await page.getByRole('button', { name: 'Log in' }).click();
  };

  it('somebody who has left is deactivated, and one sees by what and when', async () => {
    const { page } = admin;
    await logIn(page, 'svc-admin', ADMIN_PASSWORD);
    await page.getByRole('link', { name: 'Objects' }).click();
    await page.getByRole('button', { name: /^New/ }).click();
    for (const [field, value] of [
      ['Username', 'dora'],
      ['First name', 'Dora'],
      ['Last name', 'Nagy'],
      ['E-mail', 'dora@example.com'],
      ['Last day', '2021-06-30'],
    ] as const) {
      await page.getByRole('textbox', { name: new RegExp(`^${field}`, 'i') }).fill(value);
    }
    await page.getByRole('button', { name: 'Create' }).click();
    await apply(page);
    await page.getByRole('heading', { level: 1, name: 'Dora Nagy' }).waitFor();
    // The schedule comes by within half a minute, and the page hears of it.
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByText('deactivate-leavers').first().waitFor();
    await page.getByRole('link', { name: 'Schedules' }).click();
    await page.getByRole('row', { name: /deactivate-leavers/ }).click();
    await page.getByRole('row', { name: /fired/ }).first().click();
    await page.getByRole('dialog', { name: /^Why/ }).getByRole('listitem').first().waitFor();
    await page.keyboard.press('Escape');
  });

  it('a script is rehearsed that nobody has saved', async () => {
    const { page } = admin;
    await page.getByRole('link', { name: 'Scripts' }).click();
    await page.getByRole('button', { name: 'New script' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('try.js');
    await page.getByRole('dialog').getByRole('button').last().click();
    await rewrite(
      page.getByRole('textbox', { name: 'try.js' }),
      'svc.patch("managed/user/avo", null, [{operation:"replace", field:"/accountStatus", value:"inactive"}]).accountStatus',
    );
    await page.getByRole('button', { name: 'Rehearse' }).first().click();
    await page.getByRole('region', { name: 'Result' }).getByText('/accountStatus').waitFor();
    expect((await server.api('GET', 'managed/user/avo')).body.accountStatus).toBe('active');
  });

  it('a role is asked for by one and granted by another', async () => {
    const { page } = admin;
    await page.goto(`${server.url}/console/objects/role/new`);
    await page.getByRole('textbox', { name: /^Name/ }).fill('auditor');
    await page.getByRole('textbox', { name: /^Description/ }).fill('May read everything');
    await page.getByRole('combobox', { name: 'Requestable' }).selectOption('true');
    await page.getByRole('button', { name: 'Create' }).click();
    await apply(page);
    await page.getByRole('heading', { level: 1, name: 'auditor' }).waitFor();
    await page.goto(`${server.url}/console/objects/user/avo`);
    await page.getByLabel(/^Password/).fill('Asking-4-access');
    await page.getByRole('button', { name: 'Review 1 change' }).click();
    await apply(page);

    const anna = await visit(browser, server, { user: null, path: '/' });
    await logIn(anna.page, 'avo', 'Asking-4-access');
    await anna.page.getByRole('link', { name: 'My requests' }).click();
    await anna.page.getByRole('link', { name: 'Ask for auditor' }).click();
    await anna.page.getByRole('textbox', { name: /^Reason/ }).fill('The audit');
    await anna.page.keyboard.press('Control+Enter');
    await apply(anna.page);

    await page.getByRole('link', { name: 'Processes' }).click();
    await page.getByRole('tab', { name: 'Instances' }).click();
    await page.getByRole('row', { name: /Access request/ }).click();
    await page.getByRole('link', { name: 'Open', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Approve auditor for Anna Vogel' }).waitFor();
    await page.getByRole('button', { name: 'Take it' }).click();
    await apply(page);
    await page.getByRole('combobox', { name: /Decision/ }).selectOption('accept');
    await page.getByRole('button', { name: 'Finish' }).click();
    await apply(page);
    await anna.page.getByRole('link', { name: 'My requests' }).click();
    await anna.page.getByText('You have it').waitFor();
    expect(anna.problems).toEqual([]);
    await anna.close();
  });

  it('a mistake is told with what to do about it', async () => {
    const { page } = admin;
    await page.getByRole('link', { name: 'Schedules' }).click();
    await page.getByRole('button', { name: 'New schedule' }).click();
    await page.getByRole('combobox', { name: 'Time zone' }).fill('Europe/Praque');
    await page.getByText("Did you mean 'Europe/Prague'?").waitFor();
    expect(admin.problems).toEqual([]);
  });
});
