import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrowser, NO_BROWSER } from '../../../test/support/browser.ts';
import { badgeProcess } from '../../test/badge-process.ts';
import { conforms, rewrite } from '../../test/conform.ts';
import { type ConsoleSite, openSite } from '../../test/site.ts';

const executable = await findBrowser();
if (executable === undefined) console.warn(NO_BROWSER);

describe.skipIf(executable === undefined)('processes that are drawn in the console', () => {
  let site: ConsoleSite;
  const find = async (path: string) => (await site.server.api('GET', path)).body.result;
  const definitionOf = async (key: string): Promise<{ _id: string; version: number }> =>
    (await find(`workflow/processdefinition?_queryId=filtered-query&key=${key}`)).sort(
      (a: { version: number }, b: { version: number }) => b.version - a.version,
    )[0];
  const xmlOf = async (key: string): Promise<string> => {
    const { _id } = await definitionOf(key);
    const { body } = await site.server.api('GET', `workflow/processdefinition/${_id}?_fields=xml`);
    return Buffer.from(body.xml, 'base64').toString();
  };
  beforeAll(async () => {
    site = await openSite(executable ?? NO_BROWSER);
  });
  afterAll(() => site?.[Symbol.asyncDispose]());

  it('look as every page does, new and from a version, with the mark of the library in sight', async () => {
    await conforms(
      site,
      { path: '/processes/model' },
      { en: 'Draw a process', de: 'Einen Prozess zeichnen' },
    );
    const { _id } = await definitionOf('accessRequest');
    const visitor = await site.open({ path: `/processes/model?from=${encodeURIComponent(_id)}` });
    const { page } = visitor;
    await page.getByRole('heading', { level: 1, name: 'Change Access request, version 1' }).waitFor();
    await page.locator('.bjs-powered-by svg').waitFor();
    await page.getByText('It can be deployed.').waitFor();
    await page.locator('[data-element-id=approve]').first().click();
    expect(await page.getByRole('textbox', { name: 'Assignee' }).inputValue()).toContain('decider');
    expect(await visitor.axe()).toEqual([]);
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('are begun, drawn by keys, told what is wrong with them, rehearsed and deployed', async () => {
    const visitor = await site.open({ path: '/processes' });
    const { page } = visitor;
    await page.getByRole('button', { name: 'Draw a process' }).click();
    const element = page.getByRole('combobox', { name: 'Element' });
    await page.getByText('It can be deployed.').waitFor();
    const id = page.getByRole('textbox', { name: /^Id/ });
    await id.fill('leave');
    await id.press('Tab');
    await expect.poll(() => element.inputValue()).toBe('leave');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Leave of absence');
    await element.selectOption('start');
    const append = async (what: string) => {
      const before = await element.inputValue();
      await page.getByRole('button', { name: 'Add behind it' }).click();
      await page.getByRole('menuitem', { name: what }).click();
      await expect.poll(() => element.inputValue()).not.toBe(before);
    };
    await append('Task of somebody');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Approve it');
    await page.getByRole('textbox', { name: 'Assignee' }).fill('svc-admin');
    await id.fill('approve');
    await id.press('Tab');
    await expect.poll(() => element.inputValue()).toBe('approve');
    await page.getByRole('button', { name: 'Add: Fields of the form' }).click();
    const field = page.getByRole('group', { name: 'Fields of the form 1' });
    await field.getByRole('textbox', { name: 'Id', exact: true }).fill('days');
    await field.getByRole('combobox', { name: 'Type' }).selectOption('long');
    await append('Script');
    const wrong = page.getByRole('list', { name: 'What the server says' });
    await wrong.getByText('is a script task without a script').waitFor();
    await page.getByRole('combobox', { name: 'Language' }).selectOption('javascript');
    await rewrite(
      page.getByRole('textbox', { name: 'Script', exact: true }),
      'execution.setVariable("left", 30 - days);',
    );
    await append('End');
    await page.getByText('It can be deployed.').waitFor();
    await page.getByRole('tab', { name: 'Rehearsal' }).click();
    await page.getByRole('button', { name: 'Rehearse' }).click();
    await page.getByText('It waits.').waitFor();
    await page.getByRole('button', { name: 'Answer it: Approve it' }).click();
    await rewrite(page.getByRole('textbox', { name: /^What comes at/ }), '{"approve": {"days": 4}}');
    await page.getByRole('button', { name: 'Rehearse' }).click();
    await page.getByText('It has come to its end.').waitFor();
    await page.getByRole('list', { name: 'Variables afterwards' }).getByText('26').waitFor();
    expect(await find('workflow/processdefinition?_queryId=filtered-query&key=leave')).toEqual([]);
    await page.getByRole('button', { name: 'Review …' }).click();
    await page.getByText('Nothing has been written yet').waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('heading', { level: 1, name: 'Leave of absence' }).waitFor();
    const xml = await xmlOf('leave');
    expect(xml).toContain('flowable:assignee="svc-admin"');
    expect(xml).toMatch(/<flowable:formProperty id="days" type="long"/);
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('keep what was drawn over a reload, and are not put over what somebody else has deployed', async () => {
    const { _id } = await definitionOf('badge');
    const visitor = await site.open({ path: `/processes/model?from=${encodeURIComponent(_id)}` });
    const { page } = visitor;
    // A file without a drawing is given places.
    await page.locator('[data-element-id=print]').first().click();
    await page.getByRole('textbox', { name: 'Candidates by role' }).fill('doorkeepers');
    await page.getByRole('button', { name: 'Begin anew' }).waitFor();
    await page.getByText('It can be deployed.').waitFor();
    await page.reload();
    await page.locator('[data-element-id=print]').first().click();
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Candidates by role' }).inputValue())
      .toBe('doorkeepers');
    const body = {
      name: 'badge.bpmn20.xml',
      content: badgeProcess('execution.setVariable("letter", "fourth");'),
    };
    expect((await site.server.api('POST', 'workflow/deployment?_action=deploy', { body })).status).toBe(200);
    await page.getByText('Version 3 has been deployed since this one was begun').waitFor();
    await page.getByRole('button', { name: 'Review …' }).click();
    await page
      .getByRole('dialog')
      .getByText(/is the latest, and the file was not made from it/)
      .waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'This one replaces it' }).click();
    await page.getByRole('button', { name: 'Review …' }).click();
    await page.getByText('Nothing has been written yet').waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('badge.bpmn20.xml is deployed').waitFor();
    const xml = await xmlOf('badge');
    expect(xml).toContain('flowable:candidateGroups="doorkeepers"');
    // What the panel knows nothing of stays.
    expect(xml).toContain('<flowable:failedJobRetryTimeCycle>R1/PT0S</flowable:failedJobRetryTimeCycle>');
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });
});
