import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as ask, createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consolePages } from '../../src/http/console/console-pages.ts';
import type { HttpExchange } from '../../src/http/http-exchange.ts';
import { ADMIN_PASSWORD } from '../../test/support/api.ts';
import { findBrowser, launchBrowser, NO_BROWSER } from '../../test/support/browser.ts';
import { type Issuer, startIssuer } from '../../test/support/issuer.ts';
import { type ConsoleSite, openSite } from './site.ts';

const executable = await findBrowser();
if (executable === undefined) console.warn(NO_BROWSER);

/** Any free port of this machine. @returns where it is */
async function opened(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

describe.skipIf(executable === undefined)('the way into the console', () => {
  let site: ConsoleSite;
  let issuer: Issuer;
  beforeAll(async () => {
    issuer = await startIssuer();
    site = await openSite(executable ?? NO_BROWSER, { SVC_EGRESS_ALLOW: '127.0.0.0/8' });
  });
  afterAll(async () => {
    await site[Symbol.asyncDispose]();
    await issuer[Symbol.asyncDispose]();
  });

  it('is a name and a password, of which neither is told to be the wrong one', async () => {
    const visitor = await site.open({ user: null, path: '/nodes' });
    const { page } = visitor;
    await page.getByRole('textbox', { name: 'User name' }).fill('svc-admin');
    await page.getByRole('textbox', { name: 'Password' }).fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await visitor.axe()).toEqual([]);
    await page.getByRole('textbox', { name: 'Password' }).fill(ADMIN_PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Nodes' }).waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('leads through an issuer, and back to the page that was asked for', async () => {
    const { serverAuthContext, ...others } = (await site.server.api('GET', 'config/authentication')).body;
    const corporate = {
      name: 'OPENID_CONNECT',
      properties: {
        issuer: issuer.url,
        audience: 'svc',
        rolesClaim: 'roles',
        acceptedRoles: ['svc-admin'],
        defaultUserRoles: ['svc-authorized'],
        login: {
          provider: 'corporate',
          title: 'The company',
          clientId: 'console',
          redirectUri: `${site.server.url}/console/login`,
        },
      },
    };
    const authModules = [...serverAuthContext.authModules, corporate];
    const body = { ...others, serverAuthContext: { ...serverAuthContext, authModules } };
    const { status, body: said } = await site.server.api('PUT', 'config/authentication', { body });
    expect(status, JSON.stringify(said)).toBe(200);
    const visitor = await site.open({ user: null, path: '/nodes' });
    const { page } = visitor;
    await page.route(`${issuer.url}/authorize**`, async (route) => {
      const claims = { sub: 'ada', roles: ['svc-admin'] };
      const back = new URLSearchParams(await issuer.logIn(route.request().url(), claims));
      await route.fulfill({ status: 302, headers: { Location: `${site.server.url}/console/login?${back}` } });
    });
    await page.getByRole('button', { name: 'Log in with The company' }).click();
    await page.getByRole('heading', { level: 1, name: 'Nodes' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/nodes');
    await visitor.close();
  });

  it('is open below any path of a proxy, which nothing leaves', async () => {
    const prefix = '/tools/identity';
    const { hostname, port } = new URL(site.server.url);
    const proxy = createServer((incoming, outgoing) => {
      const path = incoming.url ?? '';
      if (!path.startsWith(`${prefix}/`)) {
        outgoing.writeHead(404).end();
        return;
      }
      const { method, headers } = incoming;
      const forwarded = ask(
        { hostname, port, method, headers, path: path.slice(prefix.length) },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(outgoing);
        },
      );
      forwarded.on('error', () => outgoing.destroy());
      outgoing.on('close', () => forwarded.destroy());
      incoming.pipe(forwarded);
    });
    const base = `${await opened(proxy)}${prefix}`;
    const visitor = await site.open({ user: null, path: '/objects/user', base });
    const { page } = visitor;
    await page.getByRole('textbox', { name: 'User name' }).fill('svc-admin');
    await page.getByRole('textbox', { name: 'Password' }).fill(ADMIN_PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /avo/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Anna Vogel' }).waitFor();
    expect(page.url()).toBe(`${base}/console/objects/user/avo`);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Anna Vogel' }).waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
    proxy.closeAllConnections();
    proxy.close();
  });
});

describe.skipIf(executable === undefined)('where no console has been built', () => {
  it('is said so, then that it is being built, and the page finds it by itself', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'no-console-'));
    const pages = consolePages({ folder, environment: undefined });
    const server = createServer(async (incoming, outgoing) => {
      const path = new URL(incoming.url ?? '/', 'http://localhost').pathname;
      const exchange: HttpExchange = Object.assign(Object.create(null), {
        incoming: { path, header: (name: string) => incoming.headers[name] },
      });
      const { status, headers, body } = (await pages(path)?.(exchange)) ?? {
        status: 404,
        headers: {},
        body: '',
      };
      outgoing.writeHead(status, headers).end(body);
    });
    const url = await opened(server);
    const browser = await launchBrowser(executable ?? NO_BROWSER);
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on('console', (message) => {
      if (/Content Security Policy/i.test(message.text())) errors.push(message.text());
    });
    const answer = await page.goto(`${url}/console/nodes`);
    expect(answer?.status()).toBe(503);
    await page.getByRole('heading', { name: 'The console has not been built' }).waitFor();
    // Whoever builds says so by its process.
    await writeFile(join(folder, 'building'), String(process.pid));
    await page.reload();
    await page.getByRole('heading', { name: 'The console is being built' }).waitFor();
    await mkdir(join(folder, 'first'));
    await writeFile(
      join(folder, 'first', 'index.html'),
      '<!doctype html><title>svc</title><h1>Here it is</h1>',
    );
    await writeFile(join(folder, 'current.json'), JSON.stringify({ hash: 'first', files: [] }));
    await page.getByRole('heading', { name: 'Here it is' }).waitFor();
    expect(errors).toEqual([]);
    await browser.close();
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  });
});
