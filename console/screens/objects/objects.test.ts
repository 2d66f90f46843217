import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrowser, NO_BROWSER } from '../../../test/support/browser.ts';
import { conforms } from '../../test/conform.ts';
import { type ConsoleSite, openSite } from '../../test/site.ts';

const executable = await findBrowser();
if (executable === undefined) console.warn(NO_BROWSER);

describe.skipIf(executable === undefined)('objects in the console', () => {
  let site: ConsoleSite;
  beforeAll(async () => {
    site = await openSite(executable!);
  });
  afterAll(() => site?.[Symbol.asyncDispose]());

  it('look as every page does, in a list and one by one', async () => {
    await conforms(site, { path: '/objects/user' }, { en: 'User', de: 'User' });
    await conforms(site, { path: '/objects/user/avo' }, { en: 'Anna Vogel', de: 'Anna Vogel' });
    await conforms(site, { path: '/objects/user/avo?tab=links' }, { en: 'Anna Vogel', de: 'Anna Vogel' });
    await conforms(site, { path: '/objects/user/avo?tab=history' }, { en: 'Anna Vogel', de: 'Anna Vogel' });
    await conforms(site, { path: '/objects/user/avo?tab=hooks' }, { en: 'Anna Vogel', de: 'Anna Vogel' });
    await conforms(site, { path: '/objects/user/avo?tab=graph' }, { en: 'Anna Vogel', de: 'Anna Vogel' });
  });

  it('say by which condition they have a role, which nobody can take away there', async () => {
    const auditor = { _ref: 'managed/role/auditor' };
    await site.server.api('POST', 'managed/user/avo/roles?_action=create', { body: auditor });
    const visitor = await site.open({ path: '/objects/user/avo?tab=links' });
    const { page } = visitor;
    const given = page.getByRole('listitem').filter({ hasText: 'managed/role/engineer' });
    await given.getByText('by condition').waitFor();
    await given.getByText('department eq "IT"').waitFor();
    expect(await given.getByRole('button').count()).toBe(0);
    const granted = page.getByRole('listitem').filter({ hasText: 'managed/role/auditor' });
    await granted.getByRole('button', { name: 'Delete auditor' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
    await page.getByText('auditor is taken away from Anna Vogel (Roles)').waitFor();
    await granted.waitFor({ state: 'detached' });
    await given.getByRole('link', { name: 'engineer' }).click();
    await page.getByRole('heading', { level: 1, name: 'engineer' }).waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('are filtered, told where a filter is wrong, and gone through by keys', async () => {
    const visitor = await site.open({ path: '/objects/user' });
    const { page } = visitor;
    await page.getByRole('row').nth(1).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('sn eqq "Vogel"');
    await page.keyboard.press('Enter');
    await page.getByText("unknown operator 'eqq'").waitFor();
    await page.getByRole('textbox', { name: 'Filter' }).fill('sn eq "Vogel"');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /avo/ }).waitFor();
    await expect.poll(() => page.locator('[role=row].body').count()).toBe(1);
    expect(new URL(page.url()).search).toContain('Vogel');
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Anna Vogel' }).waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('are asked for page by page, of which the rows in sight are drawn', async () => {
    const visitor = await site.open({ path: '/objects/user?sort=userName' });
    const { page } = visitor;
    await page.getByRole('button', { name: 'Load more' }).click();
    await expect
      .poll(async () => Number(await page.getByRole('grid').getAttribute('aria-rowcount')))
      .toBeGreaterThan(60);
    expect(await page.locator('[role=row].body').count()).toBeLessThan(60);
    await visitor.close();
  });

  it('show both versions when somebody else was faster, and go on with what is chosen', async () => {
    const visitor = await site.openDeaf({ path: '/objects/user/cdi' });
    const { page } = visitor;
    await page.getByRole('textbox', { name: 'City' }).fill('Bern');
    const faster = [{ operation: 'replace', field: '/city', value: 'Basel' }];
    await site.server.api('PATCH', 'managed/user/cdi', { body: faster });
    await page.getByRole('button', { name: 'Review 1 change' }).click();
    await page.getByRole('dialog', { name: 'Somebody else was faster' }).getByText('Theirs: Basel').waitFor();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Go on with these' }).click();
    await dialog.getByText('Nothing has been written yet').waitFor();
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('is changed').waitFor();
    expect((await site.server.api('GET', 'managed/user/cdi')).body.city).toBe('Bern');
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('are changed many at once, tried on the first of them, each of which can be found in the trail', async () => {
    const visitor = await site.open({ path: '/objects/user?filter=department eq "Field"' });
    const { page } = visitor;
    await page.getByRole('row', { name: /w0/ }).waitFor();
    await page.getByRole('button', { name: 'All of these' }).click();
    await page.getByRole('menuitem', { name: 'Change all of these' }).click();
    const asked = page.getByRole('dialog', { name: 'Change all of these' });
    await asked.getByText('department eq "Field"').waitFor();
    await asked.getByRole('combobox', { name: 'Property' }).selectOption('city');
    await asked.getByRole('textbox', { name: 'New value' }).fill('Thun');
    await asked.getByRole('button', { name: 'Review' }).click();
    const review = page.getByRole('dialog', { name: /^Change .* of many/ });
    await review.getByText('managed/user/w0', { exact: true }).first().waitFor();
    await review.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('60 of 60').waitFor();
    const there = await site.server.api('GET', 'managed/user?_queryFilter=city+eq+"Thun"&_fields=_id');
    expect(there.body.resultCount).toBe(60);
    await page.getByRole('link', { name: 'All that it has changed' }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('are counted by their values, kept as a view, and edited and chosen by keys', async () => {
    const visitor = await site.open({ path: '/objects/user?columns=userName,department,city' });
    const { page } = visitor;
    await page.getByRole('combobox', { name: 'How many of each' }).selectOption('department');
    await page.getByRole('button', { name: 'Finance 3' }).waitFor();
    expect(await visitor.axe()).toEqual([]);
    await page.getByRole('button', { name: 'Finance 3' }).click();
    await expect.poll(() => page.locator('[role=row].body').count()).toBe(3);
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Keep this view' }).click();
    await page.getByRole('textbox', { name: 'Name of the view' }).fill('Money');
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('The view Money is kept').waitFor();
    await page.goto(`${site.server.url}/console/objects/user`);
    await page.getByRole('row', { name: /avo/ }).waitFor();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Money' }).click();
    await page.getByRole('button', { name: 'View: Money' }).waitFor();
    await expect.poll(() => page.locator('[role=row].body').count()).toBe(3);
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('j');
    await page.keyboard.press('e');
    const edit = page.getByRole('dialog');
    await edit.getByRole('combobox', { name: 'Property' }).selectOption('city');
    await edit.getByRole('textbox', { name: 'New value' }).fill('Chur');
    await edit.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('row', { name: /Chur/ }).waitFor();
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('j');
    await page.keyboard.press('Space');
    await page.keyboard.press('Shift+J');
    await page.getByRole('button', { name: 'The 2 that are chosen' }).waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('are written into a file in which no cell is a formula, and deleted many at once', async () => {
    const put = (id: string, sn: string) =>
      site.server.api('PUT', `managed/user/${id}`, {
        body: { userName: id, givenName: 'Temp', sn, mail: `${id}@example.com`, city: 'Nowhere' },
      });
    expect([(await put('t1', '=1+2')).status, (await put('t2', 'Plain')).status]).toEqual([201, 201]);
    const visitor = await site.open({ path: '/objects/user?filter=city eq "Nowhere"&columns=userName,sn' });
    const { page } = visitor;
    await page.getByRole('row', { name: /t1/ }).waitFor();
    const act = async (what: string) => {
      await page.getByRole('button', { name: 'All of these' }).click();
      await page.getByRole('menuitem', { name: what }).click();
    };
    await act('Write them into a file');
    await page.getByRole('button', { name: 'Apply' }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Save user.csv' }).click(),
    ]);
    const text = await readFile(await file.path(), 'utf8');
    expect(text).toContain("t1,'=1+2");
    expect(text).toContain('t2,Plain');
    await act('Delete all of these');
    const review = page.getByRole('dialog', { name: /^Delete many/ });
    await review.getByText('managed/user/t1', { exact: true }).first().waitFor();
    await review.getByRole('textbox').fill('user');
    await review.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('Nothing fits this filter').waitFor();
    expect((await site.server.api('GET', 'managed/user/t1')).status).toBe(404);
    expect((await site.server.api('GET', 'managed/user/avo')).status).toBe(200);
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('are made, and say at once what is wrong with them', async () => {
    const visitor = await site.open({ path: '/objects/role/new' });
    const { page } = visitor;
    await page.getByRole('textbox', { name: /Description/ }).fill('Nobody knows');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    expect(await page.getByRole('button', { name: 'Apply' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Cancel' }).last().click();
    await page.getByRole('textbox', { name: /^Name/ }).fill('keeper');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('heading', { level: 1, name: 'keeper' }).waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('are looked for by conditions that are chosen, one after the other', async () => {
    const visitor = await site.open({ path: '/objects/user' });
    const { page } = visitor;
    await page.getByRole('row', { name: /avo/ }).waitFor();
    await page.keyboard.press('f');
    await page.getByRole('combobox', { name: 'Property' }).selectOption({ label: 'Department' });
    await page.getByRole('textbox', { name: 'Value' }).fill('Finance "North"');
    await page.getByRole('button', { name: 'Add it' }).click();
    await page.getByText('Nothing fits').first().waitFor();
    expect(new URL(page.url()).searchParams.get('filter')).toBe('department eq "Finance \\"North\\""');
    await page.getByRole('textbox', { name: 'Filter' }).fill('department eq "IT" or department eq "Legal"');
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: 'Property' }).selectOption({ label: 'Last name' });
    await page.getByRole('combobox', { name: 'How', exact: true }).selectOption('begins with');
    await page.getByRole('textbox', { name: 'Value' }).fill('Ru');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('grid').getAttribute('aria-rowcount')).toBe('2');
    await page.getByRole('row', { name: /iruiz/ }).waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('tell which scripts run for them, at what, and lead to where each is rehearsed with them', async () => {
    const visitor = await site.open({ path: '/objects/user/avo' });
    const { page } = visitor;
    await page.getByRole('tab', { name: 'Hooks' }).click();
    const hook = page.getByRole('row', { name: /^onCreate/ });
    await hook.waitFor();
    expect(await hook.getByRole('gridcell').allInnerTexts()).toEqual(
      expect.arrayContaining(['yes', '', 'before a new object gets its relationships and is checked']),
    );
    await hook.getByRole('link', { name: 'ui/onCreate-user-set-default-fields.js' }).click();
    await page.getByRole('heading', { level: 1, name: 'ui/onCreate-user-set-default-fields.js' }).waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      use: 'onCreate',
      type: 'user',
      with: 'avo',
    });
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('are compared as they were at any two times, and go by keys to why, to their request and back', async () => {
    const { api } = site.server;
    for (const city of ['Bern', 'Chur', 'Genf']) {
      await api('PATCH', 'managed/user/ewei', { body: [{ operation: 'add', field: '/city', value: city }] });
    }
    const visitor = await site.open({ path: '/objects/user/ewei?tab=history' });
    const { page } = visitor;
    await page.getByText('Compare two states').click();
    const compared = page.getByRole('region', { name: 'Compare two states' });
    await compared.getByRole('combobox', { name: 'As it was', exact: true }).selectOption({ index: 2 });
    const row = compared.getByRole('row', { name: /\/city/ });
    expect((await row.allInnerTexts()).join(' ').split(/\s+/)).toEqual(['/city', 'Bern', 'Genf']);
    expect(await visitor.axe()).toEqual([]);
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('.');
    await page.locator('[role=menuitem]:focus', { hasText: 'Delete' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('y');
    const copies = page.getByRole('dialog', { name: 'The request that reads this' });
    await copies.getByText("svc api GET 'managed/user/ewei'").waitFor();
    expect(await visitor.axe()).toEqual([]);
    await page.keyboard.press('Escape');
    await copies.waitFor({ state: 'detached' });
    await page.keyboard.press('w');
    await page.getByRole('heading', { name: 'Roles in effect' }).waitFor();
    await page.keyboard.press('u');
    await page.getByText('Nothing has been written yet').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText('Taken back').first().waitFor();
    expect((await api('GET', 'managed/user/ewei')).body.city).toBe('Chur');
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('are shown with what they are linked to, and with what that is linked to', async () => {
    const visitor = await site.open({ path: '/objects/user/avo?tab=graph' });
    const { page } = visitor;
    const graph = page.getByRole('list', { name: 'Graph' });
    await graph.getByRole('link', { name: 'Bo Kim' }).waitFor();
    await graph.getByRole('link', { name: 'engineer' }).waitFor();
    await expect.poll(() => graph.getByRole('link', { name: 'Hana Sato' }).count()).toBe(0);
    await graph.getByRole('button', { name: 'Show what engineer is linked to' }).press('Enter');
    await graph.getByRole('link', { name: 'Hana Sato' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Hana Sato' }).waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('are drawn and linked whatever stands in their ids', async () => {
    const { api } = site.server;
    const id = encodeURIComponent('50% a?');
    const body = {
      userName: 'half',
      givenName: 'Half',
      sn: 'Way',
      mail: 'half@example.com',
      manager: { _ref: 'managed/user/avo' },
    };
    expect((await api('PUT', `managed/user/${id}`, { body })).status).toBe(201);
    const visitor = await site.open({ path: `/objects/user/${id}?tab=graph` });
    const { page } = visitor;
    const graph = page.getByRole('list', { name: 'Graph' });
    await graph.getByRole('link', { name: 'Anna Vogel' }).waitFor();
    await graph.getByRole('button', { name: 'Show what Anna Vogel is linked to' }).press('Enter');
    await graph.getByRole('link', { name: 'Bo Kim' }).waitFor();
    // The one that it is drawn for is a report of hers, and not drawn twice.
    expect(await graph.getByText('Half Way').count()).toBe(1);
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });
});
