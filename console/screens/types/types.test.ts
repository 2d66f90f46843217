import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrowser, NO_BROWSER } from '../../../test/support/browser.ts';
import { conforms, rewrite } from '../../test/conform.ts';
import { type ConsoleSite, openSite } from '../../test/site.ts';

const executable = await findBrowser();
if (executable === undefined) console.warn(NO_BROWSER);

describe.skipIf(executable === undefined)('types in the console', () => {
  let site: ConsoleSite;
  beforeAll(async () => {
    site = await openSite(executable ?? NO_BROWSER);
  });
  afterAll(() => site?.[Symbol.asyncDispose]());

  it('look as every page does, in a list and one by one', async () => {
    await conforms(site, { path: '/types' }, { en: 'Types', de: 'Typen' });
    await conforms(site, { path: '/types/user' }, { en: 'User', de: 'User' });
    await conforms(site, { path: '/types/user?tab=hooks' }, { en: 'User', de: 'User' });
  });

  it('get a property that is planned on the objects that there are, and shown in their forms', async () => {
    const visitor = await site.open({ path: '/types' });
    const { page } = visitor;
    await page.getByRole('row', { name: /User/ }).click();
    await page.getByRole('heading', { level: 1, name: 'User' }).waitFor();
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('employeeNumber');
    await dialog.getByRole('textbox', { name: 'Shown as' }).fill('Employee number');
    await dialog.getByText('Every object has to have it').click();
    await dialog.getByText(/objects of 'user' lack it/).waitFor();
    await dialog.getByText('Every object has to have it').click();
    await dialog.getByText('It can be searched for').click();
    await dialog.getByText(/index on 'employeeNumber'/).waitFor();
    await dialog.getByRole('button', { name: 'Review' }).click();
    await page.getByText('Nothing has been written yet').waitFor();
    const changed = page.getByRole('dialog').getByRole('row', { name: /schema.properties.employeeNumber/ });
    await changed.first().waitFor();
    expect(await page.getByRole('dialog').innerText()).not.toContain('userName');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('employeeNumber of user is saved').waitFor();
    await page.getByRole('row', { name: /Employee number/ }).waitFor();
    await page.goto(`${site.server.url}/console/objects/user/avo`);
    await page.getByRole('textbox', { name: 'Employee number' }).waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('have policies with what each is given, which judge objects from then on', async () => {
    const { api } = site.server;
    const userOf = async () => {
      const { objects } = (await api('GET', 'config/managed')).body;
      const at = objects.findIndex(({ name }: { name: string }) => name === 'user');
      return { at, policies: objects[at].schema.properties.userName.policies };
    };
    const unique = { policyId: 'unique', params: { ignoreCase: true } };
    const { at, policies: before } = await userOf();
    const field = `/objects/${at}/schema/properties/userName/policies`;
    const patched = await api('PATCH', 'config/managed', {
      body: [{ operation: 'replace', field, value: [unique, ...before.slice(1)] }],
    });
    expect(patched.status, JSON.stringify(patched.body)).toBe(200);
    const visitor = await site.open({ path: '/types/user' });
    const { page } = visitor;
    await page.getByRole('row', { name: /userName/ }).click();
    const dialog = page.getByRole('dialog', { name: 'userName' });
    const policies = dialog.getByRole('region', { name: 'Policies' });
    await policies.getByRole('group', { name: 'cannot-contain-characters' }).waitFor();
    await policies.getByRole('textbox', { name: 'forbiddenChars' }).fill('/\n#');
    await policies.getByRole('combobox', { name: 'Add a policy' }).selectOption('minimum-length');
    const review = dialog.getByRole('button', { name: 'Review' });
    expect(await review.isDisabled()).toBe(true);
    await policies.getByRole('textbox', { name: /^minLength/ }).fill('3');
    expect(await visitor.axe()).toEqual([]);
    await review.click();
    await page.getByText('Nothing has been written yet').waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('userName of user is saved').waitFor();
    expect((await userOf()).policies).toEqual([
      unique,
      { policyId: 'no-internal-user-conflict' },
      { policyId: 'cannot-contain-characters', params: { forbiddenChars: ['/', '#'] } },
      { policyId: 'minimum-length', params: { minLength: 3 } },
    ]);
    const body = { userName: 'z#', givenName: 'Zoe', sn: 'Zett', mail: 'z@example.com' };
    const refused = await api('PUT', 'managed/user/z1', { body });
    expect(JSON.stringify(refused.body)).toMatch(/MIN_LENGTH/);
    expect(JSON.stringify(refused.body)).toMatch(/CANNOT_CONTAIN_CHARACTERS/);
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('lose a property only when its name has been typed, and tell when somebody else was faster', async () => {
    const visitor = await site.openDeaf({ path: '/types/deactivation' });
    const { page } = visitor;
    await page.getByRole('row', { name: /userName/ }).click();
    const faster = [{ operation: 'add', field: '/objects/3/schema/description', value: 'Who has left' }];
    await site.server.api('PATCH', 'config/managed', { body: faster });
    await page.getByRole('button', { name: 'Remove it' }).click();
    await page.getByRole('dialog', { name: 'Somebody else was faster' }).waitFor();
    await page.getByRole('button', { name: 'Go on with these' }).click();
    await page.getByText('Nothing has been written yet').waitFor();
    expect(await page.getByRole('button', { name: 'Apply' }).isDisabled()).toBe(true);
    await visitor.close();
  });

  it('have hooks, of which one is written here, planned, and run from then on', async () => {
    const visitor = await site.open({ path: '/types/assignment' });
    const { page } = visitor;
    await page.getByRole('tab', { name: 'Hooks' }).click();
    await page.getByRole('row', { name: /onUpdate/ }).click();
    const dialog = page.getByRole('dialog', { name: 'The hook onUpdate' });
    await dialog.getByRole('combobox', { name: 'Script' }).selectOption('javascript');
    const editor = dialog.getByRole('textbox', { name: 'Script: Script' });
    await rewrite(editor, 'newObject.description = ');
    await dialog
      .getByText(/does not compile/)
      .first()
      .waitFor();
    await rewrite(editor, 'newObject.description = "Kept by " + resourceName;');
    await dialog.getByText('Nothing for the objects that there are').waitFor();
    expect(await visitor.axe()).toEqual([]);
    await dialog.getByRole('button', { name: 'Review' }).click();
    await page.getByText('Nothing has been written yet').waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('onUpdate of assignment is saved').waitFor();
    await page.getByRole('row', { name: /onUpdate.*written here/ }).waitFor();
    const { api } = site.server;
    await api('PUT', 'managed/assignment/vpn', {
      body: { name: 'vpn', description: 'The way in', mapping: 'none' },
    });
    const change = [{ operation: 'replace', field: '/description', value: 'Another one' }];
    const changed = await api('PATCH', 'managed/assignment/vpn', { body: change });
    expect(changed.body.description).toBe('Kept by managed/assignment/vpn');
    await page.goto(`${site.server.url}/console/types/user?tab=hooks`);
    await page.getByRole('row', { name: /onCreate/ }).click();
    await page.getByRole('link', { name: 'Rehearse it' }).click();
    await page.getByRole('heading', { level: 1, name: 'ui/onCreate-user-set-default-fields.js' }).waitFor();
    await page.goto(`${site.server.url}/console/types/user?tab=hooks`);
    await page.getByRole('row', { name: /onUpdate/ }).click();
    await page.getByRole('link', { name: 'Rehearse it' }).click();
    const shipped = page.getByRole('textbox', { name: 'script/joiner-mover-leaver.js' });
    await shipped.getByText('object', { exact: false }).first().waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('are declared anew, with a relationship that leads both ways, and have objects at once', async () => {
    const visitor = await site.open({ path: '/types/user' });
    const { page } = visitor;
    const dialog = page.getByRole('dialog', { name: 'Add a relationship' });
    await page.getByRole('button', { name: 'Add a relationship' }).click();
    await dialog.waitFor();
    expect(await visitor.axe()).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Types' }).first().click();
    await page.getByRole('button', { name: 'New type' }).click();
    const naming = page.getByRole('dialog', { name: 'New type' });
    await naming.getByRole('textbox', { name: 'Name' }).fill('user');
    await naming.getByText('It is taken').waitFor();
    await naming.getByRole('textbox', { name: 'Name' }).fill('device');
    await naming.getByRole('textbox', { name: 'Shown as' }).fill('Device');
    await naming.getByRole('button', { name: 'Review' }).click();
    await page.getByText('Nothing has been written yet').waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('heading', { level: 1, name: 'Device' }).waitFor();
    await page.getByRole('button', { name: 'Add a relationship' }).click();
    await dialog.getByRole('combobox', { name: 'Leads to objects of' }).selectOption('user');
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('owner');
    await dialog.getByRole('textbox', { name: 'Name of the way back' }).fill('devices');
    await dialog.getByRole('region', { name: 'What it would mean' }).waitFor();
    await dialog.getByRole('button', { name: 'Review' }).click();
    await page.getByText('Nothing has been written yet').waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    // The list may know it before it is in force.
    await page.getByText('owner of device is saved').waitFor();
    await page.getByRole('row', { name: /owner/ }).waitFor();
    const { api } = site.server;
    const body = { name: 'laptop 7', owner: { _ref: 'managed/user/avo' } };
    expect((await api('PUT', 'managed/device/l7', { body })).status).toBe(201);
    const { devices } = (await api('GET', 'managed/user/avo?_fields=devices/*')).body;
    expect(devices).toMatchObject([{ _ref: 'managed/device/l7', name: 'laptop 7' }]);
    await page.goto(`${site.server.url}/console/objects/device/l7`);
    await page.getByRole('link', { name: 'Anna Vogel' }).first().waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('are for those who may look at them, and say so to others', async () => {
    const visitor = await site.open({ user: 'avo', path: '/types' });
    await visitor.page.getByRole('alert').first().waitFor();
    await expect.poll(() => visitor.page.getByRole('link', { name: 'Types' }).count()).toBe(0);
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });
});
