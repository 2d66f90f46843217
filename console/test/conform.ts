import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { ConsoleSite, Visit } from './site.ts';

const PHONE = { width: 390, height: 844 };

/**
 * What holds of every page: axe finds nothing, light or dark; it is in German when that is asked for; it fits on a phone; and
 * nothing breaks its content policy.
 */
export async function conforms(
  site: ConsoleSite,
  visit: Visit & { readonly path: string },
  heading: { readonly en: string | RegExp; readonly de: string | RegExp },
): Promise<void> {
  for (const [language, look] of [
    ['en', { theme: 'light' }],
    ['en', { theme: 'dark' }],
    ['de', { theme: 'light', ...PHONE }],
  ] as const) {
    const visitor = await site.open({ ...visit, ...look, language });
    await visitor.page.getByRole('heading', { level: 1, name: heading[language] }).waitFor();
    await settled(visitor.page);
    expect(await visitor.axe()).toEqual([]);
    expect(await visitor.overflow()).toBeLessThanOrEqual(0);
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  }
}

const LOADING =
  "document.querySelector('h1') === null || document.querySelector('main p.soft[role=status], main [aria-busy=true]') !== null";

/** Nothing on the page is being loaded any more. It is asked from outside: inside, the policy of the page forbids it. */
export async function settled(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate<boolean>(LOADING)).toBe(false);
}

/** Has a text stand in an editor in place of another. Put over it at once, it would be given the looks of that by the browser, inline. */
export async function rewrite(editor: Locator, text: string): Promise<void> {
  await editor.fill('');
  await editor.fill(text);
}
