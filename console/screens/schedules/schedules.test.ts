import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrowser, NO_BROWSER } from '../../../test/support/browser.ts';
import { conforms, rewrite } from '../../test/conform.ts';
import { type ConsoleSite, openSite } from '../../test/site.ts';

const executable = await findBrowser();
if (executable === undefined) console.warn(NO_BROWSER);

describe.skipIf(executable === undefined)('schedules in the console', () => {
  let site: ConsoleSite;
  beforeAll(async () => {
    site = await openSite(executable!);
  });
  afterAll(() => site?.[Symbol.asyncDispose]());

  it('look as every page does', async () => {
    await conforms(site, { path: '/schedules' }, { en: 'Schedules', de: 'Zeitpläne' });
    await conforms(site, { path: '/schedules?tab=calendar' }, { en: 'Schedules', de: 'Zeitpläne' });
    await conforms(site, { path: '/schedules?tab=ledger' }, { en: 'Schedules', de: 'Zeitpläne' });
    await conforms(site, { path: '/schedules/sync-hr' }, { en: 'sync-hr', de: 'sync-hr' });
    await conforms(
      site,
      { path: '/schedules/forget-leavers/change' },
      { en: 'Change forget-leavers', de: 'forget-leavers ändern' },
    );
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

  it('lead to the file of the script that they run', async () => {
    const body = {
      enabled: false,
      type: 'cron',
      schedule: '0 0 2 * * ?',
      invokeService: 'script',
      invokeContext: { script: { type: 'text/javascript', file: 'script/access.js' } },
    };
    expect((await site.server.api('PUT', 'scheduler/job/filed', { body })).status).toBe(201);
    const visitor = await site.open({ path: '/schedules/filed' });
    const { page } = visitor;
    await page.getByRole('link', { name: 'script/access.js' }).click();
    await page.waitForURL(/\/scripts\/file\/script\/access\.js/);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
    await site.server.api('DELETE', 'scheduler/job/filed');
  });

  it('are written with their times in sight, rehearsed before they are there, and saved after a review', async () => {
    const visitor = await site.open({ path: '/schedules' });
    const { page } = visitor;
    await page.getByRole('button', { name: 'New schedule' }).waitFor();
    await page.keyboard.press('n');
    await page.getByRole('textbox', { name: 'Name' }).fill('weekly');
    await page.getByText(/2:00/).first().waitFor();
    const expression = page.getByRole('textbox', { name: 'Cron expression' });
    await expression.fill('0 0 25 * * ?');
    await page.getByRole('alert').getByText(/25/).first().waitFor();
    await expression.fill('0 30 4 ? * MON');
    await page.getByText(/on Monday/i).waitFor();
    await page.getByRole('combobox', { name: 'Time zone' }).fill('Europe/Prague');
    await rewrite(
      page.getByRole('textbox', { name: 'Script: Script' }),
      'svc.patch("managed/user/avo", null, [{ operation: "replace", field: "/city", value: "Rome" }]).city',
    );
    await page.getByRole('button', { name: 'Rehearse' }).click();
    await page.getByRole('region', { name: 'What a run would do' }).getByText('/city').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText('Nothing has been written yet').waitFor();
    expect((await site.server.api('GET', 'scheduler/job/weekly')).status).toBe(404);
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('heading', { level: 1, name: 'weekly' }).waitFor();
    expect((await site.server.api('GET', 'scheduler/job/weekly')).body).toMatchObject({
      schedule: '0 30 4 ? * MON',
      timeZone: 'Europe/Prague',
      enabled: true,
    });
    expect((await site.server.api('GET', 'managed/user/avo')).body.city).not.toBe('Rome');
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('textbox', { name: /Type weekly/ }).fill('weekly');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('heading', { level: 1, name: 'Schedules' }).waitFor();
    expect((await site.server.api('GET', 'scheduler/job/weekly')).status).toBe(404);
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('show what somebody else has made of them meanwhile, and keep what was written', async () => {
    const visitor = await site.openDeaf({ path: '/schedules/nightly-report/change' });
    const { page } = visitor;
    await page.getByRole('textbox', { name: 'Cron expression' }).fill('0 0 3 * * ?');
    const { _id, _rev, ...others } = (await site.server.api('GET', 'scheduler/job/nightly-report')).body;
    await site.server.api('PUT', 'scheduler/job/nightly-report', {
      body: { ...others, schedule: '0 15 5 * * ?' },
    });
    await page.getByRole('button', { name: 'Review' }).click();
    const conflict = page.getByRole('dialog', { name: 'Somebody else was faster' });
    await conflict.getByText('0 15 5 * * ?').waitFor();
    await conflict.getByRole('button', { name: 'Go on with mine' }).click();
    await page.getByText('Nothing has been written yet').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { level: 1, name: 'nightly-report', exact: true }).waitFor();
    expect((await site.server.api('GET', 'scheduler/job/nightly-report')).body.schedule).toBe('0 0 3 * * ?');
    await visitor.close();
  });

  it('show in their list what became of the last planned times of each', async () => {
    const visitor = await site.open({ path: '/schedules' });
    const { page } = visitor;
    const outcomes = (name: RegExp) => page.getByRole('row', { name }).getByRole('img');
    await outcomes(/^sync-hr/).waitFor();
    expect(await outcomes(/^sync-hr/).getAttribute('aria-label')).toMatch(/^The last \d+: .*· failed [3-9]/);
    expect(await outcomes(/^nightly-report/).getAttribute('aria-label')).toBe('The last 1: by hand 1');
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('go by keys to what can be done, to why, to their request, and back', async () => {
    const { api } = site.server;
    const { _id, _rev, ...others } = (await api('GET', 'scheduler/job/forget-leavers')).body;
    await api('PUT', 'scheduler/job/forget-leavers', { body: { ...others, schedule: '0 45 5 * * ?' } });
    const visitor = await site.open({ path: '/schedules/forget-leavers' });
    const { page } = visitor;
    await page.getByText('0 45 5 * * ?').waitFor();
    await page.keyboard.press('.');
    await page.locator('[role=menuitem]:focus', { hasText: 'Delete' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('y');
    await page.getByText("svc api GET 'scheduler/job/forget-leavers'").waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('w');
    await page.getByRole('dialog', { name: /^Why/ }).getByRole('listitem').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('u');
    await page.getByText('Nothing has been written yet').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText('Taken back').first().waitFor();
    expect((await api('GET', 'scheduler/job/forget-leavers')).body.schedule).toBe('0 30 2 * * ?');
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('are looked at together: what failed, and why', async () => {
    const visitor = await site.open({ path: '/schedules?tab=ledger' });
    const { page } = visitor;
    await page
      .getByRole('row', { name: /nightly-report/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Failed', exact: true }).click();
    await expect.poll(() => page.getByRole('row', { name: /nightly-report/ }).count()).toBe(0);
    expect(new URL(page.url()).searchParams.get('filter')).toBe('failed eq true');
    await page
      .getByRole('row', { name: /sync-hr/ })
      .first()
      .click();
    await page.getByRole('dialog', { name: /^Why/ }).getByRole('listitem').first().waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });
});
