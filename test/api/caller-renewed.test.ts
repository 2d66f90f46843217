import { once } from 'node:events';
import { connect } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Api } from '../support/api.ts';
import { callerAs, callersOf, PASSWORD } from '../support/credentials.ts';
import { eventually } from '../support/eventually.ts';
import { statusOf } from '../support/raw-http.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** So long a request is that of whoever it was when it came in. */
const SURE_MS = 1_000;
const ADMINISTRATOR = { _ref: 'repo/internal/role/svc-admin' };

describe('a request under way', () => {
  let server: TestServer;
  let api: Api;
  let next = 0;

  beforeAll(async () => {
    server = await startTestServer();
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const { createUser, patch } = callersOf(() => api);
  const administrator = async () => {
    const name = `boss${++next}`;
    await createUser(name);
    await patch(`managed/user/${name}`, 'add', '/authzRoles/-', ADMINISTRATOR);
    return name;
  };
  const someone = async () => {
    const name = `someone${++next}`;
    await createUser(name);
    return name;
  };
  const ends: readonly [string, (name: string) => Promise<unknown>, number][] = [
    ['an account that is gone', (name) => api('DELETE', `managed/user/${name}`), 401],
    [
      'an account that may not come in any more',
      (name) => patch(`managed/user/${name}`, 'replace', '/accountStatus', 'inactive'),
      401,
    ],
    [
      'a right that was taken away',
      (name) => patch(`managed/user/${name}`, 'replace', '/authzRoles', []),
      403,
    ],
  ];

  /** Sends all but the last byte of a body; the answer comes with that. */
  async function begin(user: string, path: string, body: object): Promise<() => Promise<number>> {
    const { hostname, port } = new URL(server.url);
    const text = JSON.stringify(body);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const authorization = Buffer.from(`${user}:${PASSWORD}`).toString('base64');
    const head = [
      `PUT /svc/${path} HTTP/1.1`,
      'Host: x',
      `Authorization: Basic ${authorization}`,
      'If-None-Match: *',
      'Content-Type: application/json',
      `Content-Length: ${text.length}`,
      'Connection: close',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${text.slice(0, -1)}`);
    return async () => {
      const answer: Buffer[] = [];
      socket.on('data', (chunk) => answer.push(chunk));
      socket.write(text.slice(-1));
      await once(socket, 'close');
      return statusOf(Buffer.concat(answer).toString('latin1'));
    };
  }

  it.each(ends)('whose body comes late stores nothing for %s', async (_what, end, status) => {
    const [boss, name] = [await administrator(), `made${++next}`];
    const body = { userName: name, givenName: 'M', sn: 'M', mail: `${name}@example.com` };
    const finish = await begin(boss, `managed/user/${name}`, body);
    // It has been let in, for what is answered behind it was let in later.
    expect((await callerAs(() => api, boss)('GET', 'info/login')).status).toBe(200);
    await end(boss);
    expect(await finish()).toBe(status);
    expect((await api('GET', `managed/user/${name}`)).status).toBe(404);
  });

  it('whose body comes late is done for whoever still may', async () => {
    const [boss, name] = [await administrator(), `made${++next}`];
    const body = { userName: name, givenName: 'M', sn: 'M', mail: `${name}@example.com` };
    const finish = await begin(boss, `managed/user/${name}`, body);
    expect(await finish()).toBe(201);
  });

  /** While somebody else has the object, nobody changes it. */
  async function whileHeld(object: string, ask: () => Promise<Answer>, meanwhile: () => Promise<unknown>) {
    const released = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const holding = server.database.db.transaction().execute(async (db) => {
      await sql`select from managed_object where type = 'user' and id = ${object} for update`.execute(db);
      held.resolve();
      await released.promise;
    });
    await held.promise;
    const answer = ask();
    try {
      await eventually(
        async () => (await sql`select 1 from pg_locks where not granted`.execute(server.database.db)).rows,
        (waiting) => waiting.length > 0,
      );
      const waitsAt = Date.now();
      await meanwhile();
      await eventually(
        async () => Date.now() - waitsAt,
        (passed) => passed > SURE_MS,
      );
    } finally {
      released.resolve();
      await holding;
    }
    return answer;
  }

  /** The second request of the script waits for what the first has changed. */
  const changes = (caller: Api, object: string) => () =>
    caller('POST', 'script?_action=eval', {
      body: {
        type: 'text/javascript',
        source: `svc.patch('managed/user/${object}', null, [{operation: 'replace', field: '/city', value: 'Bern'}]);
          svc.query('managed/user', {_queryFilter: 'city eq "Bern"'}).result.length`,
      },
    });

  describe('that takes long', () => {
    it.each(ends)('stores nothing for %s', async (_what, end, status) => {
      const [boss, object] = [await administrator(), await someone()];
      const ask = changes(
        callerAs(() => api, boss),
        object,
      );
      expect((await whileHeld(object, ask, () => end(boss))).status).toBe(status);
      expect((await api('GET', `managed/user/${object}`)).body.city).toBeUndefined();
    });

    it('is done for whoever still may', async () => {
      const [boss, object] = [await administrator(), await someone()];
      const ask = changes(
        callerAs(() => api, boss),
        object,
      );
      expect((await whileHeld(object, ask, () => Promise.resolve())).status).toBe(200);
      expect((await api('GET', `managed/user/${object}`)).body.city).toBe('Bern');
    });
  });
});
