import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findBrowser, launchBrowser, NO_BROWSER } from '../support/browser.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

/** A browser that starts on a busy machine takes its time. */
const PATIENCE_MS = 300_000;
const executable = await findBrowser();
if (executable === undefined) console.warn(NO_BROWSER);

/** The page of the API description, in a real browser. */
describe.skipIf(executable === undefined)('the page at /docs', () => {
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  let problems: string[];
  let loaded: string[];

  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'conf/managed.json': {
          objects: [
            {
              name: 'device',
              schema: { properties: { label: { type: 'string', title: '<b id="bold">Label</b>' } } },
            },
          ],
        },
      },
    });
    browser = await launchBrowser(executable!);
  });
  beforeEach(async () => {
    page = await browser.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    problems = [];
    loaded = [];
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('request', (request) => loaded.push(request.url()));
    return () => page.close();
  });
  afterAll(async () => {
    await browser.close();
    await server?.[Symbol.asyncDispose]();
  });

  const operation = (text: string) =>
    page.locator('details', { has: page.locator(`summary:has-text("${text}")`) });

  it.each(['/docs', '/docs/'])(
    'shows every operation at %s, and loads nothing from elsewhere',
    async (path) => {
      await page.goto(server.url + path);
      await page.locator('details').first().waitFor();
      const description = (await (await fetch(`${server.url}/docs/openapi.json`)).json()) as {
        paths: Record<string, object>;
      };
      const verbs = ['get', 'post', 'put', 'patch', 'delete'];
      const expected = Object.values(description.paths).flatMap((item) =>
        verbs.filter((verb) => verb in item),
      );
      expect(await page.locator('details').count()).toBe(expected.length);
      expect(await page.title()).not.toBe('');
      expect(loaded.filter((url) => !url.startsWith(server.url))).toEqual([]);
      expect(problems).toEqual([]);
    },
  );

  it('says of an operation what it takes, and how to ask', async () => {
    await page.goto(`${server.url}/docs`);
    const create = operation('Create managed device').first();
    await create.locator('summary').click();
    const text = await create.innerText();
    expect(text).toContain('/svc/managed/device');
    expect(text).toContain('_dryRun');
    expect(text).toContain(`curl -u svc-admin -X POST '${server.url}/svc/managed/device'`);
    expect(problems).toEqual([]);
  });

  it('finds operations by words', async () => {
    await page.goto(`${server.url}/docs`);
    await page.locator('details').first().waitFor();
    await page.getByRole('searchbox').fill('delete device');
    expect(await page.locator('details:visible').count()).toBe(1);
    expect(await page.locator('details:visible').innerText()).toContain('/svc/managed/device/{id}');
    await page.getByRole('searchbox').fill('no such words');
    expect(await page.locator('details:visible').count()).toBe(0);
  });

  it('shows what a configuration says as text, never as markup', async () => {
    await page.goto(`${server.url}/docs`);
    await operation('Create managed device').first().locator('summary').click();
    expect(await page.locator('#bold').count()).toBe(0);
    expect(await operation('Create managed device').first().innerText()).toContain('<b id=');
  });
});
