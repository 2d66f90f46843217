import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_ACTION } from '../../../src/sync/situation.ts';
import { findBrowser, NO_BROWSER } from '../../../test/support/browser.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { conforms, rewrite } from '../../test/conform.ts';
import { seedMapping, seedSystem } from '../../test/seed-system.ts';
import { type ConsoleSite, openSite } from '../../test/site.ts';
import { SITUATIONS } from './situations.ts';

it('all situations are known, with what is done in them', () => {
  expect(SITUATIONS).toEqual(DEFAULT_ACTION);
});

const executable = await findBrowser();
if (executable === undefined) console.warn(NO_BROWSER);

describe.skipIf(executable === undefined)('mappings in the console', () => {
  let site: ConsoleSite;
  const written = async () => (await site.server.api('GET', 'config/mapping/hr_user')).body;
  beforeAll(async () => {
    site = await openSite(executable ?? NO_BROWSER);
    await seedSystem(site.server);
    await seedMapping(site.server);
  });
  afterAll(() => site?.[Symbol.asyncDispose]());

  it('look as every page does, in a list and tab by tab', async () => {
    await conforms(site, { path: '/mappings' }, { en: 'Mappings', de: 'Zuordnungen' });
    for (const tab of ['properties', 'situations', 'correlation', 'general', 'queue']) {
      await conforms(site, { path: `/mappings/hr_user?tab=${tab}` }, { en: 'hr_user', de: 'hr_user' });
    }
  });

  it('are changed in tables, planned while one does it, and saved as configuration', async () => {
    const visitor = await site.open({ path: '/mappings' });
    const { page } = visitor;
    await page.getByRole('row', { name: /hr_user/ }).click();
    await page.getByRole('row', { name: /^sn/ }).waitFor();
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: /^To/ }).fill('displayNme');
    await dialog.getByRole('textbox', { name: /^From/ }).fill('givenName');
    await dialog.getByRole('combobox', { name: 'Transformed' }).selectOption('javascript');
    await rewrite(dialog.getByRole('textbox', { name: 'Transformed: Script' }), 'source.toUpperCase()');
    await dialog.getByRole('button', { name: 'Take it up' }).click();
    await page.getByRole('row', { name: /displayNme.*toUpperCase/ }).click();
    // The plan knows the properties of the other side.
    await page.getByRole('dialog').getByRole('textbox', { name: /^To/ }).fill('description');
    await page.getByRole('dialog').getByRole('button', { name: 'Take it up' }).click();
    await page.getByRole('tab', { name: 'Situations' }).click();
    await page.getByRole('combobox', { name: 'Policy for MISSING' }).selectOption('UNLINK');
    await page.getByRole('heading', { name: 'What would follow' }).waitFor();
    await page.getByRole('button', { name: 'Review 2 changes' }).click();
    await page.getByText('Nothing has been written yet').waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('The mapping hr_user is in force as it is now').waitFor();
    const { properties, policies } = await written();
    expect(properties.at(-1)).toEqual({
      target: 'description',
      source: 'givenName',
      transform: { type: 'text/javascript', source: 'source.toUpperCase()' },
    });
    expect(policies).toContainEqual({ situation: 'MISSING', action: 'UNLINK' });
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('are refused where they are wrong, and nothing of what was written is lost', async () => {
    const visitor = await site.open({ path: '/mappings/hr_user?tab=general' });
    const { page } = visitor;
    await page.getByRole('textbox', { name: /^Which sources count/ }).fill('/source/mail eqq 1');
    await page.getByText(/eqq/).first().waitFor();
    await page.reload();
    await expect
      .poll(() => page.getByRole('textbox', { name: /^Which sources count/ }).inputValue())
      .toBe('/source/mail eqq 1');
    await page.getByRole('button', { name: 'Start again' }).click();
    await page.getByRole('button', { name: 'Start again' }).waitFor({ state: 'detached' });
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('begin with two sides, and go when their name has been typed', async () => {
    const visitor = await site.open({ path: '/mappings' });
    const { page } = visitor;
    await page.getByRole('row', { name: /hr_user/ }).waitFor();
    await page.keyboard.press('n');
    await page.getByRole('textbox', { name: 'Name' }).fill('user_copy');
    await page.getByRole('textbox', { name: 'Source' }).fill('managed/user');
    await page.getByRole('textbox', { name: 'Target' }).fill('repo/copy');
    await page.getByRole('dialog').getByRole('button', { name: 'New mapping' }).click();
    await page.getByText('Nothing has been written yet').waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('heading', { level: 1, name: 'user_copy' }).waitFor();
    await page.getByText('No property is mapped yet').waitFor();
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('textbox', { name: /Type user_copy to go on/ }).fill('user_copy');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('The mapping user_copy is deleted').waitFor();
    const gone = () => site.server.api('GET', 'config/mapping/user_copy');
    await eventually(gone, ({ status }) => status === 404);
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('show what somebody else has saved meanwhile, though it has been heard of', async () => {
    const visitor = await site.open({ path: '/mappings/hr_user?tab=situations' });
    const { page } = visitor;
    await page.getByRole('combobox', { name: 'Policy for AMBIGUOUS' }).selectOption('IGNORE');
    const heard = page.waitForResponse((response) => response.url().endsWith('/config/mapping/hr_user'));
    await site.server.api('PATCH', 'config/mapping/hr_user', {
      body: [{ operation: 'replace', field: '/policies', value: [{ situation: 'FOUND', action: 'LINK' }] }],
    });
    await heard;
    await page.getByRole('button', { name: 'Review 1 change' }).click();
    const conflict = page.getByRole('dialog', { name: 'Somebody else was faster' });
    await conflict.getByText(/Theirs:.*LINK/).waitFor();
    await conflict.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByRole('combobox', { name: 'Policy for AMBIGUOUS' }).inputValue()).toBe('IGNORE');
    expect((await written()).policies).toEqual([{ situation: 'FOUND', action: 'LINK' }]);
    await visitor.close();
  });

  it('are for those who may change them, and say so to others', async () => {
    const visitor = await site.open({ user: 'avo', path: '/mappings' });
    await visitor.page.getByRole('alert').first().waitFor();
    await expect.poll(() => visitor.page.getByRole('link', { name: 'Mappings' }).count()).toBe(0);
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });
});
