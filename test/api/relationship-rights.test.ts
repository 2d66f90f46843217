/** Relationships that users may query and change themselves, beside objects that they may not read. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';

const PASSWORD = 'Passw0rd-of-users';
const RULES = `
    { pattern: 'managed/user/*', roles: 'svc-authorized', methods: 'read,query', actions: '',
      customAuthz: "ownRelationshipCollection(['friends'])" },
    { pattern: 'managed/club/*', roles: 'svc-authorized', methods: 'read', actions: '', excludePatterns: 'managed/club/closed' },
    // Their tasks and processes.`;
const friends = {
  type: 'array',
  userEditable: true,
  returnByDefault: false,
  items: {
    type: 'relationship',
    validate: true,
    resourceCollection: [{ path: 'managed/user' }, { path: 'managed/club' }],
  },
};
const FILES = {
  'conf/managed.json': {
    objects: [
      {
        name: 'user',
        schema: {
          properties: {
            userName: { type: 'string' },
            password: { type: 'string', scope: 'private', secureHash: { algorithm: 'SHA-256' } },
            salary: { type: 'number' },
            friends,
          },
        },
      },
      { name: 'club', schema: { properties: { city: { type: 'string' } } } },
    ],
  },
  'conf/endpoint-bell.json': {
    type: 'text/javascript',
    source: "svc.create('managed/club', null, { city: 'rung' }); ({ _id: 'bell' })",
  },
  'script/access.js': readFileSync(new URL('../../script/access.js', import.meta.url), 'utf8').replace(
    '\n    // Their tasks and processes.',
    RULES,
  ),
};

let server: TestServer;
const asMallory = (method: string, path: string, body?: unknown) =>
  server.api(method, path, { user: 'mallory', password: PASSWORD, ...(body === undefined ? {} : { body }) });
const befriend = (...refs: string[]) =>
  asMallory('PATCH', 'managed/user/mallory-id?_fields=_id', [
    { operation: 'replace', field: '/friends', value: refs.map((ref) => ({ _ref: ref })) },
  ]);
const found = async (query: string) => {
  const { status, body } = await asMallory('GET', `managed/user/mallory-id/friends?${query}`);
  expect([status, body]).toEqual([200, expect.anything()]);
  return body.result.map(({ _ref }: { _ref: string }) => _ref);
};
const by = (filter: string) => found(`_queryFilter=${encodeURIComponent(filter)}`);

beforeAll(async () => {
  server = await startTestServer({ files: FILES });
  for (const [name, salary] of [
    ['mallory', 1],
    ['bob', 7_777],
    ['carol', 3_000],
  ] as const) {
    const body = { userName: name, password: PASSWORD, salary };
    expect((await server.api('PUT', `managed/user/${name}-id`, { body })).status).toBe(201);
  }
  for (const name of ['open', 'closed']) {
    expect((await server.api('PUT', `managed/club/${name}`, { body: { city: 'Bern' } })).status).toBe(201);
  }
});
afterAll(() => server?.[Symbol.asyncDispose]());

describe('what callers may not read', () => {
  const [bob, carol] = ['managed/user/bob-id', 'managed/user/carol-id'];
  const [open, closed] = ['managed/club/open', 'managed/club/closed'];

  it('is found by no filter over the references that lead there', async () => {
    expect((await befriend(bob, open, closed)).status).toBe(200);
    expect(await by('true')).toEqual([bob, open, closed]);
    expect(await by('salary gt 5000')).toEqual([]);
    expect(await by('userName pr')).toEqual([]);
    expect(await by('!(salary gt 5000)')).toEqual([bob, open, closed]);
    expect(await by('city eq "Bern"')).toEqual([open]);
    expect(await by(`_ref eq "${bob}"`)).toEqual([bob]);
    expect(await by('_refResourceId sw "bob"')).toEqual([bob]);
  });

  it('is found by no order', async () => {
    expect((await befriend(bob, carol)).status).toBe(200);
    expect(await found('_queryFilter=true&_sortKeys=salary')).toEqual([bob, carol]);
    expect(await found('_queryFilter=true&_sortKeys=-salary')).toEqual([bob, carol]);
  });

  it('is found by administrators', async () => {
    const filter = encodeURIComponent('salary gt 5000 or city eq "Bern"');
    expect((await befriend(bob, carol, closed)).status).toBe(200);
    const { body } = await server.api('GET', `managed/user/mallory-id/friends?_queryFilter=${filter}`);
    expect(body.result.map(({ _ref }: { _ref: string }) => _ref)).toEqual([bob, closed]);
  });

  it('is found by no filter either where references are so many that not each is looked at', async () => {
    const clubs = Array.from({ length: 1_001 }, (_, at) => `managed/club/c${at}`);
    // In parts, each within the time that a script has on a slow machine.
    for (let at = 0; at < clubs.length; at += 200) {
      const end = Math.min(at + 200, clubs.length);
      const source = `for (var i = ${at}; i < ${end}; i++) svc.create('managed/club', 'c' + i, { city: 'Ulm' });`;
      const made = await server.api('POST', 'script?_action=eval', {
        body: { type: 'text/javascript', source },
      });
      expect(made.status).toBe(200);
    }
    expect((await befriend(bob, ...clubs)).status).toBe(200);
    expect(await by('salary gt 5000 or city eq "Bern"')).toEqual([]);
    expect(await by('city eq "Ulm"')).toHaveLength(clubs.length);
  });
});

it('a reference has nothing run that its writer may not ask for', async () => {
  const clubs = async () =>
    (await server.api('GET', 'managed/club?_queryFilter=city+eq+"rung"')).body.resultCount;
  expect((await befriend('endpoint/bell')).status).toBe(403);
  expect((await befriend('config/authentication')).status).toBe(403);
  expect(await clubs()).toBe(0);
});
