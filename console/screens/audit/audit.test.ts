import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrowser, NO_BROWSER } from '../../../test/support/browser.ts';
import { conforms } from '../../test/conform.ts';
import { type ConsoleSite, openSite } from '../../test/site.ts';

const executable = await findBrowser();
if (executable === undefined) console.warn(NO_BROWSER);

describe.skipIf(executable === undefined)('the audit in the console', () => {
  let site: ConsoleSite;
  beforeAll(async () => {
    site = await openSite(executable!);
  });
  afterAll(() => site[Symbol.asyncDispose]());

  it('looks as every page does', async () => {
    await conforms(site, { path: '/audit' }, { en: 'Audit', de: 'Protokoll' });
  });

  it('leads from an entry to all that its request has caused', async () => {
    const visitor = await site.open({ path: '/audit?filter=objectId+eq+"managed/role/auditor"' });
    const { page } = visitor;
    await page
      .getByRole('row', { name: /managed\/role\/auditor/ })
      .first()
      .click();
    await page.getByRole('heading', { level: 1, name: 'All that one request caused' }).waitFor();
    await page.getByText('What it changed').first().click();
    await page.getByText('Reads all managed objects').first().waitFor();
    await page.getByRole('link', { name: 'managed/role/auditor' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'auditor' }).waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });
});
