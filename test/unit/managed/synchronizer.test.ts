import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openCrypto } from '#crypto/index.ts';
import { DatabaseClock } from '#database/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import { managedObjectResource } from '#managed/managed-object-resource.ts';
import { ManagedTypes } from '#managed/managed-types.ts';
import { PolicyBook } from '#managed/policy/policy-book.ts';
import type { SyncNotice } from '#platform/synchronizer.ts';
import { compileQueries } from '#repo/index.ts';
import { Connection, inUnitOfWork, parsePatch, Router, systemContext } from '#resource/index.ts';
import { noScripts } from '#script/index.ts';
import { createMigratedDatabase } from '../../support/migrated-database.ts';

const list = (reverse?: string) => ({
  type: 'array',
  items: {
    type: 'relationship',
    ...(reverse === undefined ? {} : { reverseRelationship: true, reversePropertyName: reverse }),
    resourceCollection: [{ path: 'managed/user' }, { path: 'managed/role' }],
    conditionalAssociationField: reverse === 'members' ? 'condition' : '',
  },
});
const derived = {
  type: 'array',
  isVirtual: true,
  returnByDefault: true,
  queryConfig: { referencedRelationshipFields: ['roles'], referencedObjectFields: ['name'] },
};
const TYPES: JsonObject[] = [
  {
    name: 'user',
    actions: { greet: { type: 'text/javascript', source: "'hello'" } },
    schema: {
      properties: { roles: list('members'), follows: list(), names: derived, city: { type: 'string' } },
    },
  },
  { name: 'role', schema: { properties: { name: { type: 'string' }, members: list('roles') } } },
] as JsonObject[];

describe('the synchronization', () => {
  let database: Awaited<ReturnType<typeof createMigratedDatabase>>;
  let svc: Connection;
  let router: Router;
  let told: SyncNotice[] = [];
  let reported: unknown[] = [];
  let succeeds = true;
  let next = 0;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    const observe = (observation: unknown) => void reported.push(observation);
    router = new Router((router) => ({
      before: [inUnitOfWork({ database, observe, answerLimitBytes: 2 ** 26, router })],
      judging: [],
    }));
    const types = new ManagedTypes();
    types.replace(TYPES);
    router.mount(
      'managed*',
      managedObjectResource({
        database,
        clock: new DatabaseClock(database),
        scripts: noScripts,
        readScript: async () => '',
        crypto: openCrypto({ keyRing: {} }),
        types,
        queries: () => compileQueries({}),
        policies: () => new PolicyBook(types, { resources: [], additionalFiles: [] }),
        enforcesPolicies: () => false,
        resources: router,
        observe,
        certificateRole: () => 'svc-cert',
        // Nobody logs in by these types.
        knownRoles: { warnings: async () => [] },
        roleGrants: {
          linkAt: () => undefined,
          propertiesAt: () => [],
          waysInAt: () => [],
          require: async () => {},
          requireAccount: async () => {},
        },
        synchronizer: {
          keepsCopies: (collection) => collection === 'managed/user' || collection === 'managed/role',
          isActive: false,
          mappings: () => [],
          lastSync: async () => new Map(),
          notify: async (_context, notice) => {
            told.push(notice);
            return { success: succeeds, action: notice.action, syncDetails: 'out of reach' };
          },
        },
      }),
    );
    svc = new Connection(router, systemContext());
  });
  afterAll(() => database?.[Symbol.asyncDispose]());
  beforeEach(() => {
    told = [];
    reported = [];
    succeeds = true;
  });

  const ref = (path: string) => ({ _ref: `managed/${path}` });
  const create = async (type: string, content: JsonObject = {}) => {
    const id = `${type}${++next}`;
    await svc.create(`managed/${type}`, id, { name: id, ...content });
    told = [];
    return id;
  };
  const patch = (path: string, ...operations: JsonObject[]) =>
    svc.patch(`managed/${path}`, null, parsePatch(operations as JsonValue));
  const notices = () => told.map(({ action, resource }) => `${action} ${resource}`);

  it('is told of an object, and of those at the other ends of its new and changed edges', async () => {
    const [r, u] = [await create('role'), await create('user')];
    const other = `user${++next}`;
    await svc.create('managed/user', other, { roles: [ref(`role/${r}`)] });
    expect(notices()).toEqual([`notifyUpdate managed/role/${r}`, `notifyCreate managed/user/${other}`]);
    told = [];
    const edge = await svc.create(`managed/role/${r}/members`, null, ref(`user/${u}`));
    expect(notices()).toEqual([`notifyUpdate managed/user/${u}`, `notifyUpdate managed/role/${r}`]);
    told = [];
    const id = ((edge.content as JsonObject)['_refProperties'] as JsonObject)['_id'];
    await patch(`role/${r}/members/${id}`, { operation: 'add', field: '/_refProperties/note', value: 'x' });
    expect(notices()).toEqual([`notifyUpdate managed/user/${u}`, `notifyUpdate managed/role/${r}`]);
    told = [];
    await svc.delete(`managed/role/${r}/members/${id}`, null);
    expect(notices()).toEqual([`notifyUpdate managed/user/${u}`, `notifyUpdate managed/role/${r}`]);
  });

  it('is told of both objects that an edge is taken from and given to', async () => {
    const [a, b, r] = [await create('user'), await create('user'), await create('role')];
    await patch(`role/${r}`, { operation: 'add', field: '/members/-', value: ref(`user/${a}`) });
    told = [];
    await patch(`role/${r}`, { operation: 'replace', field: '/members', value: [ref(`user/${b}`)] });
    expect(notices().slice(0, 2)).toEqual([
      `notifyUpdate managed/user/${a}`,
      `notifyUpdate managed/user/${b}`,
    ]);
  });

  it.each(['triggerSyncCheck', 'greet'])(
    'is not told by %s of an object that a rule has seen otherwise',
    async (action) => {
      const u = await create('user');
      const ask = (judgedAt: string) =>
        router.handle(systemContext(), {
          method: 'action',
          path: ['managed', 'user', u],
          fields: [],
          parameters: {},
          action,
          content: null,
          judgedAt,
        });
      await expect(ask('1')).rejects.toThrow(/changed by another request at the same time/);
      // There are no scripts here.
      const asJudged = ask('0').then(({ kind }) => kind, String);
      expect(await asJudged).toMatch(action === 'greet' ? /script/i : /^action$/);
    },
  );

  it('is told how the stored derivations of others changed', async () => {
    const r = await create('role');
    const u = await create('user', { roles: [ref(`role/${r}`)] });
    await patch(`role/${r}`, { operation: 'replace', field: '/name', value: 'renamed' });
    const notice = told.find(({ resource }) => resource === `managed/user/${u}`);
    expect(notice).toEqual({
      action: 'notifyUpdate',
      resource: `managed/user/${u}`,
      before: { _id: u, _rev: '0', name: u, names: [{ name: r }] },
      after: { _id: u, _rev: '1', name: u, names: [{ name: 'renamed' }] },
      changed: new Set(['names']),
    });
    told = [];
    await patch(`role/${r}`, { operation: 'add', field: '/note', value: 'of no interest' });
    expect(notices()).toEqual([`notifyUpdate managed/role/${r}`]);
  });

  it('is told of all who get or lose a role by its condition', async () => {
    const city = `city${++next}`;
    const users = [await create('user', { city }), await create('user', { city })];
    const r = await create('role');
    const expected = users.map((id) => `notifyUpdate managed/user/${id}`);
    for (const value of [`city eq "${city}"`, 'city eq "nowhere"']) {
      told = [];
      await patch(`role/${r}`, { operation: 'replace', field: '/condition', value });
      expect(notices()).toEqual([...expected, `notifyUpdate managed/role/${r}`]);
    }
  });

  it('is told, when an object is deleted, of those that knew it', async () => {
    const [r1, r2] = [await create('role'), await create('role')];
    const u = await create('user', { roles: [ref(`role/${r1}`), ref(`role/${r2}`)] });
    await svc.delete(`managed/user/${u}`, null);
    expect(notices()).toEqual([
      `notifyUpdate managed/role/${r1}`,
      `notifyUpdate managed/role/${r2}`,
      `notifyDelete managed/user/${u}`,
    ]);
  });

  it('is not told of the other end of a one-way edge, and of none where it is asked not to be', async () => {
    const [r, u] = [await create('role'), await create('user')];
    const follower = `user${++next}`;
    await svc.create('managed/user', follower, { follows: [ref(`user/${u}`)] });
    expect(notices()).toEqual([`notifyCreate managed/user/${follower}`]);
    told = [];
    const parameters = { _synchronize: 'false' };
    await svc.create('managed/user', `user${++next}`, { roles: [ref(`role/${r}`)] }, { parameters });
    expect(notices()).toEqual([]);
  });

  it('may fail for an object and for another one, which is reported and changes nothing', async () => {
    const [r, u] = [await create('role'), await create('user')];
    succeeds = false;
    await svc.create(`managed/role/${r}/members`, null, ref(`user/${u}`));
    expect(reported).toEqual([
      { kind: 'sync.failed', resource: `managed/user/${u}`, details: 'out of reach' },
      { kind: 'sync.failed', resource: `managed/role/${r}`, details: 'out of reach' },
    ]);
    expect((await svc.read(`managed/user/${u}`)).content).toMatchObject({ names: [{ name: r }] });
  });
});
