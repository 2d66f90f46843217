import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandLineOf } from '../support/command-line.ts';
import { type Issuer, startIssuer } from '../support/issuer.ts';
import { PROGRAM_ENVIRONMENT } from '../support/program-environment.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const ROOT = new URL('../../', import.meta.url).pathname;

let server: TestServer;
let issuer: Issuer;
const svc = commandLineOf(() => server);

/** A port of this machine where nobody listens. */
async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

const moduleOf = (provider: string, redirectUri: string) => ({
  name: 'OPENID_CONNECT',
  properties: {
    issuer: issuer.url,
    audience: 'svc',
    rolesClaim: 'roles',
    acceptedRoles: ['auditor'],
    defaultUserRoles: ['svc-authorized'],
    login: { provider, title: provider, clientId: 'cli', clientSecret: 'secret', redirectUri },
  },
});

async function configure(...modules: object[]) {
  const { serverAuthContext, ...others } = (await server.api('GET', 'config/authentication')).body;
  const kept = serverAuthContext.authModules.filter(
    ({ name }: { name: string }) => name !== 'OPENID_CONNECT',
  );
  const authModules = kept.map((module: { name: string; properties: object }) =>
    module.name === 'STATIC_USER'
      ? { ...module, properties: { ...module.properties, password: 'anonymous' } }
      : module,
  );
  const body = {
    ...others,
    serverAuthContext: { ...serverAuthContext, authModules: [...authModules, ...modules] },
  };
  const { status, body: answer } = await server.api('PUT', 'config/authentication', { body });
  expect(status, JSON.stringify(answer)).toBe(200);
}

/** `svc login --oidc` in a process of its own. */
function logIn(...more: string[]) {
  const child = spawn(process.execPath, ['src/main.ts', 'login', '--oidc', '-o', 'json', ...more], {
    cwd: ROOT,
    env: {
      ...PROGRAM_ENVIRONMENT,
      SVC_URL: server.url,
      XDG_CONFIG_HOME: join(server.project.location, 'home'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { out: '', err: '' };
  child.stdout.on('data', (text) => (said.out += text));
  const location = new Promise<string>((resolve) => {
    child.stderr.on('data', (text) => {
      said.err += text;
      const [found] = /http\S+\/authorize\S+/.exec(said.err) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, ...said })),
  );
  return { location, ended };
}

beforeAll(async () => {
  server = await startTestServer({ environment: { SVC_EGRESS_ALLOW: '127.0.0.0/8' } });
  issuer = await startIssuer();
});
afterAll(async () => {
  await issuer[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

describe('svc login --oidc', () => {
  it('begins a session for whoever comes back from the issuer to this machine', async () => {
    await configure(moduleOf('corporate', 'http://127.0.0.1/callback'));
    const { location, ended } = logIn();
    const sent = await location;
    const { searchParams } = new URL(sent);
    const back = searchParams.get('redirect_uri') ?? '';
    expect([back, searchParams.get('code_challenge_method')]).toEqual([
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
      'S256',
    ]);
    const answer = await issuer.logIn(sent, { sub: 'ada', roles: ['auditor'] });
    const forged = await fetch(`${back}?${new URLSearchParams({ ...answer, state: 'another' })}`);
    expect(forged.status).toBe(404);
    const shown = await fetch(`${back}?${new URLSearchParams(answer)}`);
    expect([shown.status, await shown.text()]).toEqual([200, 'You are back. This window can be closed.\n']);
    const { code, out } = await ended;
    expect([code, JSON.parse(out)]).toMatchObject([0, { profile: 'default', user: 'ada', url: server.url }]);
    expect((await svc(['whoami', '-o', 'json'], { SVC_PASSWORD: '' })).out).toContain('"auditor"');
    await svc(['logout'], { SVC_PASSWORD: '' });
    expect((await svc(['whoami'], { SVC_PASSWORD: '' })).code).toBe(3);
  });

  it('ends with 3 where the issuer refuses', async () => {
    const back = `http://127.0.0.1:${await freePort()}/callback`;
    await configure(moduleOf('corporate', back));
    const { location, ended } = logIn();
    const state = new URL(await location).searchParams.get('state') ?? '';
    await fetch(`${back}?${new URLSearchParams({ error: 'access_denied', state })}`);
    const { code, err } = await ended;
    expect([code, err]).toEqual([3, expect.stringContaining('The issuer refused the login: access_denied')]);
  });

  it('says what a node does not offer', async () => {
    await configure();
    expect(await svc(['login', '--oidc'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('knows no issuer'),
    });
    await configure(moduleOf('console', 'https://svc.example.com/console/callback'));
    expect((await svc(['login', '--oidc'])).err).toContain(
      'the browser would come back to https://svc.example.com, and not to this machine',
    );
    expect((await svc(['login', '--oidc', '--provider', 'nobody'])).err).toContain('There are console');
  });
});
