/**
 * What it costs to know who asks and what he may do: `GET /svc/info/ping` with each kind of credentials next to
 * `GET /health/live`, which needs none and goes through no rules; and how many sessions can be begun, whose cookie
 * needs no password afterwards.
 */
import { createApiKey } from '../src/security/authentication/api-key-module.ts';
import type { LoadResult } from './support/load.ts';
import { openRestBench, type Request } from './support/rest.ts';
import { compare, report } from './support/row.ts';
import { AUTHORIZATION, PASSWORD } from './support/service.ts';
import { USER_TYPE } from './support/users.ts';

const BENCH = 'security';
const { key, hash } = createApiKey('bench');
const internalUsers = {
  name: 'INTERNAL_USER',
  enabled: true,
  properties: {
    queryOnResource: 'repo/internal/user',
    propertyMapping: { authenticationId: 'userName', userCredential: 'password', userRoles: 'roles' },
  },
};
const apiKeys = {
  name: 'API_KEY',
  enabled: true,
  properties: { keys: [{ id: 'bench', hash, roles: ['svc-admin'] }] },
};
const project = {
  ...USER_TYPE,
  'conf/authentication.json': {
    serverAuthContext: {
      sessionModule: { name: 'JWT_SESSION', properties: { isSecure: 'auto', sessionOnly: true } },
      authModules: [internalUsers, apiKeys],
    },
  },
};

await using scope = new AsyncDisposableStack();
const bench = await openRestBench(scope, { users: 10, project, connections: 32 });
const url = await bench.startOurs();
const headers = { 'X-Svc-Username': 'svc-admin', 'X-Svc-Password': PASSWORD };
const login = await fetch(`${url}/svc/authentication?_action=login`, { method: 'POST', headers });
const cookie = login.headers.getSetCookie()[0]?.split(';')[0];
if (cookie === undefined) throw new Error(`The login answered ${login.status}: ${await login.text()}`);

const ping = (sent: Readonly<Record<string, string>>) => (ms: number) =>
  load(sent, 'GET', '/svc/info/ping', ms);
const rounds = await bench.measure({
  nobody: (ms) => load({}, 'GET', '/health/live', ms),
  basic: ping({ Authorization: AUTHORIZATION }),
  headers: ping(headers),
  session: ping({ Cookie: cookie, 'X-Requested-With': 'bench' }),
  apiKey: ping({ 'X-Svc-Api-Key': key }),
  login: (ms) => load(headers, 'POST', '/svc/authentication?_action=login', ms),
});
const rates = (name: keyof typeof rounds) => rounds[name].map(({ perSecond }) => perSecond);
const kinds = {
  basic: 'HTTP Basic',
  headers: 'name and password in headers',
  session: 'a session',
  apiKey: 'an API key',
} as const;
for (const [name, title] of Object.entries(kinds) as [keyof typeof kinds, string][]) {
  const row = { bench: BENCH, quantity: `GET with ${title}`, unit: 'requests/s', ours: rates(name) };
  compare(row, 'a request without credentials', rates('nobody'));
}
report({ bench: BENCH, quantity: 'sessions begun', unit: 'logins/s', ours: rates('login') });

function load(
  sent: Request['headers'],
  method: Request['method'],
  path: string,
  ms: number,
): Promise<LoadResult> {
  return bench.load(
    url,
    { method, paths: [path], headers: sent, ...(method === 'POST' ? { body: '{}' } : {}) },
    ms,
  );
}
