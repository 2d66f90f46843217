import { readFile } from 'node:fs/promises';
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
  afterAll(() => site?.[Symbol.asyncDispose]());

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

  it('is written into a file with the filter that is in force, after a review', async () => {
    const visitor = await site.open({ path: '/audit?filter=objectId+eq+"managed/role/auditor"' });
    const { page } = visitor;
    await page
      .getByRole('row', { name: /managed\/role\/auditor/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Write into a file' }).click();
    await page.getByRole('menuitem', { name: /^JSON/ }).click();
    const review = page.getByRole('dialog', { name: /^Write the entries that fit/ });
    await review
      .getByText(/^audit\/_all\//)
      .first()
      .waitFor();
    await review.getByRole('button', { name: 'Apply' }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Save audit.jsonl' }).click(),
    ]);
    const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\n');
    const entries = lines.map((line) => JSON.parse(line));
    expect(new Set(entries.map(({ topic, objectId }) => `${topic} ${objectId}`))).toEqual(
      new Set(['activity managed/role/auditor']),
    );
    expect(entries[0]).toMatchObject({ operation: 'CREATE', after: { name: 'auditor' } });
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('says when there was how much, and of whom, and goes to that', async () => {
    const visitor = await site.open({ path: '/audit' });
    const { page } = visitor;
    const bars = page.getByRole('listbox', { name: 'How much there was, and when' });
    await bars.getByRole('option').last().click();
    await expect.poll(() => new URL(page.url()).searchParams.get('step')).not.toBe(null);
    await page
      .getByRole('row', { name: /svc-admin/ })
      .first()
      .waitFor();
    await bars.getByRole('option').first().press('Home');
    await page.keyboard.press('Space');
    await page.getByText('Nothing fits this filter').waitFor();
    await page.keyboard.press('Space');
    await page.getByRole('combobox', { name: 'How far back' }).selectOption({ label: 'A week, by the day' });
    await expect.poll(() => bars.getByRole('option').count()).toBe(7);
    const people = page.getByRole('group', { name: 'Who' });
    await people.getByRole('button', { name: /^avo/ }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('filter')).toBe('userId eq "avo"');
    await expect.poll(() => people.getByRole('button').count()).toBe(1);
    await page.getByRole('row', { name: /avo/ }).first().waitFor();
    await page
      .getByRole('group', { name: 'What' })
      .getByRole('button', { name: /^CREATE/ })
      .click();
    await expect.poll(() => page.getByRole('row', { name: /UPDATE/ }).count()).toBe(0);
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });
});
