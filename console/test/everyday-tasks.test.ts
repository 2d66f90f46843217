/**
 * What people come for, from the first screen to the end of it, without anything to read. Clicks are counted; docs/console.md
 * has the table, which this holds.
 */
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrowser, NO_BROWSER } from '../../test/support/browser.ts';
import { eventually } from '../../test/support/eventually.ts';
import type { TestServer } from '../../test/support/server.ts';
import { type ConsoleSite, openSite, type Visit } from './site.ts';

const executable = await findBrowser();
if (executable === undefined) console.warn(NO_BROWSER);
const documented = await readFile(new URL('../../docs/console.md', import.meta.url), 'utf8');

/** Whoever does it: each click, and each text that is typed, counts. */
interface Hands {
  readonly page: Page;
  click(what: Locator): Promise<void>;
  /** Into what has the focus, or into a field, which takes no click of its own. */
  type(text: string, field?: Locator): Promise<void>;
  /** Finds an object by a few letters of its name. */
  search(letters: string, name: RegExp): Promise<void>;
  button(name: string | RegExp): Locator;
}

describe.skipIf(executable === undefined)('everyday tasks in the console', () => {
  let site: ConsoleSite;
  const api: TestServer['api'] = (...asked) => site.server.api(...asked);
  beforeAll(async () => {
    site = await openSite(executable ?? NO_BROWSER);
  });
  afterAll(() => site?.[Symbol.asyncDispose]());

  /** Does the task, and compares what it took with the row of the documentation that begins with its name. */
  async function task(name: string, visit: Visit, work: (hands: Hands) => Promise<void>): Promise<void> {
    const visitor = await site.open(visit);
    const { page } = visitor;
    let clicks = 0;
    let texts = 0;
    const hands: Hands = {
      page,
      button: (button) => page.getByRole('button', { name: button }),
      async click(what) {
        clicks++;
        await what.click();
      },
      async type(text, field) {
        texts++;
        if (field === undefined) await page.keyboard.type(text);
        else await field.fill(text);
      },
      async search(letters, found) {
        // A page that has just been drawn may not listen yet.
        const palette = page.getByRole('dialog');
        const open = async () => {
          if (!(await palette.isVisible())) await page.keyboard.press('Control+k');
          return palette.isVisible();
        };
        await expect.poll(open, { timeout: 60_000 }).toBe(true);
        await hands.type(letters);
        await hands.click(page.getByRole('menuitem', { name: found }));
      },
    };
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await work(hands);
    expect(visitor.problems).toEqual([]);
    await visitor.close();
    const row = documented.split('\n').find((line) => line.startsWith(`| ${name} |`));
    const told = row?.split('|').slice(2, 4).map(Number);
    expect({ task: name, clicks, texts }).toEqual({ task: name, clicks: told?.[0], texts: told?.[1] });
  }
  const apply = async ({ page, click, button }: Hands) => {
    await page.getByText('Nothing has been written yet').waitFor();
    await click(button('Apply'));
  };

  it('find why a user has a role, take it away, and see who else has it', async () => {
    for (const id of ['cdi', 'dnagy']) {
      await api('POST', `managed/user/${id}/roles?_action=create`, {
        body: { _ref: 'managed/role/auditor' },
      });
    }
    await task('Why has she this role? Take it away; who else has it?', {}, async (hands) => {
      const { page, click, button, search } = hands;
      await search('diaz', /Carla Diaz/);
      await click(page.getByRole('tab', { name: 'Links' }));
      await page
        .getByText(/by svc-admin/)
        .first()
        .waitFor();
      await click(button('Delete auditor'));
      await apply(hands);
      await page.getByText(/auditor is taken away from .* \(Roles\)/).waitFor();
      await search('auditor', /auditor/);
      await click(page.getByRole('tab', { name: 'Links' }));
      await page.getByRole('link', { name: 'Dora Nagy' }).waitFor();
    });
    expect((await api('GET', 'managed/user/cdi?_fields=effectiveRoles')).body.effectiveRoles).toEqual([]);
  });

  it('see why the job of last night did not run, and run it', async () => {
    await task('Why did the job of last night not run? Run it', {}, async (hands) => {
      const { page, click, button } = hands;
      const finding = page.getByRole('listitem').filter({ hasText: 'scheduler/job/sync-hr' }).first();
      await finding.getByText("cannot read property 'mail' of null").waitFor();
      await click(finding.getByRole('button').first());
      // The rehearsal says that it would fail once more.
      await page
        .getByRole('dialog')
        .getByText(/cannot read property/)
        .first()
        .waitFor();
      await click(button('Cancel').last());
    });
  });

  it('move an instance past a mistake in its file', async () => {
    await task('Move an instance past a mistake', {}, async (hands) => {
      const { page, click, button } = hands;
      await click(page.getByRole('link', { name: 'Processes' }));
      await click(page.getByRole('tab', { name: /Dead letters|given up/i }));
      await click(page.getByRole('row', { name: /cannot read property 'mail' of null/ }));
      await click(page.getByRole('dialog').getByRole('link').first());
      await click(button('Actions'));
      await click(page.getByRole('menuitem', { name: 'Migrate to version 2' }));
      await apply(hands);
      await page.getByText('It goes on by version 2').waitFor();
    });
  });

  it('rehearse a hook on a real object', async () => {
    await task('Rehearse a hook on a real object', {}, async (hands) => {
      const { page, click, button, type } = hands;
      await click(page.getByRole('link', { name: 'Scripts' }));
      await click(page.getByRole('tab', { name: 'Hooks' }));
      await click(page.getByRole('link', { name: 'ui/onCreate-user-set-default-fields.js' }).first());
      await type(
        '{"object": {"userName": "new"}}',
        page.getByRole('textbox', { name: 'Variables, as JSON' }),
      );
      await click(button('Rehearse').first());
      await page.getByRole('region', { name: 'Result' }).waitFor();
    });
  });

  it('add a property to a type', async () => {
    await task('Add a property', {}, async (hands) => {
      const { page, click, button, type } = hands;
      await click(page.getByRole('link', { name: 'Types' }));
      await click(page.getByRole('row', { name: /User/ }));
      await click(button('Add a property'));
      await type('costCentre', page.getByRole('dialog').getByRole('textbox', { name: 'Name' }));
      await click(page.getByRole('dialog').getByRole('button', { name: 'Review' }));
      await apply(hands);
      await page.getByText('costCentre of user is saved').waitFor();
    });
  });

  it('approve a request on a phone', async () => {
    const phone: Visit = { user: 'bkim', width: 390, height: 844 };
    await task('Approve a request, on a phone', phone, async (hands) => {
      const { page, click, button } = hands;
      await click(page.getByRole('link', { name: /Approve auditor for Anna Vogel/ }));
      await click(page.getByRole('combobox', { name: /Decision/ }));
      await page.getByRole('combobox', { name: /Decision/ }).selectOption('accept');
      await click(button('Finish'));
      await click(button('Apply'));
      await page.getByText('Nothing to do').waitFor();
    });
  });

  it('find who changed a mail address, and undo it', async () => {
    const patch = [{ operation: 'replace', field: '/mail', value: 'wrong@example.com' }];
    await api('PATCH', 'managed/user/ewei', { body: patch });
    await task('Who changed this mail address? Undo it', {}, async (hands) => {
      const { page, click, button, search } = hands;
      await search('emil', /Emil Wei/);
      await click(page.getByRole('tab', { name: 'History' }));
      await page
        .getByText(/by svc-admin/)
        .first()
        .waitFor();
      await click(button('Undo').first());
      await apply(hands);
      await page.getByText('Taken back').waitFor();
    });
    expect((await api('GET', 'managed/user/ewei')).body.mail).toBe('emil.wei@example.com');
  });

  it('stop a runaway scan', async () => {
    const { body } = await api('POST', 'taskscanner?_action=execute', {
      body: {
        scan: {
          object: 'managed/user',
          _queryFilter: 'department eq "Field"',
          numberOfThreads: 1,
          taskState: { started: '/slow/at', completed: '/slow/done' },
        },
        task: { script: { type: 'text/javascript', source: 'for (var n = 0; n < 3e7; n++); 1' } },
      },
    });
    await task('Stop a runaway scan', {}, async (hands) => {
      const { page, click, button } = hands;
      await click(page.getByRole('link', { name: 'Scans' }));
      await click(page.getByRole('row', { name: /under way/ }));
      await click(button('Stop it'));
      await apply(hands);
    });
    await eventually(
      () => api('GET', `taskscanner/${body._id}`),
      ({ body: { progress } }) => progress.state === 'CANCELLED',
    );
  });

  it('encrypt with the new key what an older one has encrypted', async () => {
    await task('Rotate a key', {}, async (hands) => {
      const { page, click, button } = hands;
      await click(page.getByRole('link', { name: 'Security' }));
      await click(page.getByRole('tab', { name: 'Keys', exact: true }));
      await click(button('Encrypt again'));
      await apply(hands);
      await page.getByText('What older keys have encrypted is being encrypted again').waitFor();
      await page.getByText('Encrypted again', { exact: true }).waitFor();
    });
    await eventually(
      () => api('GET', 'key/rotation'),
      ({ body }) => body.act === 'rotate' && body.state === 'COMPLETED',
    );
  });

  it('drain a node', async () => {
    await task('Drain a node', {}, async (hands) => {
      const { page, click, button } = hands;
      await click(page.getByRole('link', { name: 'Nodes' }));
      await click(button('Drain'));
      await apply(hands);
      await button('Resume').waitFor();
    });
  });
});
