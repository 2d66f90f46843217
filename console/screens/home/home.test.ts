import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrowser, NO_BROWSER } from '../../../test/support/browser.ts';
import { conforms } from '../../test/conform.ts';
import { type ConsoleSite, openSite } from '../../test/site.ts';

const executable = await findBrowser();
if (executable === undefined) console.warn(NO_BROWSER);

describe.skipIf(executable === undefined)('the start of the console', () => {
  let site: ConsoleSite;
  beforeAll(async () => {
    site = await openSite(executable!);
  });
  afterAll(() => site?.[Symbol.asyncDispose]());

  it('looks as every page does', async () => {
    await conforms(site, { path: '/home' }, { en: 'Home', de: 'Start' });
  });

  it('rehearses what mends a finding before it does it', async () => {
    const visitor = await site.open({ path: '/home' });
    const { page } = visitor;
    const finding = page.getByRole('listitem').filter({ hasText: 'scheduler/job/sync-hr' }).first();
    await finding.getByRole('button').first().click();
    // Its script fails in a rehearsal as it does in earnest.
    await page
      .getByRole('dialog')
      .getByText(/Nothing has been written yet|cannot read property/)
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('tells of a step that has failed once, and leads to it', async () => {
    const visitor = await site.open({ path: '/home' });
    const { page } = visitor;
    const findings = page.getByRole('region', { name: 'What needs you' }).getByRole('listitem');
    const failed = findings.filter({ hasText: 'failed for good' });
    await failed.first().waitFor();
    expect(await failed.count()).toBe(1);
    await page.keyboard.press('1');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Processes' }).waitFor();
    await page.getByRole('row', { name: /cannot read property 'mail' of null/ }).waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('puts aside what somebody knows of, with a reason, for them alone, and shows it again', async () => {
    const visitor = await site.open({ path: '/home' });
    const { page } = visitor;
    const findings = page.getByRole('region', { name: 'What needs you' }).getByRole('listitem');
    const known = findings.filter({ hasText: 'scheduler/job/sync-hr' });
    await known.first().getByRole('button', { name: 'Later' }).click();
    const dialog = page.getByRole('dialog', { name: 'Put scheduler/job/sync-hr aside' });
    await dialog.getByRole('textbox', { name: 'Why' }).fill('Mended with the next release');
    expect(await visitor.axe()).toEqual([]);
    await dialog.getByRole('button', { name: 'Review' }).click();
    await page.getByText('Nothing has been written yet').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText('scheduler/job/sync-hr is put aside').waitFor();
    await expect.poll(() => known.count()).toBe(0);
    const other = await site.open({ path: '/home' });
    await other.page.getByText('1 put aside').first().waitFor();
    await other.close();
    const trail = 'audit/activity?_queryFilter=objectId+co+"console.aside"&_fields=after';
    expect(JSON.stringify((await site.server.api('GET', trail)).body)).toContain('with the next release');
    await page.getByText('1 put aside').last().click();
    await page.getByText('Mended with the next release').waitFor();
    await page.getByRole('button', { name: 'Show it again' }).click();
    await page.getByText('Nothing has been written yet').waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await known.first().waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('leads from an hour of firings to what was planned in it, by keys', async () => {
    const visitor = await site.open({ path: '/home' });
    const { page } = visitor;
    const hours = page.getByRole('group', { name: /firings, \d+ of them failed/ }).getByRole('link');
    const count = Number((await hours.last().getAttribute('aria-label'))?.split(': ').at(-1));
    await hours.last().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Schedules' }).waitFor();
    expect(new URL(page.url()).searchParams.get('filter')).toMatch(
      /^plannedAt ge "[^"]+" and plannedAt lt "/,
    );
    await page
      .getByRole('row', { name: /sync-hr/ })
      .first()
      .waitFor();
    expect(Number(await page.getByRole('grid').getAttribute('aria-rowcount')) - 1).toBeGreaterThanOrEqual(
      count,
    );
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('is not offered to somebody who may not look at the server, who begins with their own pages', async () => {
    const visitor = await site.open({ user: 'avo', path: '/' });
    const { page } = visitor;
    await page.getByRole('heading', { level: 1, name: 'My tasks' }).waitFor();
    const areas = await page.getByRole('navigation', { name: 'Areas' }).getByRole('listitem').allInnerTexts();
    expect(areas).toEqual(['My pages']);
    await page.goto(`${site.server.url}/console/home`);
    await page.getByRole('alert').first().waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('goes by keys alone to a screen, to an object and to the list of keys', async () => {
    const visitor = await site.open({ path: '/home' });
    const { page } = visitor;
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keys' });
    await keys.getByText('what can be done with it').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('vogel');
    await page.getByRole('menuitem', { name: /Anna Vogel/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Anna Vogel' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('n');
    await page.getByRole('heading', { level: 1, name: 'Nodes' }).waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });
});
