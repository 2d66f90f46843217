/** A change of which nobody has heard what has become: the page says what is known, and it is not made twice. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildConsole } from '../../bin/build-console.js';
import { findBrowser, launchBrowser, NO_BROWSER } from '../../test/support/browser.ts';
import { eventually } from '../../test/support/eventually.ts';
import { type NodeProcess, startNodeProcess } from '../../test/support/node-process.ts';
import { createProject, type TestProject } from '../../test/support/project.ts';
import { createStartedDatabase } from '../../test/support/started-database.ts';
import { visit } from './site.ts';

const executable = await findBrowser();
if (executable === undefined) console.warn(NO_BROWSER);

const PERSON = {
  name: 'person',
  schema: {
    order: ['name', 'city'],
    properties: { name: { type: 'string', title: 'Name' }, city: { type: 'string', title: 'City' } },
  },
  // Whoever is to live in Bern waits until the gate is open.
  onUpdate: {
    type: 'text/javascript',
    timeout: 120_000,
    source: `
      if (object.city === 'Bern' && svc.read('managed/gate/open') === null) {
        logger.info('held');
        var until = Date.now() + 100000;
        while (svc.read('managed/gate/open') === null && Date.now() < until) {}
      }`,
  },
};

describe.skipIf(executable === undefined)('a change whose answer is lost', () => {
  const scope = new AsyncDisposableStack();
  let browser: Browser;
  let project: TestProject;
  let databaseUrl: string;
  let node: NodeProcess;
  const start = async (environment: Record<string, string> = {}) =>
    scope.use(await startNodeProcess({ name: 'a', databaseUrl, project: project.location, environment }));
  const updates = async () => {
    const { body } = await node.api(
      'GET',
      `audit/activity?_queryFilter=${encodeURIComponent('objectId eq "managed/person/ada" and operation eq "PATCH"')}`,
    );
    return body.result.length;
  };
  beforeAll(async () => {
    const built = buildConsole();
    databaseUrl = scope.use(await createStartedDatabase()).url;
    project = scope.use(
      await createProject({ 'conf/managed.json': { objects: [PERSON, { name: 'gate' }] } }),
    );
    node = await start();
    await node.api('PUT', 'managed/person/ada', { body: { name: 'Ada', city: 'Rome' } });
    await node.api('PUT', 'managed/gate/open', { body: {} });
    await built;
    browser = await launchBrowser(executable ?? NO_BROWSER);
    scope.defer(() => browser.close());
  });
  afterAll(() => scope.disposeAsync());

  it('is told to be unknown when the node has been killed, and is made once when it is applied again', async () => {
    const visitor = await visit(browser, node, { path: '/objects/person/ada' });
    const { page } = visitor;
    await page.getByRole('textbox', { name: 'City' }).fill('Bern');
    await page.getByRole('button', { name: 'Review 1 change' }).click();
    await page.getByText('Nothing has been written yet').waitFor();
    await node.api('DELETE', 'managed/gate/open');
    await page.getByRole('button', { name: 'Apply' }).click();
    await node.logged(({ msg }) => msg.includes('held'));
    node.signal('SIGKILL');
    await node.ended;
    await page.getByText('Nobody knows yet whether this was done').waitFor();
    await page.getByText('what has been done already is not done twice').waitFor();
    const { port } = new URL(node.url);
    node = await start({ PORT: port });
    await node.api('PUT', 'managed/gate/open', { body: {} });
    expect((await node.api('GET', 'managed/person/ada')).body.city).toBe('Rome');
    await page.getByRole('button', { name: 'Apply again' }).click();
    await page.getByText('Ada is changed').waitFor();
    expect((await node.api('GET', 'managed/person/ada')).body).toMatchObject({ _rev: '1', city: 'Bern' });
    expect(await updates()).toBe(1);
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('is found to have been made, when it was and only its answer was lost', async () => {
    const visitor = await visit(browser, node, { path: '/objects/person/ada' });
    const { page } = visitor;
    await page.getByRole('textbox', { name: 'City' }).fill('Oslo');
    await page.getByRole('button', { name: 'Review 1 change' }).click();
    await page.getByText('Nothing has been written yet').waitFor();
    let isLost = false;
    await page.route('**/svc/managed/person/ada', async (route) => {
      if (isLost || route.request().method() !== 'PATCH') return route.continue();
      isLost = true;
      await route.fetch();
      return route.abort();
    });
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('Nobody knows yet whether this was done').waitFor();
    await eventually(
      () => node.api('GET', 'managed/person/ada'),
      ({ body }) => body.city === 'Oslo',
    );
    await page.getByRole('button', { name: 'Apply again' }).click();
    await page.getByText('It is as you wanted it already').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByText('Ada is changed').waitFor();
    expect((await node.api('GET', 'managed/person/ada')).body._rev).toBe('2');
    expect(await updates()).toBe(2);
    await visitor.close();
  });
});
