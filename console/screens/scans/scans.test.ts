import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrowser, NO_BROWSER } from '../../../test/support/browser.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { conforms } from '../../test/conform.ts';
import { type ConsoleSite, openSite } from '../../test/site.ts';

const executable = await findBrowser();
if (executable === undefined) console.warn(NO_BROWSER);

describe.skipIf(executable === undefined)('scans in the console', () => {
  let site: ConsoleSite;
  let failed: string;
  beforeAll(async () => {
    site = await openSite(executable ?? NO_BROWSER);
    failed = await failedScan();
  });
  afterAll(() => site?.[Symbol.asyncDispose]());

  /** A run in which all of IT fails. */
  async function failedScan(): Promise<string> {
    const { body } = await site.server.api('POST', 'taskscanner?_action=execute', {
      body: {
        scan: {
          object: 'managed/user',
          _queryFilter: 'department eq "IT"',
          taskState: { started: '/seen/at', completed: '/seen/done' },
        },
        task: { script: { type: 'text/javascript', source: 'throw new Error("too late")' } },
      },
    });
    const run = () => site.server.api('GET', `taskscanner/${body._id}`);
    await eventually(run, ({ body: { progress } }) => progress.state === 'COMPLETED');
    return body._id;
  }

  it('look as every page does, in a list and one by one', async () => {
    await conforms(site, { path: '/scans' }, { en: 'Scans', de: 'Durchläufe' });
    await conforms(site, { path: `/scans/${failed}` }, { en: 'managed/user', de: 'managed/user' });
  });

  it('are rehearsed before they begin', async () => {
    const visitor = await site.open({ path: '/scans' });
    const { page } = visitor;
    await page.getByRole('button', { name: 'Begin' }).click();
    await page.getByText('Nothing has been written yet').waitFor();
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    await page.getByText('forget-leavers is under way').waitFor();
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    await page.getByRole('row', { name: /forget-leavers/ }).waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('begin without being rehearsed when nobody wants to wait for that', async () => {
    const visitor = await site.open({ path: '/scans' });
    const { page } = visitor;
    await page.route(/_dryRun=true/, () => undefined);
    await page.getByRole('button', { name: 'Begin' }).click();
    await page.getByText('You need not wait').waitFor();
    const before = (await site.server.api('GET', 'taskscanner')).body.tasks.length;
    await page.getByRole('button', { name: 'Apply unseen' }).click();
    await page.getByText('forget-leavers is under way').waitFor();
    expect((await site.server.api('GET', 'taskscanner')).body.tasks.length).toBe(before + 1);
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('show what failed, alike together and one by one, and try it again', async () => {
    const visitor = await site.open({ path: `/scans/${failed}` });
    const { page } = visitor;
    await page.getByText('done, 4 failed').waitFor();
    await page.getByRole('listitem').filter({ hasText: '4×' }).getByText('too late').waitFor();
    await page.getByRole('row', { name: /managed\/user\/avo.*too late/ }).waitFor();
    await page.keyboard.press('x');
    const again = page.getByRole('dialog', { name: 'Try the 4 objects that failed again' });
    await again.getByRole('listitem').filter({ hasText: 'managed/user/avo' }).getByText('too late').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('are for those who may look at them, and say so to others', async () => {
    const visitor = await site.open({ user: 'avo', path: '/scans' });
    await visitor.page.getByRole('alert').first().waitFor();
    await expect.poll(() => visitor.page.getByRole('link', { name: 'Scans' }).count()).toBe(0);
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });
});
