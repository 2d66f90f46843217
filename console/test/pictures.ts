import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findBrowser, NO_BROWSER } from '../../test/support/browser.ts';
import { settled } from './conform.ts';
import { seedMapping, seedSystem } from './seed-system.ts';
import { type ConsoleSite, openSite, type Visit } from './site.ts';

const FOLDER = new URL('../../docs/console/', import.meta.url);

/** Pictures of the console in docs/console, by `npm run screenshots`. Look at them before they are committed. */
const PICTURES: Readonly<Record<string, Visit & { readonly act?: (page: Page) => Promise<void> }>> = {
  home: { path: '/home' },
  'home-dark': { path: '/home', theme: 'dark' },
  objects: { path: '/objects/user' },
  object: { path: '/objects/user/avo' },
  history: { path: '/objects/user/avo?tab=history' },
  review: {
    path: '/objects/user/avo',
    act: async (page) => {
      await page.locator('input[name=department]').fill('Legal');
      await page.getByRole('button', { name: 'Review 1 change' }).click();
      await page.getByText('Nothing has been written yet').waitFor();
    },
  },
  tasks: { path: '/me', user: 'bkim', width: 390, height: 844 },
  requests: { path: '/me/requests', user: 'avo', width: 390, height: 844, language: 'de' },
  graph: {
    path: '/objects/user/avo?tab=graph',
    act: async (page) => {
      await page.getByRole('button', { name: 'Show what engineer is linked to' }).click();
      await page.getByRole('link', { name: 'Hana Sato' }).waitFor();
    },
  },
  schedules: { path: '/schedules' },
  ledger: { path: '/schedules?tab=ledger' },
  'schedule-form': {
    path: '/schedules/nightly-report/change',
    height: 1250,
    act: async (page) => {
      await page.getByRole('textbox', { name: 'Cron expression' }).fill('0 30 2 ? * MON-FRI');
      await page.getByText(/Monday/).waitFor();
      await page.getByRole('button', { name: 'Rehearse' }).click();
      await page.getByRole('region', { name: 'What a run would do' }).waitFor();
    },
  },
  calendar: { path: '/schedules?tab=calendar' },
  schedule: { path: '/schedules/sync-hr' },
  process: {
    path: '/processes',
    act: async (page) => {
      await page.getByRole('row', { name: /Access request/ }).click();
      await page.getByRole('button', { name: /^Approve / }).waitFor();
      await settled(page);
    },
  },
  instance: {
    path: '/processes?tab=instances',
    act: async (page) => {
      await page.getByRole('row', { name: /auditor/ }).click();
      await page.getByRole('heading', { name: 'What it waits for' }).waitFor();
      await settled(page);
    },
  },
  model: {
    path: '/processes',
    height: 1100,
    act: async (page) => {
      await page.getByRole('row', { name: /Access request/ }).click();
      await page.getByRole('button', { name: 'Actions' }).click();
      await page.getByRole('menuitem', { name: 'Change the drawing' }).click();
      await page.locator('[data-element-id=approve]').first().click();
      await page.getByText('It can be deployed.').waitFor();
    },
  },
  script: {
    path: '/scripts/file/lib/welcome.js?use=onUpdate&type=user',
    height: 1350,
    act: async (page) => {
      await page
        .getByRole('textbox', { name: 'lib/welcome.js' })
        .fill(
          'var city = object.city || "Rome";\nlogger.info("{} goes to {}", object.userName, city);\nsvc.patch("managed/user/" + object._id, null, [{ operation: "replace", field: "/city", value: city }]).city',
        );
      await page.getByText('It compiles.').waitFor();
      await page.getByRole('textbox', { name: /^With the object/ }).fill('avo');
      await expect
        .poll(() => page.getByRole('textbox', { name: /^Variables/ }).inputValue())
        .toContain('"userName": "avo"');
      await page.getByRole('button', { name: 'Rehearse' }).first().click();
      await page.getByRole('region', { name: 'Result' }).waitFor();
    },
  },
  configuration: { path: '/configuration' },
  types: {
    path: '/types/user',
    act: async (page) => {
      await page.getByRole('button', { name: 'Add a property' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('employeeNumber');
      await page.getByText('It can be searched for').click();
      await page.getByText(/index on 'employeeNumber'/).waitFor();
    },
  },
  role: {
    path: '/roles/engineer',
    act: async (page) => {
      await page.getByRole('textbox', { name: 'Condition' }).fill('department eq "Finance"');
      await page.getByRole('region', { name: /would gain it/ }).waitFor();
    },
  },
  scans: { path: '/scans' },
  systems: { path: '/systems/hr' },
  mapping: { path: '/mappings/hr_user?tab=situations' },
  reconciliation: {
    path: '/reconciliations?mapping=hr_user',
    height: 1100,
    act: async (page) => {
      await page.getByRole('textbox', { name: 'Only these sources' }).fill('7,8,9');
      await page.getByRole('button', { name: 'Make a plan' }).click();
      await page.getByText('waits for approval').waitFor();
      await page.getByRole('row', { name: /^9 / }).waitFor();
    },
  },
  security: { path: '/security?tab=keys' },
  nodes: { path: '/nodes' },
  audit: { path: '/audit' },
};

const executable = await findBrowser();
if (executable === undefined) throw new Error(NO_BROWSER);
let site: ConsoleSite;
beforeAll(async () => {
  await mkdir(FOLDER, { recursive: true });
  site = await openSite(executable);
  await seedSystem(site.server);
  await seedMapping(site.server);
});
afterAll(() => site?.[Symbol.asyncDispose]());

it.each(Object.entries(PICTURES))('%s', async (name, { act, ...visit }) => {
  const visitor = await site.open(visit);
  await visitor.page.getByRole('heading', { level: 1 }).waitFor();
  await settled(visitor.page);
  await act?.(visitor.page);
  await visitor.page.screenshot({ path: fileURLToPath(new URL(`${name}.png`, FOLDER)) });
  expect(visitor.problems).toEqual([]);
  await visitor.close();
});
