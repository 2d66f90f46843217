import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_PASSWORD } from '../../../test/support/api.ts';
import { findBrowser, NO_BROWSER } from '../../../test/support/browser.ts';
import { conforms } from '../../test/conform.ts';
import { type ConsoleSite, openSite } from '../../test/site.ts';

const executable = await findBrowser();
if (executable === undefined) console.warn(NO_BROWSER);

describe.skipIf(executable === undefined)('security in the console', () => {
  let site: ConsoleSite;
  beforeAll(async () => {
    site = await openSite(executable ?? NO_BROWSER);
  });
  afterAll(() => site?.[Symbol.asyncDispose]());

  it('looks as every page does, in each of its parts', async () => {
    for (const tab of ['sessions', 'apikeys', 'lockouts', 'may', 'keys']) {
      await conforms(site, { path: `/security?tab=${tab}` }, { en: 'Security', de: 'Sicherheit' });
    }
  });

  it('names the rule by which somebody may not do something', async () => {
    const visitor = await site.open({ path: '/security?tab=may' });
    const { page } = visitor;
    await page.getByRole('textbox', { name: 'Who' }).fill('bkim');
    await page.getByRole('combobox', { name: 'Does what' }).selectOption('patch');
    await page.getByRole('textbox', { name: 'With what' }).fill('managed/user/avo');
    await page.getByRole('textbox', { name: 'Properties' }).fill('/department');
    await page.keyboard.press('Enter');
    const answer = page.getByRole('region', { name: 'Answer' });
    await answer.getByText(/script\/access\.js:\d+/).waitFor();
    await answer.locator('.badge.bad').waitFor();

    // What would be sent may be said, or left open.
    await page.getByRole('textbox', { name: 'With what' }).fill('managed/user/bkim');
    await page.getByRole('textbox', { name: 'Properties' }).fill('');
    await page.keyboard.press('Enter');
    await answer.locator('.badge.warn').waitFor();
    const content = [{ operation: 'replace', field: '/givenName', value: 'Bo' }];
    await page.getByRole('textbox', { name: 'Properties' }).fill(JSON.stringify(content));
    await page.keyboard.press('Enter');
    await answer.locator('.badge.good').waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('shows which role may ask for what, by the rules in force', async () => {
    const visitor = await site.open({ path: '/security?tab=may' });
    const { page } = visitor;
    const rules = page.getByRole('grid', { name: 'All rules, by role' });
    await rules.getByRole('columnheader', { name: 'svc-authorized' }).waitFor();
    const own = rules.getByRole('row', { name: /reauthIfProtectedAttributeChange/ });
    await own.getByText('update, patch, action: patch').waitFor();
    await rules
      .getByRole('row', { name: /but repo, repo\/\*/ })
      .getByText('everything')
      .waitFor();
    await page.getByRole('combobox', { name: 'Role', exact: true }).selectOption('svc-cert');
    await expect.poll(() => rules.getByRole('columnheader', { name: 'svc-authorized' }).count()).toBe(0);
    await rules
      .getByRole('row', { name: /restrictPatchToFields/ })
      .getByText('patch, action: patch')
      .waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('makes the key of a program, shows it once, and takes it away', async () => {
    const visitor = await site.open({ path: '/security?tab=apikeys' });
    const { page } = visitor;
    const confirm = async () => {
      const asked = page.getByRole('dialog', { name: 'Your password, once more' });
      await asked.getByRole('textbox').fill(ADMIN_PASSWORD);
      await asked.getByRole('button', { name: 'Confirm' }).click();
    };
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByRole('textbox', { name: 'Key' }).fill('reports');
    await page.getByRole('button', { name: 'Review' }).click();
    await confirm();
    await page.getByText('Nothing has been written yet').waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await confirm();
    const once = page.getByRole('dialog', { name: 'The key is shown this once' });
    const key = await once.getByRole('textbox', { name: 'Key' }).inputValue();
    const headers = { 'X-Svc-Api-Key': key };
    expect((await site.server.api('GET', 'info/login', { user: null, headers })).status).toBe(200);
    await once.getByRole('button', { name: 'I have it' }).click();
    await page.getByRole('row', { name: /reports/ }).click();
    await confirm();
    await page.getByRole('textbox', { name: /Type reports/ }).fill('reports');
    await page.getByRole('button', { name: 'Apply' }).click();
    await confirm();
    await page.getByText('The key reports lets nobody in any more').waitFor();
    expect((await site.server.api('GET', 'info/login', { user: null, headers })).status).toBe(401);
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('ends the wait of somebody who has failed to log in', async () => {
    const guess = { user: 'ewei', password: 'Not-the-password-1' };
    await site.server.api('POST', 'authentication?_action=login', guess);
    const visitor = await site.open({ path: '/security?tab=lockouts' });
    const { page } = visitor;
    await page.getByRole('grid', { name: 'Failed logins' }).getByText('may try').first().waitFor();
    await page.getByRole('textbox', { name: 'Name of the account' }).fill('ewei');
    await page.getByRole('button', { name: 'End the wait' }).click();
    await page.getByText('Nothing has been written yet').waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('ewei may try again').waitFor();
    expect((await site.server.api('GET', 'authentication/lockout/ewei')).body.failures).toEqual([]);
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('says of keys what is to be done next, and urges nobody to what is not due', async () => {
    const visitor = await site.open({ path: '/security?tab=keys' });
    const { page } = visitor;
    const next = page.locator('section.card', { hasText: 'What is to be done next' });
    await next.getByText('seen here once a node has been started again').waitFor();
    const again = page.getByRole('button', { name: 'Encrypt again' });
    await again.waitFor();
    expect(await again.getAttribute('class')).not.toContain('primary');
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('is for those who may look at it, and say so to others', async () => {
    const visitor = await site.open({ user: 'avo', path: '/security?tab=keys' });
    const refusal = visitor.page.getByRole('alert').first();
    await refusal.getByText('You may not see this').waitFor();
    await expect.poll(() => visitor.page.getByRole('link', { name: 'Security' }).count()).toBe(0);
    await refusal.getByRole('link', { name: 'To my pages' }).click();
    await visitor.page.getByRole('heading', { level: 1 }).waitFor();
    expect(new URL(visitor.page.url()).pathname).toBe('/console/me');
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });
});
