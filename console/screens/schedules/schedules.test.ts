import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrowser, NO_BROWSER } from '../../../test/support/browser.ts';
import { conforms } from '../../test/conform.ts';
import { type ConsoleSite, openSite } from '../../test/site.ts';

const executable = await findBrowser();
if (executable === undefined) console.warn(NO_BROWSER);

describe.skipIf(executable === undefined)('schedules in the console', () => {
  let site: ConsoleSite;
  beforeAll(async () => {
    site = await openSite(executable!);
  });
  afterAll(() => site[Symbol.asyncDispose]());

  it('look as every page does', async () => {
    await conforms(site, { path: '/schedules' }, { en: 'Schedules', de: 'Zeitpläne' });
    await conforms(site, { path: '/schedules?tab=calendar' }, { en: 'Schedules', de: 'Zeitpläne' });
    await conforms(site, { path: '/schedules/sync-hr' }, { en: 'sync-hr', de: 'sync-hr' });
  });

  it('tell why a firing is as it is, are rehearsed before they run, and are paused', async () => {
    const visitor = await site.open({ path: '/schedules' });
    const { page } = visitor;
    await page.getByRole('row', { name: /sync-hr/ }).click();
    await page
      .getByRole('row', { name: /failed/ })
      .first()
      .click();
    const why = page.getByRole('dialog', { name: /^Why/ });
    await why.getByRole('listitem').first().waitFor();
    await why.getByRole('button', { name: 'Close' }).click();
    await why.waitFor({ state: 'detached' });
    await page.keyboard.press('r');
    // Its script fails, in the rehearsal as it did by night.
    const rehearsal = page.getByRole('dialog', { name: 'Run sync-hr now' });
    await rehearsal.getByText("cannot read property 'mail' of null").waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });
});
