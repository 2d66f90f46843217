import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrowser, NO_BROWSER } from '../../../test/support/browser.ts';
import { conforms } from '../../test/conform.ts';
import { PEOPLE_PASSWORD } from '../../test/seed.ts';
import { type ConsoleSite, openSite } from '../../test/site.ts';

const executable = await findBrowser();
if (executable === undefined) console.warn(NO_BROWSER);

describe.skipIf(executable === undefined)('the own pages of the console', () => {
  let site: ConsoleSite;
  beforeAll(async () => {
    site = await openSite(executable!);
  });
  afterAll(() => site?.[Symbol.asyncDispose]());

  it('look as every page does', async () => {
    const user = 'bkim';
    await conforms(site, { path: '/me', user }, { en: 'My tasks', de: 'Meine Aufgaben' });
    await conforms(site, { path: '/me/requests', user }, { en: 'My requests', de: 'Meine Anträge' });
    await conforms(site, { path: '/me/account', user }, { en: 'My account', de: 'Mein Konto' });
  });

  it('have a role asked for by one, decided by another on a phone, and shown as done to the first', async () => {
    const decider = await site.open({ user: 'bkim', path: '/me', width: 390, height: 844 });
    await decider.page.getByRole('link', { name: /Approve auditor for Anna Vogel/ }).click();
    await decider.page.getByRole('button', { name: 'Finish' }).click();
    await decider.page.getByText('is required').waitFor();
    expect(await decider.page.getByRole('dialog').count()).toBe(0);
    await decider.page.getByRole('combobox', { name: /Decision/ }).selectOption('accept');
    await decider.page.getByRole('button', { name: 'Finish' }).click();
    const said = decider.page.getByRole('dialog', { name: 'Finish: Approve auditor for Anna Vogel' });
    await said.getByRole('row', { name: /Decision.*Grant the role/ }).waitFor();
    await decider.page.getByRole('button', { name: 'Apply' }).click();
    await decider.page.getByText('Nothing to do').waitFor();
    expect(decider.problems).toEqual([]);
    await decider.close();
    const asker = await site.open({ user: 'avo', path: '/me/requests' });
    await asker.page.getByText('You have it').waitFor();
    expect(asker.problems).toEqual([]);
    await asker.close();
  });

  it('change the own account, and ask for the password once more where it is protected', async () => {
    const visitor = await site.open({ user: 'avo', path: '/me/account' });
    const { page } = visitor;
    await page.getByRole('textbox', { name: /E-mail/ }).fill('anna@example.com');
    await page.getByRole('button', { name: 'Review 1 change' }).click();
    const asked = page.getByRole('dialog', { name: 'Your password, once more' });
    await asked.getByRole('textbox').fill('Asking-4-access');
    await asked.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('Nothing has been written yet').waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await asked.getByRole('textbox').fill('Asking-4-access');
    await asked.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('Your account is changed').waitFor();
    expect((await site.server.api('GET', 'managed/user/avo')).body.mail).toBe('anna@example.com');
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('give what is kept of somebody as a file, without anybody else and without secrets', async () => {
    const visitor = await site.open({ user: 'avo', path: '/me/account' });
    const { page } = visitor;
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save it as a file' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('avo.json');
    const text = await readFile(await file.path(), 'utf8');
    const data = JSON.parse(text);
    expect(data).toMatchObject({
      account: { userName: 'avo', sn: 'Vogel', manager: { _ref: 'managed/user/bkim' } },
      sessions: expect.arrayContaining([expect.objectContaining({ isThis: true })]),
      requests: [expect.objectContaining({ processDefinitionKey: 'accessRequest' })],
      preferences: expect.any(Array),
    });
    expect(text).not.toMatch(/Asking-4-access|\$crypto/);
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('show where one is logged in, and end that elsewhere', async () => {
    const elsewhere = await site.open({ user: 'bkim', path: '/me/account' });
    await elsewhere.page.getByRole('heading', { name: 'Where I am logged in' }).waitFor();
    const visitor = await site.open({ user: 'bkim', path: '/me/account' });
    const { page } = visitor;
    const confirm = async () => {
      const asked = page.getByRole('dialog', { name: 'Your password, once more' });
      await asked.getByRole('textbox').fill(PEOPLE_PASSWORD);
      await asked.getByRole('button', { name: 'Confirm' }).click();
    };
    await page.getByRole('button', { name: 'End all but this one' }).click();
    await confirm();
    await page.getByText('Nothing has been written yet').waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await confirm();
    await page.getByText('You are logged in here alone').waitFor();
    await elsewhere.page.reload();
    await elsewhere.page.getByRole('textbox', { name: /password/i }).waitFor();
    expect(visitor.problems).toEqual([]);
    await elsewhere.close();
    await visitor.close();
  });
});
