import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '#database/index.ts';
import type { Api } from '../support/api.ts';
import { LEASE_S, PATIENT_LEASE_S, setLease } from '../support/lease.ts';
import { type NodeProcess, startNodeProcess } from '../support/node-process.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { createProject } from '../support/project.ts';
import '../support/takes-long.ts';

const PASSWORD = 'Passw0rd-of-users';
const ROUNDS = 5;
const NODES = ['a', 'b', 'c'];

const scope = new AsyncDisposableStack();
const nodes: NodeProcess[] = [];
let database: Database;

beforeAll(async () => {
  const { url: databaseUrl } = scope.use(await createTestDatabase());
  database = openDatabase({ url: databaseUrl, poolSize: 1, applicationName: 'test' });
  scope.defer(() => database.close());
  const project = scope.use(await createProject({ 'conf/authentication.json': authentication([]) }));
  const environment = { SVC_KEYS: JSON.stringify({ 'svc-jwtsessionhmac-key': [btoa('k'.repeat(32))] }) };
  const start = async (name: string) => {
    const node = await startNodeProcess({
      name,
      databaseUrl,
      project: project.location,
      environment,
    });
    return scope.use(node);
  };
  nodes.push(...(await Promise.all(NODES.map(start))));
  // However busy the machine is, no node is left out of an agreement.
  await setLease(database.db, PATIENT_LEASE_S);
  const body = { userName: 'ada', password: PASSWORD, givenName: 'Ada', sn: 'Nagy', mail: 'ada@example.com' };
  expect((await nodes[0]!.api('PUT', 'managed/user/ada', { body })).status).toBe(201);
});
afterAll(() => scope.disposeAsync());

function authentication(keys: readonly object[]) {
  const users = { queryOnResource: 'managed/user', defaultUserRoles: ['svc-authorized'] };
  return {
    serverAuthContext: {
      authModules: [
        { name: 'MANAGED_USER', properties: users },
        { name: 'INTERNAL_USER', properties: { queryOnResource: 'repo/internal/user' } },
        { name: 'API_KEY', properties: { keys } },
      ],
    },
  };
}

/** The throttle has tests of its own; here it would only slow down asking. */
const forgive = () => database.pool.query('delete from login_failure');

/** Changes something on one node after the other. */
async function eachRound(change: (api: Api, round: number) => Promise<void>): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    await forgive();
    await change(nodes[round % nodes.length]!.api, round);
  }
}

async function must(answer: ReturnType<Api>): Promise<void> {
  const { status, body } = await answer;
  expect(status, JSON.stringify(body)).toBeLessThan(300);
}

const patch = (api: Api, path: string, operation: object) => must(api('PATCH', path, { body: [operation] }));
/** What every node answers, at the same moment. */
const everywhere = <T>(ask: (api: Api) => Promise<T>): Promise<T[]> =>
  Promise.all(nodes.map(({ api }) => ask(api)));
const whoAmI = (headers: Record<string, string>) => (api: Api) =>
  api('GET', 'info/login', { user: null, headers });
const statuses = (headers: Record<string, string>) =>
  everywhere(async (api) => (await whoAmI(headers)(api)).status);
const roles = (headers: Record<string, string>) =>
  everywhere(async (api) => (await whoAmI(headers)(api)).body.authorization?.roles);
const onAll = <T>(value: T): T[] => NODES.map(() => value);
const ADA = { 'X-Svc-Username': 'ada', 'X-Svc-Password': PASSWORD };

async function logIn(api: Api): Promise<{ Cookie: string }> {
  const { headers } = await api('POST', 'authentication?_action=login', { user: null, headers: ADA });
  return { Cookie: headers.get('Set-Cookie')!.split(';')[0]! };
}

describe('when a node has answered a change, no node serves by what was', () => {
  it('of an account that is deactivated and activated', async () => {
    await eachRound(async (api) => {
      const session = await logIn(api);
      expect(await statuses(ADA)).toEqual(onAll(200));
      expect(await statuses(session)).toEqual(onAll(200));
      const status = { operation: 'replace', field: '/accountStatus' };
      await patch(api, 'managed/user/ada', { ...status, value: 'inactive' });
      expect(await statuses(ADA)).toEqual(onAll(401));
      expect(await statuses(session)).toEqual(onAll(401));
      await patch(api, 'managed/user/ada', { ...status, value: 'active' });
    });
  });

  it('of roles that are granted and withdrawn, at either end and at the edge', async () => {
    const session = await logIn(nodes[0]!.api);
    await must(nodes[0]!.api('PUT', 'managed/role/clerk', { body: { name: 'clerk', description: 'Clerk' } }));
    await eachRound(async (api, round) => {
      const add = {
        operation: 'add',
        field: '/authzRoles/-',
        value: { _ref: 'repo/internal/role/svc-admin' },
      };
      await patch(api, 'managed/user/ada', add);
      expect(
        await everywhere(async (ask) => (await ask('GET', 'config', { user: null, headers: ADA })).status),
      ).toEqual(onAll(200));
      await patch(api, 'managed/user/ada', { operation: 'replace', field: '/authzRoles', value: [] });
      expect(
        await everywhere(async (ask) => (await ask('GET', 'config', { user: null, headers: ADA })).status),
      ).toEqual(onAll(403));
      const member = { _ref: 'managed/user/ada' };
      await patch(api, 'managed/role/clerk', { operation: 'add', field: '/authzMembers/-', value: member });
      expect(await roles(round % 2 === 0 ? ADA : session)).toEqual(onAll(['svc-authorized', 'clerk']));
      const { body } = await api('GET', 'managed/role/clerk/authzMembers?_queryFilter=true');
      await must(api('DELETE', `managed/role/clerk/authzMembers/${body.result[0]._refProperties._id}`));
      expect(await roles(round % 2 === 0 ? session : ADA)).toEqual(onAll(['svc-authorized']));
    });
  });

  it('of sessions that are ended', async () => {
    await eachRound(async (api, round) => {
      const session = await logIn(nodes[(round + 1) % nodes.length]!.api);
      expect(await statuses(session)).toEqual(onAll(200));
      const body = { user: 'managed/user/ada' };
      await must(api('POST', 'session?_action=endAll', { body }));
      expect(await statuses(session)).toEqual(onAll(401));
    });
  });

  it('of passwords', async () => {
    let password = PASSWORD;
    await eachRound(async (api, round) => {
      const before = { 'X-Svc-Username': 'ada', 'X-Svc-Password': password };
      expect(await statuses(before)).toEqual(onAll(200));
      password = round === ROUNDS - 1 ? PASSWORD : `Another-Horse-${round}`;
      await patch(api, 'managed/user/ada', { operation: 'replace', field: '/password', value: password });
      expect(await statuses(before)).toEqual(onAll(401));
      await forgive();
      expect(await statuses({ ...before, 'X-Svc-Password': password })).toEqual(onAll(200));
    });
  });

  it('of keys in authentication.json', async () => {
    await eachRound(async (api, round) => {
      const key = `robot${round}.0123456789abcdef0123456789abcdef`;
      const hash = createHash('sha256').update(key).digest('base64url');
      const known = { id: `robot${round}`, hash, roles: ['svc-authorized'] };
      await must(api('PUT', 'config/authentication', { body: authentication([known]) }));
      expect(await statuses({ 'X-Svc-Api-Key': key })).toEqual(onAll(200));
      await must(api('PUT', 'config/authentication', { body: authentication([]) }));
      expect(await statuses({ 'X-Svc-Api-Key': key })).toEqual(onAll(401));
    });
  });

  it('of what users may edit', async () => {
    const { body: managed } = await nodes[0]!.api('GET', 'config/managed');
    const editable = (value: boolean) => {
      const next = structuredClone(managed);
      const user = next.objects.find(({ name }: { name: string }) => name === 'user');
      user.schema.properties.city.userEditable = value;
      return next;
    };
    const edit = (api: Api) =>
      api('PATCH', 'managed/user/ada?_dryRun=true', {
        user: null,
        headers: ADA,
        body: [{ operation: 'replace', field: '/city', value: 'Pécs' }],
      });
    await eachRound(async (api, round) => {
      await must(api('PUT', 'config/managed', { body: editable(round % 2 === 1) }));
      expect(await everywhere(async (ask) => (await edit(ask)).status)).toEqual(
        onAll(round % 2 === 1 ? 200 : 403),
      );
    });
  });

  it('though it was away when the others agreed', async () => {
    const [one, , away] = nodes;
    const key = 'late.0123456789abcdef0123456789abcdef';
    const hash = createHash('sha256').update(key).digest('base64url');
    const known = [{ id: 'late', hash, roles: ['svc-authorized'] }];
    await must(one!.api('PUT', 'config/authentication', { body: authentication(known) }));
    expect(await statuses({ 'X-Svc-Api-Key': key })).toEqual(onAll(200));
    await setLease(database.db, LEASE_S);
    away!.signal('SIGSTOP');
    await must(one!.api('PUT', 'config/authentication', { body: authentication([]) }));
    away!.signal('SIGCONT');
    // 503 where the others have given it up meanwhile, and it goes.
    expect([401, 503]).toContain((await whoAmI({ 'X-Svc-Api-Key': key })(away!.api)).status);
  });
});
