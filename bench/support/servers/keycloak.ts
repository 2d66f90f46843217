import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  freePort,
  jdbcOf,
  type PeerServer,
  peerFolder,
  runProgram,
  startProgram,
  unpackArtifact,
} from './java.ts';

const VERSION = '26.4.5';
const CONNECTIONS = 32;
const ADMINISTRATOR = { name: 'admin', password: 'Correct-Horse-9' };
/** There when it has been built. */
const BUILT = 'lib/quarkus/quarkus-application.dat';
/** Longer than a run. */
const TOKEN_LIFE_S = 36_000;

/** Keycloak as for production, with a realm of its own named `bench`; it answers to one token for all of the run. */
export async function startKeycloak(databaseUrl: string): Promise<PeerServer> {
  const folder = await peerFolder('keycloak');
  const home = join(folder, `keycloak-${VERSION}`);
  if (!existsSync(join(home, BUILT))) {
    unpackArtifact(`org.keycloak:keycloak-quarkus-dist:${VERSION}:zip`, folder);
    // Takes longer than a start, and once.
    runProgram('sh', [join(home, 'bin/kc.sh'), 'build', '--db=postgres', '--cache=local'], folder);
  }
  const port = await freePort();
  const { url: jdbc, username, password } = jdbcOf(databaseUrl);
  const url = `http://127.0.0.1:${port}`;
  const { child, stop } = await startProgram(
    [
      'sh',
      join(home, 'bin/kc.sh'),
      'start',
      '--optimized',
      `--db-url=${jdbc}`,
      `--db-username=${username}`,
      `--db-password=${password}`,
      `--db-pool-max-size=${CONNECTIONS}`,
      '--http-enabled=true',
      `--http-port=${port}`,
      '--http-host=127.0.0.1',
      '--hostname-strict=false',
    ],
    {
      KC_BOOTSTRAP_ADMIN_USERNAME: ADMINISTRATOR.name,
      KC_BOOTSTRAP_ADMIN_PASSWORD: ADMINISTRATOR.password,
    },
    `${url}/realms/master`,
  );
  await using scope = new AsyncDisposableStack();
  scope.defer(stop);
  const short = await logIn(url);
  await ask(short, 'PUT', `${url}/admin/realms/master`, { accessTokenLifespan: TOKEN_LIFE_S });
  const Authorization = await logIn(url);
  await ask(Authorization, 'POST', `${url}/admin/realms`, { realm: 'bench', enabled: true });
  const profile = `${url}/admin/realms/bench/users/profile`;
  const known = (await ask(Authorization, 'GET', profile)) as object;
  await ask(Authorization, 'PUT', profile, { ...known, unmanagedAttributePolicy: 'ENABLED' });
  const kept = scope.move();
  return {
    name: `Keycloak ${VERSION}`,
    url,
    pid: child.pid,
    headers: { Authorization },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

async function logIn(url: string): Promise<string> {
  const response = await fetch(`${url}/realms/master/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'password',
      client_id: 'admin-cli',
      username: ADMINISTRATOR.name,
      password: ADMINISTRATOR.password,
    }),
  });
  if (!response.ok) throw new Error(`Nobody is logged in: ${response.status} ${await response.text()}`);
  return `Bearer ${((await response.json()) as { access_token: string }).access_token}`;
}

async function ask(Authorization: string, method: string, url: string, body?: unknown): Promise<unknown> {
  const response = await fetch(url, {
    method,
    headers: { Authorization, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url} answered ${response.status}: ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}
