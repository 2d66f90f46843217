import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrowser, NO_BROWSER } from '../../../test/support/browser.ts';
import { conforms } from '../../test/conform.ts';
import { type ConsoleSite, openSite } from '../../test/site.ts';

const executable = await findBrowser();
if (executable === undefined) console.warn(NO_BROWSER);

describe.skipIf(executable === undefined)('roles in the console', () => {
  let site: ConsoleSite;
  beforeAll(async () => {
    site = await openSite(executable ?? NO_BROWSER);
  });
  afterAll(() => site?.[Symbol.asyncDispose]());

  it('look as every page does, in lists and one by one', async () => {
    await conforms(site, { path: '/roles' }, { en: 'Roles', de: 'Rollen' });
    await conforms(site, { path: '/roles?tab=assignments' }, { en: 'Roles', de: 'Rollen' });
    await conforms(site, { path: '/roles/engineer' }, { en: 'engineer', de: 'engineer' });
  });

  it('tell who would gain and lose them by another condition, before it is one', async () => {
    const visitor = await site.open({ path: '/roles' });
    const { page } = visitor;
    await page.getByRole('row', { name: /engineer/ }).click();
    await page.getByText('4 users fit it.').waitFor();
    const condition = page.getByRole('textbox', { name: 'Condition' });
    await condition.fill('department eqq "Finance"');
    await page.getByText("unknown operator 'eqq'").first().waitFor();
    await condition.fill('department eq "Finance"');
    await page.getByRole('region', { name: '3 would gain it' }).getByRole('link', { name: 'cdi' }).waitFor();
    await page.getByRole('region', { name: '4 would lose it' }).getByRole('link', { name: 'avo' }).waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText('Nothing has been written yet').waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('engineer has another condition').waitFor();
    await page.getByRole('link', { name: 'Carla Diaz' }).waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('say why somebody has them, or which part of the condition stands in the way', async () => {
    const visitor = await site.open({ path: '/roles/engineer' });
    const { page } = visitor;
    await page.getByRole('heading', { level: 1, name: 'engineer' }).waitFor();
    await page.keyboard.press('t');
    await page.getByRole('textbox', { name: 'User' }).fill('avo');
    await page.keyboard.press('Enter');
    await page.getByText('does not have it').waitFor();
    await page.getByRole('list', { name: 'Condition' }).getByText('does not hold').waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('show both conditions when somebody else was faster', async () => {
    const visitor = await site.openDeaf({ path: '/roles/engineer' });
    const { page } = visitor;
    await page.getByRole('textbox', { name: 'Condition' }).fill('department eq "Sales"');
    const faster = [{ operation: 'replace', field: '/condition', value: 'department eq "Legal"' }];
    await site.server.api('PATCH', 'managed/role/engineer', { body: faster });
    await page.getByRole('button', { name: 'Review' }).click();
    await page
      .getByRole('dialog', { name: 'Somebody else was faster' })
      .getByText(/Theirs: .*Legal/)
      .waitFor();
    await visitor.close();
  });

  it('are for those who may look at them, and say so to others', async () => {
    const visitor = await site.open({ user: 'avo', path: '/roles' });
    await visitor.page.getByRole('alert').first().waitFor();
    await expect.poll(() => visitor.page.getByRole('link', { name: 'Roles' }).count()).toBe(0);
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });
});
