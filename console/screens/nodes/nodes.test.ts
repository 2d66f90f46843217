import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrowser, NO_BROWSER } from '../../../test/support/browser.ts';
import { conforms } from '../../test/conform.ts';
import { type ConsoleSite, openSite } from '../../test/site.ts';

const executable = await findBrowser();
if (executable === undefined) console.warn(NO_BROWSER);

describe.skipIf(executable === undefined)('nodes in the console', () => {
  let site: ConsoleSite;
  beforeAll(async () => {
    site = await openSite(executable!);
  });
  afterAll(() => site?.[Symbol.asyncDispose]());

  it('look as every page does', async () => {
    await conforms(site, { path: '/nodes' }, { en: 'Nodes', de: 'Knoten' });
  });

  it('say why they are as they are, and are drained and resumed', async () => {
    const visitor = await site.open({ path: '/nodes' });
    const { page } = visitor;
    await page.getByRole('button', { name: 'Why?' }).click();
    await page.getByRole('dialog').getByRole('listitem').first().waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    for (const [action, next] of [
      ['Drain', 'Resume'],
      ['Resume', 'Drain'],
    ] as const) {
      await page.getByRole('button', { name: action }).click();
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.getByRole('button', { name: next }).waitFor();
    }
    await page.getByRole('row', { name: /drained.*svc-admin/ }).waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });
});
