/** What holds of every screen alike: a row for each, and each is walked through in the same ways. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrowser, NO_BROWSER } from '../../test/support/browser.ts';
import { settled } from './conform.ts';
import { describedBy } from './described.ts';
import { seedMapping, seedSystem } from './seed-system.ts';
import { type ConsoleSite, openSite } from './site.ts';

interface Row {
  /** Pressed behind `g`. */
  readonly key: string;
  readonly title: string;
  /** What `j`, then `Enter`, leads to from there: a page, or what is asked of it. */
  readonly opens?: RegExp | { readonly dialog: RegExp };
  /** Everybody has it. */
  readonly isForAll?: true;
  /** More of its pages, which are looked at in another language. */
  readonly pages?: readonly string[];
  /** Where somebody is told that they may not, unless that is its beginning and those pages. */
  readonly refusedAt?: readonly string[];
  /** Its columns are called as the properties or roles are that they show. */
  readonly hasForeignColumns?: boolean;
}

const SCREENS: Readonly<Record<string, Row>> = {
  home: { key: 'h', title: 'Home' },
  me: { key: 'm', title: 'My tasks', isForAll: true, pages: ['/me/requests', '/me/account'] },
  objects: {
    key: 'o',
    title: 'User',
    opens: /Anna Vogel/,
    pages: ['/objects/user/avo', '/objects/user/avo?tab=graph'],
    // Everybody sees themselves.
    refusedAt: ['/objects/user', '/objects/user/bkim'],
    hasForeignColumns: true,
  },
  roles: { key: 'r', title: 'Roles', opens: /auditor/, pages: ['/roles/engineer'] },
  processes: { key: 'p', title: 'Processes', opens: /Access request/ },
  schedules: {
    key: 's',
    title: 'Schedules',
    opens: /forget-leavers/,
    pages: ['/schedules?tab=ledger', '/schedules/sync-hr', '/schedules/sync-hr/change', '/schedules/_new'],
  },
  scans: { key: 'b', title: 'Scans' },
  scripts: { key: 'w', title: 'Scripts', opens: /\.(?:js|groovy)$/ },
  types: { key: 't', title: 'Types', opens: /./, pages: ['/types/user', '/types/user?tab=hooks'] },
  systems: { key: 'y', title: 'Systems', opens: /^hr$/, pages: ['/systems/hr'], hasForeignColumns: true },
  mappings: { key: 'l', title: 'Mappings', opens: /^hr_user$/, pages: ['/mappings/hr_user'] },
  reconciliations: { key: 'd', title: 'Reconciliations' },
  configuration: {
    key: 'c',
    title: 'Configuration',
    opens: /./,
    pages: ['/configuration/of/audit', '/configuration/of/audit?tab=form'],
  },
  security: {
    key: 'e',
    title: 'Security',
    hasForeignColumns: true,
    pages: ['/security?tab=may', '/security?tab=keys'],
    // Everybody sees their own sessions.
    refusedAt: ['/security?tab=apikeys', '/security?tab=keys'],
  },
  nodes: { key: 'n', title: 'Nodes' },
  audit: { key: 'a', title: 'Audit', opens: /All that one request caused/ },
};

const executable = await findBrowser();
if (executable === undefined) console.warn(NO_BROWSER);

describe.skipIf(executable === undefined).each(Object.entries(SCREENS))('the screen %s', (id, row) => {
  it('is gone to, walked through and left by keys alone, and one sees where one is', async () => {
    const visitor = await site.open({ path: id === 'home' ? '/nodes' : '/home' });
    const { page } = visitor;
    await page.getByRole('heading', { level: 1 }).waitFor();
    await settled(page);
    // On a busy machine the two may be too far apart to belong together.
    const isThere = async () => {
      await page.keyboard.press('g');
      await page.keyboard.press(row.key);
      return page
        .getByRole('heading', { level: 1, name: row.title })
        .waitFor({ timeout: 5_000 })
        .then(
          () => true,
          () => false,
        );
    };
    await expect.poll(isThere, { timeout: 60_000 }).toBe(true);
    await settled(page);
    expect(await tabbedThrough(page)).toEqual({ unreached: [], unseen: [] });
    if (row.opens instanceof RegExp) {
      await page.getByRole('row').nth(1).waitFor();
      await page.keyboard.press('Escape');
      await page.evaluate('document.activeElement.blur()');
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: row.opens }).waitFor();
      await settled(page);
      expect(await tabbedThrough(page)).toEqual({ unreached: [], unseen: [] });
    }
    expect(visitor.problems).toEqual([]);
    expect(visitor.asked.filter((asked) => !isDescribed(asked))).toEqual([]);
    await visitor.close();
  });

  it.skipIf(row.isForAll === true)(
    'is not offered to who may not enter it, and says so to who goes there',
    async () => {
      const visitor = await site.open({ user: 'avo', path: `/${id}` });
      const { page } = visitor;
      await page.getByRole('heading', { level: 1 }).or(page.getByRole('alert')).first().waitFor();
      const areas = page.getByRole('navigation', { name: 'Areas' }).getByRole('listitem');
      await areas.first().waitFor();
      expect(await areas.allInnerTexts()).toEqual(['My pages']);
      for (const path of row.refusedAt ?? [`/${id}`, ...(row.pages ?? [])]) {
        await page.goto(`${site.server.url}/console${path}`);
        await page.getByRole('alert').first().waitFor();
      }
      expect(visitor.problems).toEqual([]);
      await visitor.close();
    },
  );

  it('has no text but those of its language, and room for longer ones', async () => {
    for (const path of [`/${id}`, ...(row.pages ?? [])]) {
      for (const width of [1280, 390]) {
        const visitor = await site.open({ path, language: 'pseudo', width });
        const { page } = visitor;
        await page.getByRole('heading', { level: 1 }).waitFor();
        await settled(page);
        expect({ path, width, over: await visitor.overflow() }).toEqual({
          path,
          width,
          over: expect.any(Number),
        });
        expect(await visitor.overflow()).toBeLessThanOrEqual(0);
        expect({ path, unmarked: await page.evaluate<string[]>(unmarked(row)) }).toEqual({
          path,
          unmarked: [],
        });
        expect(visitor.problems).toEqual([]);
        await visitor.close();
      }
    }
  });
});

let site: ConsoleSite;
let isDescribed: (asked: string) => boolean;
beforeAll(async () => {
  if (executable === undefined) return;
  site = await openSite(executable);
  await seedSystem(site.server);
  await seedMapping(site.server);
  isDescribed = await describedBy(site.server);
});
afterAll(() => site?.[Symbol.asyncDispose]());

/** What is always the console's to name; what buttons and headings say may be a name of an object. */
function unmarked({ hasForeignColumns = false }: Row): string {
  const named = `[role=tab], main dt${hasForeignColumns ? '' : ', [role=columnheader]'}`;
  return `[...document.querySelectorAll('${named}')]
    .map((element) => element.textContent.trim())
    .filter((text) => text !== '' && !/⟦.*⟧/s.test(text))`;
}

/** What acts by keys, and can be reached by Tab: of rows, tabs and menus only the one that the arrows begin at. */
const STOPS = `[...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')].filter((element) =>
  element.tabIndex >= 0 && !element.disabled && element.type !== 'radio' && element.checkVisibility({ visibilityProperty: true }) && !element.closest('[inert], [aria-hidden=true]'))`;

const MOST_STOPS = 300;

/** Goes through the page from its beginning. @returns what Tab has not led to, and where one did not see where one was */
async function tabbedThrough(
  page: Page,
): Promise<{ unreached: readonly string[]; unseen: readonly string[] }> {
  await page.evaluate(`(() => {
    document.activeElement.blur();
    getSelection().removeAllRanges();
    document.body.tabIndex = -1;
    document.body.focus();
    document.body.removeAttribute('tabindex');
    window.reached = new Set();
    window.unseen = [];
  })()`);
  for (let stop = 0; stop < MOST_STOPS; stop += 1) {
    await page.keyboard.press('Tab');
    const isNew = await page.evaluate<boolean>(`(() => {
      const at = document.activeElement;
      if (at === null || at === document.body || window.reached.has(at)) return false;
      window.reached.add(at);
      const shown = [at, ...at.querySelectorAll('*'), at.closest('label, form, .code, .react-aria-Checkbox, li, [role=row]')].filter((each) => each !== null);
      const isSeen = shown.some((each) => {
        const { outlineStyle, outlineWidth, boxShadow, strokeWidth } = getComputedStyle(each);
        // Elements of a drawing have a thick rim, which they have then alone.
        const isRimmed = at.closest('svg') !== null && Number.parseFloat(strokeWidth) >= 4;
        return isRimmed || (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none';
      });
      if (!isSeen) window.unseen.push(at.outerHTML.slice(0, 120));
      return true;
    })()`);
    if (!isNew) break;
  }
  return page.evaluate(`({
    unreached: ${STOPS}.filter((element) => !window.reached.has(element)).map((element) => element.outerHTML.slice(0, 120)),
    unseen: window.unseen,
  })`);
}
