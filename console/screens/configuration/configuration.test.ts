import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrowser, NO_BROWSER } from '../../../test/support/browser.ts';
import { conforms, rewrite } from '../../test/conform.ts';
import { type ConsoleSite, openSite } from '../../test/site.ts';

const executable = await findBrowser();
if (executable === undefined) console.warn(NO_BROWSER);

describe.skipIf(executable === undefined)('configuration in the console', () => {
  let site: ConsoleSite;
  beforeAll(async () => {
    site = await openSite(executable ?? NO_BROWSER);
  });
  afterAll(() => site?.[Symbol.asyncDispose]());

  it('looks as every page does, in a list and one by one', async () => {
    await conforms(site, { path: '/configuration' }, { en: 'Configuration', de: 'Konfiguration' });
    await conforms(site, { path: '/configuration/of/audit' }, { en: 'audit', de: 'audit' });
    await conforms(site, { path: '/configuration/of/audit?tab=effective' }, { en: 'audit', de: 'audit' });
    await conforms(site, { path: '/configuration/of/audit?tab=form' }, { en: 'audit', de: 'audit' });
  });

  it('is planned as it is written: what is wrong at its line, and what would follow', async () => {
    const visitor = await site.open({ path: '/configuration' });
    const { page } = visitor;
    await page.getByRole('row', { name: /authentication/ }).waitFor();
    await page.getByRole('button', { name: 'New configuration' }).click();
    await page.getByRole('textbox', { name: 'Configuration' }).fill('schedule/nightly');
    await page.getByRole('button', { name: 'Write it' }).click();
    const editor = page.getByRole('textbox', { name: 'schedule/nightly' });
    await rewrite(
      editor,
      '{ "enabled": true, "type": "cron", "schedule": "0 0 25 * * ?", "invokeService": "script" }',
    );
    await page
      .getByText(/hour.*25|25.*hour/i)
      .first()
      .waitFor();
    await rewrite(
      editor,
      '{ "enabled": true, "type": "cron", "schedule": "0 0 3 * * ?", "invokeService": "script", "invokeContext": { "script": { "type": "text/javascript", "source": "1" } } }',
    );
    await page.getByRole('list', { name: 'Effects' }).getByRole('listitem').first().waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('is saved with a review, told in its history, and goes back to its file', async () => {
    const visitor = await site.open({ path: '/configuration/of/audit' });
    const { page } = visitor;
    const { _id, _rev, ...audit } = (await site.server.api('GET', 'config/audit')).body;
    const editor = page.getByRole('textbox', { name: 'audit' });
    await editor.fill('');
    await editor.pressSequentially('{ "keep');
    await page.getByRole('option', { name: /^keepDays/ }).waitFor();
    await rewrite(editor, JSON.stringify({ ...audit, keepDays: 400 }));
    await editor.press('Control+s');
    await page.getByText('Nothing has been written yet').waitFor();
    await page.getByRole('dialog').getByText('/keepDays').waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('audit is in force, on all nodes').waitFor();
    expect((await site.server.api('GET', 'config/audit')).body.keepDays).toBe(400);
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByRole('button', { name: 'Take up what was before' }).waitFor();
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Take what the file has' }).click();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('audit is as its file has it').waitFor();
    expect((await site.server.api('GET', 'config/audit')).body.keepDays).toBe(365);
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('is filled in as a form, which says what holds otherwise, and keeps what it does not know', async () => {
    const { api } = site.server;
    const { _id, _rev, ...scheduler } = (await api('GET', 'config/scheduler')).body;
    await api('PUT', 'config/scheduler', { body: { ...scheduler, '#note': 'kept' } });
    const visitor = await site.open({ path: '/configuration/of/scheduler?tab=form' });
    const { page } = visitor;
    const threads = page.getByRole('textbox', { name: 'threadCount', exact: true });
    await page.getByText('otherwise 10').waitFor();
    await threads.fill('7');
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByText('Nothing has been written yet').waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('scheduler is in force, on all nodes').waitFor();
    expect((await api('GET', 'config/scheduler')).body).toMatchObject({
      threadPool: { threadCount: '7' },
      '#note': 'kept',
    });
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('shows what somebody else has saved meanwhile, and keeps what was written', async () => {
    const visitor = await site.openDeaf({ path: '/configuration/of/scheduler' });
    const { page } = visitor;
    const { _id, _rev, ...content } = (await site.server.api('GET', 'config/scheduler')).body;
    const editor = page.getByRole('textbox', { name: 'scheduler' });
    await rewrite(editor, JSON.stringify({ ...content, '#note': 'mine' }));
    await site.server.api('PUT', 'config/scheduler', { body: { ...content, '#note': 'theirs' } });
    await page.getByRole('button', { name: 'Review' }).click();
    const conflict = page.getByRole('dialog', { name: 'Somebody else was faster' });
    await conflict.getByText('theirs').waitFor();
    await conflict.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => editor.innerText()).toContain('mine');
    await visitor.close();
  });

  it('is compared as it was at any two times', async () => {
    const { api } = site.server;
    const { _id, _rev, ...content } = (await api('GET', 'config/scheduler')).body;
    for (const note of ['first', 'second', 'third']) {
      await api('PUT', 'config/scheduler', { body: { ...content, '#note': note } });
    }
    const visitor = await site.open({ path: '/configuration/of/scheduler?tab=history' });
    const { page } = visitor;
    await page.getByText('Compare two states').click();
    const compared = page.getByRole('region', { name: 'Compare two states' });
    const row = compared.getByRole('row', { name: /#note/ });
    await row.getByText('third').waitFor();
    await compared.getByRole('combobox', { name: 'As it was', exact: true }).selectOption({ index: 2 });
    await row.getByText('first').waitFor();
    expect(await compared.locator('[role=row]:not(.head)').count()).toBe(1);
    expect(await visitor.axe()).toEqual([]);
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('is for those who may look at it, and say so to others', async () => {
    const visitor = await site.open({ user: 'avo', path: '/configuration' });
    await visitor.page.getByRole('alert').first().waitFor();
    await expect.poll(() => visitor.page.getByRole('link', { name: 'Configuration' }).count()).toBe(0);
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });
});
