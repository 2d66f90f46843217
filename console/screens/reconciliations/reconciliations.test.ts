import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrowser, NO_BROWSER } from '../../../test/support/browser.ts';
import { conforms } from '../../test/conform.ts';
import { seedMapping, seedSystem, shrinkSystem } from '../../test/seed-system.ts';
import { type ConsoleSite, openSite } from '../../test/site.ts';

const executable = await findBrowser();
if (executable === undefined) console.warn(NO_BROWSER);

describe.skipIf(executable === undefined)('reconciliations in the console', () => {
  let site: ConsoleSite;
  beforeAll(async () => {
    site = await openSite(executable ?? NO_BROWSER);
    await seedSystem(site.server);
    await seedMapping(site.server);
  });
  afterAll(() => site?.[Symbol.asyncDispose]());

  it('look as every page does, in a list and one by one', async () => {
    const { body } = await site.server.api(
      'POST',
      'recon?_action=recon&mapping=hr_user&mode=plan&waitForCompletion=true',
      { body: {} },
    );
    await conforms(site, { path: '/reconciliations' }, { en: 'Reconciliations', de: 'Abgleiche' });
    await conforms(site, { path: `/reconciliations/${body._id}` }, { en: 'hr_user', de: 'hr_user' });
  });

  it('are planned, looked at pair by pair, approved but for one, and say what failed', async () => {
    const visitor = await site.open({ path: '/mappings/hr_user' });
    const { page } = visitor;
    await page.getByRole('button', { name: 'Reconcile' }).click();
    await page.getByRole('textbox', { name: 'Only these sources' }).fill('7,8,9');
    await page.getByRole('button', { name: 'Make a plan' }).click();
    await page.getByText('waits for approval').waitFor();
    await page.getByText('2 pairs would be brought in line.').waitFor();
    await page.getByRole('grid', { name: 'Which values would be written' }).getByText('/mail').waitFor();
    expect((await site.server.api('GET', 'repo/link?_queryFilter=true')).body.resultCount).toBe(0);
    await page.getByRole('row', { name: /^8 .*ABSENT/ }).press('Enter');
    await page.getByRole('link', { name: 'system/hr/person/8' }).waitFor();
    await page.getByText('Leave it out of what is approved').click();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByText('1 pair left out').waitFor();
    await page.keyboard.press('a');
    const dialog = page.getByRole('dialog', { name: 'Do what was planned for hr_user' });
    await dialog.getByText('Nothing has been written yet').waitFor();
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('done, 1 failed').waitFor();
    await page.getByRole('row', { name: /^7 .*done/ }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('state eq "failed"');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /^9 .*sn/ }).waitFor();
    await expect.poll(() => page.getByRole('row', { name: /^7 / }).count()).toBe(0);
    const made = await site.server.api('GET', 'managed/user?_queryFilter=sn+sw+"Moe"+or+sn+sw+"Lie"');
    expect(made.body.result.map(({ mail }: { mail: string }) => mail)).toEqual(['ida@example.com']);
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('lead from an object to what it is linked with, and why', async () => {
    const { body } = await site.server.api('GET', 'managed/user?_queryFilter=sn+eq+"Moe"&_fields=_id');
    const visitor = await site.open({ path: `/objects/user/${body.result[0]._id}?tab=accounts` });
    const { page } = visitor;
    await page.getByText(/^Its situation was ABSENT, so CREATE was done/).waitFor();
    await page.getByRole('grid', { name: 'Where each value comes from' }).getByText('properties/0').waitFor();
    await page.getByRole('link', { name: 'system/hr/person/7' }).click();
    await page.getByRole('heading', { level: 1, name: '7' }).waitFor();
    await page.getByText(/^Its situation was ABSENT, so CREATE was done/).waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('warn of a plan that takes too much away, which is done only when its mapping has been typed', async () => {
    const whole = 'recon?_action=recon&mapping=hr_user&waitForCompletion=true';
    const { body } = await site.server.api('POST', whole, { body: {} });
    expect(body.state).toBe('SUCCESS');
    await shrinkSystem(site.server);
    const visitor = await site.open({ path: '/reconciliations?mapping=hr_user' });
    const { page } = visitor;
    await page.getByRole('button', { name: 'Make a plan' }).click();
    await page.getByText(/\d+ of them take a target or a link away/).waitFor();
    await page
      .getByRole('alert')
      .getByText(/'hr_user'.*60/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    const dialog = page.getByRole('dialog', { name: 'Do what was planned for hr_user' });
    await dialog.getByText('Nothing has been written yet').waitFor();
    expect(await dialog.getByRole('button', { name: 'Apply' }).isDisabled()).toBe(true);
    await dialog.getByRole('textbox', { name: /Type hr_user/ }).fill('hr_user');
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('What was planned for hr_user is under way').waitFor();
    await page.getByRole('row', { name: /SOURCE_MISSING DELETE done, takes away 60/ }).waitFor();
    const left = await site.server.api('GET', 'managed/user?_queryFilter=mail+sw+"w1"');
    expect(left.body.resultCount).toBe(0);
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('are for those who may look at them, and say so to others', async () => {
    const visitor = await site.open({ user: 'avo', path: '/reconciliations' });
    await visitor.page.getByRole('alert').first().waitFor();
    await expect.poll(() => visitor.page.getByRole('link', { name: 'Reconciliations' }).count()).toBe(0);
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });
});
