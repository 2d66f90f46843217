import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrowser, NO_BROWSER } from '../../../test/support/browser.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { badgeProcess } from '../../test/badge-process.ts';
import { conforms } from '../../test/conform.ts';
import { type ConsoleSite, openSite } from '../../test/site.ts';

const executable = await findBrowser();
if (executable === undefined) console.warn(NO_BROWSER);

describe.skipIf(executable === undefined)('processes in the console', () => {
  let site: ConsoleSite;
  const find = async (path: string) => (await site.server.api('GET', path)).body.result;
  const definitionOf = async (key: string, version: number): Promise<string> =>
    (await find(`workflow/processdefinition?_queryId=filtered-query&key=${key}&version=${version}`))[0]._id;
  const instanceOf = async (key: string): Promise<string> =>
    (await find(`workflow/processinstance?_queryId=filtered-query&processDefinitionKey=${key}`))[0]._id;
  beforeAll(async () => {
    site = await openSite(executable ?? NO_BROWSER);
  });
  afterAll(() => site?.[Symbol.asyncDispose]());

  it('look as every page does, in lists and one by one', async () => {
    const title = { en: 'Processes', de: 'Prozesse' };
    await conforms(site, { path: '/processes' }, title);
    await conforms(site, { path: '/processes?tab=instances&ended=all' }, title);
    await conforms(site, { path: '/processes?tab=letters' }, title);
    const drawn = `/processes/definition/${await definitionOf('accessRequest', 1)}`;
    await conforms(site, { path: drawn }, { en: 'Access request', de: 'Access request' });
    await conforms(site, { path: `${drawn}?tab=xml` }, { en: 'Access request', de: 'Access request' });
    const first = `/processes/definition/${await definitionOf('badge', 1)}?tab=migration`;
    await conforms(site, { path: first }, { en: 'Badge', de: 'Badge' });
    const one = `/processes/instance/${await instanceOf('accessRequest')}`;
    await conforms(
      site,
      { path: one },
      { en: 'Instance of Access request', de: 'Instanz von Access request' },
    );
  });

  it('show at the elements what goes on there, and where an instance has been step by step', async () => {
    const visitor = await site.open({ path: '/processes' });
    const { page } = visitor;
    await page.getByRole('row', { name: /Access request/ }).click();
    await page.getByRole('button', { name: /^Approve .*: 1$/ }).click();
    await expect.poll(() => page.locator('[role=row][aria-selected=true]').count()).toBe(1);
    await page.getByRole('tab', { name: 'Instances' }).click();
    await page.getByRole('row', { name: /auditor/ }).click();
    await page.getByRole('button', { name: 'Why?' }).click();
    const why = page.getByRole('dialog', { name: /^Why: Approve auditor/ });
    await why.getByRole('listitem').first().waitFor();
    await page.keyboard.press('Escape');
    await why.waitFor({ state: 'detached' });
    await page.keyboard.press('ArrowLeft');
    await page.getByText(/^Step \d+ of \d+$/).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByText('Now', { exact: true }).waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('tell why a job has failed for good, at which line, and give it another attempt', async () => {
    const visitor = await site.open({ path: '/processes?tab=letters' });
    const { page } = visitor;
    await page.getByRole('row', { name: /cannot read property 'mail' of null/ }).click();
    const letter = page.getByRole('dialog');
    await letter
      .getByText(/:2:\d+/)
      .first()
      .waitFor();
    await letter.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('dialog', { name: 'Give the job one more attempt' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('are mended: a variable is written, and the instance goes on by the version that works', async () => {
    const [{ processInstanceId }] = await find('workflow/job/deadletter?_queryId=query-all-ids');
    const visitor = await site.open({ path: `/processes/instance/${processInstanceId}?tab=variables` });
    const { page } = visitor;
    await page.getByRole('row', { name: /holder/ }).click();
    await page.getByRole('textbox', { name: 'Value, as JSON' }).fill('"ewei"');
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByText('Nothing has been written yet').waitFor();
    await page
      .getByRole('dialog')
      .getByRole('row', { name: /holder.*ewei/ })
      .waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('The variable holder is changed').waitFor();
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Migrate to version 2' }).click();
    await page.getByText('Nothing has been written yet').waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('It goes on by version 2').waitFor();
    await page.getByRole('tab', { name: 'What was done to it' }).click();
    await page.getByRole('listitem').filter({ hasText: 'migrate' }).waitFor();
    expect(
      (await site.server.api('GET', `workflow/processinstance/history/${processInstanceId}`)).body,
    ).toMatchObject({
      processDefinitionId: expect.stringContaining('badge:2'),
      processVariables: { holder: 'ewei' },
    });
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('are deployed from a file that is rehearsed, with every mistake at its element, and started by their form', async () => {
    const visitor = await site.open({ path: '/processes' });
    const { page } = visitor;
    const choose = async (content: string) => {
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByRole('button', { name: 'Deploy a file' }).click(),
      ]);
      await chooser.setFiles({
        name: 'badge.bpmn20.xml',
        mimeType: 'text/xml',
        buffer: Buffer.from(content),
      });
    };
    await choose(badgeProcess('1').replace('targetRef="print"', 'targetRef="nowhere"'));
    await page.getByRole('dialog').getByText("to_print leads from or to 'nowhere'").waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await choose(badgeProcess('execution.setVariable("letter", "third");'));
    await page.getByText('Nothing has been written yet').waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('badge.bpmn20.xml is deployed').waitFor();
    await page.goto(`${site.server.url}/console/processes/definition/${await definitionOf('badge', 3)}`);
    await page.getByRole('heading', { level: 1, name: 'Badge' }).waitFor();
    await page.keyboard.press('s');
    await page.getByRole('textbox', { name: /For whom/ }).fill('avo');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('heading', { level: 1, name: 'Instance of Badge' }).waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('go by keys to what can be done with an instance, to why it waits, and to its request', async () => {
    const id = await instanceOf('accessRequest');
    const visitor = await site.open({ path: `/processes/instance/${id}` });
    const { page } = visitor;
    await page.getByRole('heading', { level: 1, name: 'Instance of Access request' }).waitFor();
    await page.keyboard.press('.');
    await page.locator('[role=menuitem]:focus', { hasText: 'Suspend' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('w');
    const why = page.getByRole('dialog', { name: /^Why: Approve auditor/ });
    await why.getByRole('listitem').first().waitFor();
    await page.keyboard.press('Escape');
    await why.waitFor({ state: 'detached' });
    await page.keyboard.press('y');
    await page.getByText(`svc api GET 'workflow/processinstance/${id}'`).waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('have all jobs that have failed for good tried again at once, after a review', async () => {
    const { api } = site.server;
    const first = await definitionOf('badge', 1);
    for (const holder of ['gmoro', 'hsato']) {
      const started = await api('POST', 'workflow/processinstance', {
        body: { _processDefinitionId: first, holder },
      });
      const [task] = await find(
        `workflow/taskinstance?_queryId=filtered-query&processInstanceId=${started.body._id}`,
      );
      await api('POST', `workflow/taskinstance/${task._id}?_action=complete`, { body: {} });
    }
    const letters = `workflow/job/deadletter?_queryId=filtered-query&processDefinitionId=${first}`;
    await eventually(
      () => find(letters),
      (found) => found.length >= 2,
    );
    const count = (await find(letters)).length;
    const visitor = await site.open({ path: `/processes/definition/${first}?tab=letters` });
    const { page } = visitor;
    await page.getByRole('button', { name: 'Try all of them again' }).click();
    const review = page.getByRole('dialog', { name: 'Give all of these jobs one more attempt' });
    const [one] = await find(letters);
    await review.getByText(`workflow/job/deadletter/${one._id}`).first().waitFor();
    await review.getByRole('button', { name: 'Apply' }).click();
    await page.getByText(`${count} of ${count}`).waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('are compared version by version: as a list, at the elements of both drawings, and in the file', async () => {
    const file = await readFile(
      new URL('../../../workflow/accessRequest.bpmn20.xml', import.meta.url),
      'utf8',
    );
    const content = file.replace('name="Find out who decides"', 'name="Find who decides"');
    const name = 'accessRequest.bpmn20.xml';
    await site.server.api('POST', 'workflow/deployment?_action=deploy', { body: { name, content } });
    const drawn = `/processes/definition/${await definitionOf('accessRequest', 1)}?tab=compare`;
    await conforms(site, { path: drawn }, { en: 'Access request', de: 'Access request' });
    const visitor = await site.open({ path: drawn });
    const { page } = visitor;
    const told = page.locator('section', { hasText: 'What version 2 has otherwise than version 1' });
    const differences = told.getByRole('listitem');
    await differences.filter({ hasText: /changed\s*Find who decides\s*scriptTask/ }).waitFor();
    expect(await differences.count()).toBe(1);
    for (const [version, was] of [
      ['version 1', 'Find out who decides'],
      ['version 2', 'Find who decides'],
    ] as const) {
      const drawing = page.getByRole('group', { name: version, exact: true }).first();
      expect(await drawing.locator('title').allTextContents()).toContain(`${was}: ~`);
    }
    await page.getByRole('textbox', { name: 'File' }).getByText('Find out who decides').first().waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('are for those who may look at them, and say so to others', async () => {
    const visitor = await site.open({ user: 'avo', path: '/processes' });
    await visitor.page.getByRole('alert').first().waitFor();
    await expect.poll(() => visitor.page.getByRole('link', { name: 'Processes' }).count()).toBe(0);
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });
});
