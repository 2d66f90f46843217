import { ADMIN_PASSWORD } from './api.ts';
import { type HostileRequest, hostileRequest } from './hostile-requests.ts';
import type { TestDatabase } from './postgres.ts';
import { startTestServer, type TestServer } from './server.ts';

export const USER_PASSWORD = 'Passw0rd-of-users';

export interface HostileTarget extends AsyncDisposable {
  readonly server: TestServer;
  next(random: () => number): HostileRequest;
}

/** With these an administrator may rightly break the server or make it answer 500. */
const RIGHTLY = /^\/(config|script|repo\/\{id\}|endpoint)/;

/** A server of the shipped project with a few users, and whoever may come to it. */
export async function hostileTarget(database?: TestDatabase): Promise<HostileTarget> {
  const server = await startTestServer(database === undefined ? {} : { database });
  const { api } = server;
  for (const userName of ['ada', 'ben', 'eve']) {
    const { status, body } = await api('PUT', `managed/user/${userName}`, {
      body: {
        userName,
        givenName: userName,
        sn: 'Test',
        mail: `${userName}@example.com`,
        password: USER_PASSWORD,
      },
    });
    if (status !== 201) throw new Error(JSON.stringify(body));
  }
  const described = (await (await fetch(`${server.url}/docs/openapi.json`)).json()) as { paths: object };
  const paths = Object.keys(described.paths);
  const caller = (user: string, password: string) => ({ 'X-Svc-Username': user, 'X-Svc-Password': password });
  const admin = caller('svc-admin', ADMIN_PASSWORD);
  const others = [caller('eve', USER_PASSWORD), caller('anonymous', 'anonymous'), {}];
  return {
    server,
    next(random) {
      const asAdmin = random() < 0.7;
      return asAdmin
        ? hostileRequest({ random, paths: paths.filter((path) => !RIGHTLY.test(path)), callers: [admin] })
        : hostileRequest({ random, paths, callers: others });
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
