import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleSite, openSite } from '../../console/test/site.ts';
import { findBrowser, NO_BROWSER } from '../support/browser.ts';
import '../support/takes-long.ts';

const executable = await findBrowser();
if (executable === undefined) console.warn(NO_BROWSER);

/** The short walk; `npm run test:console` has the long ones. */
describe.skipIf(executable === undefined)('the console', () => {
  let site: ConsoleSite;
  beforeAll(async () => {
    site = await openSite(executable!);
  });
  afterAll(() => site?.[Symbol.asyncDispose]());

  it('is where a browser is led that asks for nothing in particular, and a program is told of it', async () => {
    const root = (headers: Record<string, string>) => fetch(site.server.url, { headers, redirect: 'manual' });
    const led = await root({ Accept: 'text/html,*/*;q=0.8' });
    expect([led.status, led.headers.get('location')]).toEqual([302, 'console']);
    const told = await root({ Accept: 'application/json' });
    expect(told.status).toBe(404);
    expect(await told.text()).toContain('/console');
  });

  it('gives out the files of its build by their names alone, short and for good', async () => {
    const { url } = site.server;
    const page = await (await fetch(`${url}/console/objects/user`)).text();
    const [, script = ''] = /src="\.\.\/(assets\/[^"]+\.js)"/.exec(page) ?? [];
    const asset = await fetch(`${url}/console/${script}`, { headers: { 'Accept-Encoding': 'br' } });
    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(asset.headers.get('content-encoding')).toBe('br');
    const tag = asset.headers.get('etag') ?? '';
    const again = await fetch(`${url}/console/${script}`, {
      headers: { 'Accept-Encoding': 'br', 'If-None-Match': tag },
    });
    expect(again.status).toBe(304);
    for (const path of ['assets/../index.html', 'assets/%2e%2e/current.json', 'assets/nothing.js']) {
      const answer = await fetch(`${url}/console/${path}`);
      expect(await answer.text()).not.toContain('"hash"');
    }
    expect((await fetch(`${url}/console/assets/nothing.js`)).status).toBe(404);
  });

  it('loads no more than 200 kB before its first screen, and editors only where there is something to edit', async () => {
    const { url } = site.server;
    const page = await (await fetch(`${url}/console/home`)).text();
    const links = [...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.(?:js|css))"/g)].map(
      ([, link]) => link,
    );
    const sizes = await Promise.all(
      links.map(async (link) => {
        const asset = await fetch(`${url}/console/${link}`, { headers: { 'Accept-Encoding': 'gzip' } });
        return gzipSync(new Uint8Array(await asset.arrayBuffer())).byteLength;
      }),
    );
    expect(links.length).toBeGreaterThan(1);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(200 * 1024);
  });

  it('is under a policy that nothing gets round: no text becomes markup, and no two answers share a nonce', async () => {
    const policies = await Promise.all(
      [0, 1].map(async () =>
        (await fetch(`${site.server.url}/console`)).headers.get('content-security-policy'),
      ),
    );
    expect(policies[0]).toContain("require-trusted-types-for 'script'");
    expect(policies[0]).not.toBe(policies[1]);
    const visitor = await site.open({ path: '/nodes' });
    await visitor.page.getByRole('heading', { level: 1 }).waitFor();
    const marked = visitor.page.evaluate("document.body.innerHTML = '<b>bold</b>'");
    await expect(marked).rejects.toThrow('TrustedHTML');
    await visitor.close();
  });

  it('lets somebody in, shows what needs them, and changes an object that it has rehearsed', async () => {
    const visitor = await site.open({ path: '/home' });
    const { page } = visitor;
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await page.getByText('scheduler/job/sync-hr').first().waitFor();
    await page.getByRole('link', { name: 'Objects' }).click();
    await page.getByRole('row', { name: /avo/ }).click();
    await page.getByRole('textbox', { name: 'Department' }).fill('Legal');
    await page.getByRole('button', { name: 'Review 1 change' }).click();
    await page.getByText('Nothing has been written yet').waitFor();
    expect((await site.server.api('GET', 'managed/user/avo')).body.department).toBe('IT');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('Anna Vogel is changed').waitFor();
    expect((await site.server.api('GET', 'managed/user/avo')).body.department).toBe('Legal');
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('Taken back').waitFor();
    expect((await site.server.api('GET', 'managed/user/avo')).body.department).toBe('IT');
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('lets out by the menu of each screen whoever came in, whose session is over', async () => {
    const visitor = await site.open({ path: '/nodes' });
    const { page } = visitor;
    await page.getByRole('heading', { level: 1, name: 'Nodes' }).waitFor();
    const cookies = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`);
    const who = () => fetch(`${site.server.url}/svc/info/login`, { headers: { Cookie: cookies.join('; ') } });
    expect((await who()).status).toBe(200);
    await page.getByRole('button', { name: 'Account svc-admin' }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.getByRole('textbox', { name: 'User name' }).waitFor();
    expect((await who()).status).toBe(401);
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('svc-admin');
    await visitor.close();
  });

  it('keeps what was typed when the session ends, and goes on after another login', async () => {
    const visitor = await site.open({ path: '/objects/user/avo' });
    const { page } = visitor;
    await page.getByRole('textbox', { name: 'City' }).fill('Bern');
    await page.context().clearCookies();
    // The page may have asked for something itself meanwhile, and says so already.
    await page.getByRole('button', { name: 'Review 1 change' }).dispatchEvent('click');
    await page.getByText('Your session has ended').waitFor();
    await page.getByRole('textbox', { name: 'User name' }).fill('svc-admin');
    await page.getByRole('textbox', { name: 'Password' }).last().fill('Correct-Horse-9');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('Your session has ended').waitFor({ state: 'detached' });
    expect(await page.locator('input[name=city]').inputValue()).toBe('Bern');
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });
});
