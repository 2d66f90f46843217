import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrowser, NO_BROWSER } from '../../../test/support/browser.ts';
import { conforms } from '../../test/conform.ts';
import { PEOPLE_FILE, seedSystem } from '../../test/seed-system.ts';
import { type ConsoleSite, openSite } from '../../test/site.ts';

const executable = await findBrowser();
if (executable === undefined) console.warn(NO_BROWSER);

describe.skipIf(executable === undefined)('other systems in the console', () => {
  let site: ConsoleSite;
  beforeAll(async () => {
    site = await openSite(executable ?? NO_BROWSER, { SVC_EGRESS_ALLOW: '127.0.0.1' });
    await seedSystem(site.server);
    await site.server.api('PUT', 'config/provisioner.openicf/ldap', {
      body: {
        name: 'ldap',
        connectorRef: { connectorName: 'org.identityconnectors.ldap.LdapConnector' },
        configurationProperties: {
          host: '127.0.0.1',
          // Nobody listens there.
          port: 1,
          principal: 'cn=svc',
          credentials: 'not-shown-anywhere',
          baseContexts: ['dc=example,dc=com'],
        },
        objectTypes: {},
      },
    });
  });
  afterAll(() => site?.[Symbol.asyncDispose]());

  it('look as every page does, in a list and one by one', async () => {
    await conforms(site, { path: '/systems' }, { en: 'Systems', de: 'Systeme' });
    await conforms(site, { path: '/systems/_new' }, { en: 'Connect a system', de: 'Ein System anschließen' });
    await conforms(site, { path: '/systems/hr' }, { en: 'hr', de: 'hr' });
    await conforms(site, { path: '/systems/hr?tab=schema' }, { en: 'hr', de: 'hr' });
    await conforms(site, { path: '/systems/hr?tab=connection' }, { en: 'hr', de: 'hr' });
    await conforms(site, { path: '/systems/hr/person/7' }, { en: '7', de: '7' });
  });

  it('are connected by what their connector asks for, tried before they are stored', async () => {
    const visitor = await site.open({ path: '/systems' });
    const { page } = visitor;
    await page.getByRole('button', { name: 'Connect a system' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('hr');
    await page.getByText('It is taken, or no name').waitFor();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('people');
    await page.getByRole('combobox', { name: 'Connector' }).selectOption({ label: 'CSV file' });
    const file = page.getByRole('textbox', { name: /^csvFile/ });
    await file.fill('data/nothing.csv');
    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByText('There is no file').waitFor();
    await file.fill(PEOPLE_FILE);
    await page.getByRole('textbox', { name: /^headerUid/ }).fill('id');
    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByText(/can be reached/).waitFor();
    await page.getByRole('button', { name: 'Read what it has' }).click();
    await page.getByText(/^account · \d+ properties$/).waitFor();
    await file.press('Control+Enter');
    await page.getByText('Nothing has been written yet').waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('people is connected').waitFor();
    await page.getByRole('row', { name: /^7 / }).waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('show their objects filtered and page by page, and what is wrong with a filter', async () => {
    const visitor = await site.open({ path: '/systems/hr' });
    const { page } = visitor;
    await page.getByRole('row', { name: /Moe/ }).waitFor();
    await expect.poll(() => page.getByRole('grid').getAttribute('aria-rowcount')).toBe('51');
    await page.getByRole('button', { name: 'Load more' }).click();
    await expect.poll(() => page.getByRole('grid').getAttribute('aria-rowcount')).toBe('64');
    await page.keyboard.press('/');
    await page.keyboard.type('sn eqq "Moe"');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText(/eqq/).first().waitFor();
    await page.getByRole('textbox', { name: 'Filter' }).fill('sn eq "Moe"');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('grid').getAttribute('aria-rowcount')).toBe('2');
    expect(new URL(page.url()).searchParams.get('filter')).toContain('Moe');
    await page.getByRole('row', { name: /Moe/ }).press('Enter');
    await page.getByRole('heading', { level: 1, name: '7' }).waitFor();
    await page.getByText('ida@example.com').waitFor();
    await page.getByText('No mapping is about objects like this one').waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('tell when one is away, and why, until it is reached another way', async () => {
    const visitor = await site.open({ path: '/systems/ldap?tab=connection' });
    const { page } = visitor;
    await page.getByText('not asked yet').waitFor();
    // So many failures in a row, and nobody is sent there any more.
    for (let n = 0; n < 5; n += 1) {
      const told = page.waitForResponse((response) => response.url().includes('system/ldap?_action=test'));
      await page.getByRole('button', { name: 'Test' }).first().click();
      await told;
    }
    await page.getByText(/is away$/).waitFor();
    await page.getByText('Away since').waitFor();
    await page.getByText('ldap cannot be reached').waitFor();
    expect(await page.content()).not.toContain('not-shown-anywhere');
    await page.getByRole('textbox', { name: /^host/ }).fill('127.0.0.2');
    await page.getByText('Write it again').waitFor();
    expect(await page.getByRole('button', { name: 'Review' }).isDisabled()).toBe(true);
    await page.getByLabel(/^credentials/).fill('for-the-other-host');
    await page.getByRole('button', { name: 'Review' }).click();
    const review = page.getByRole('dialog', { name: 'Change how ldap is reached' });
    await review.getByText('/configurationProperties/host').waitFor();
    await review.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('ldap is reached another way').waitFor();
    expect(await page.content()).not.toContain('for-the-other-host');
    await page.goto(`${site.server.url}/console/systems`);
    await page.getByRole('button', { name: 'Test all' }).click();
    await page.getByText('hr can be reached').waitFor();
    await page.getByText('ldap cannot be reached').waitFor();
    await page.getByRole('row', { name: /^hr answers/ }).waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('show what somebody else has saved meanwhile, and keep what was typed', async () => {
    const visitor = await site.openDeaf({ path: '/systems/hr?tab=connection' });
    const { page } = visitor;
    await page.getByRole('textbox', { name: /^encoding/ }).fill('iso-8859-1');
    await site.server.api('PATCH', 'config/provisioner.openicf/hr', {
      body: [{ operation: 'replace', field: '/configurationProperties/encoding', value: 'utf-16le' }],
    });
    await page.getByRole('button', { name: 'Review' }).click();
    const conflict = page.getByRole('dialog', { name: 'Somebody else was faster' });
    await conflict.getByText('utf-16le').waitFor();
    await conflict.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByRole('textbox', { name: /^encoding/ }).inputValue()).toBe('iso-8859-1');
    await visitor.close();
  });

  it('are for those who may look at them, and say so to others', async () => {
    const visitor = await site.open({ user: 'avo', path: '/systems' });
    await visitor.page.getByRole('alert').first().waitFor();
    await expect.poll(() => visitor.page.getByRole('link', { name: 'Systems' }).count()).toBe(0);
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });
});
