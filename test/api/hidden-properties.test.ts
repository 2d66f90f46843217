/** What is not shown of an object is found out by no other request about it. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { PASSWORD } from '../support/credentials.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const RULES = `
    { pattern: 'managed/role', roles: 'keeper', methods: 'create,action', actions: 'create,patch' },
    { pattern: 'managed/role/*', roles: 'keeper', methods: 'create,read,update,patch,query,action', actions: 'patch' },
    { pattern: 'managed/user', roles: 'searcher', methods: 'query', actions: '' },
    { pattern: 'managed/card', roles: 'svc-authorized', methods: '*', actions: '*' },
    { pattern: 'managed/card/*', roles: 'svc-authorized', methods: '*', actions: '*' },
    // Their tasks and processes.`;
const USER = {
  name: 'user',
  schema: {
    properties: {
      userName: { type: 'string' },
      password: { type: 'string', scope: 'private', secureHash: { algorithm: 'SHA-256' } },
      pin: { type: 'string', scope: 'private' },
      key: { type: 'string', encryption: { key: 'svc-sym-default' } },
      department: { type: 'string' },
      roles: {
        type: 'array',
        items: {
          type: 'relationship',
          reverseRelationship: true,
          reversePropertyName: 'members',
          conditionalAssociationField: 'condition',
          resourceCollection: [{ path: 'managed/role' }],
        },
      },
    },
  },
};
const ROLE = {
  name: 'role',
  schema: {
    properties: {
      name: { type: 'string' },
      condition: { type: 'string' },
      members: {
        type: 'array',
        returnByDefault: true,
        items: {
          type: 'relationship',
          reverseRelationship: true,
          reversePropertyName: 'roles',
          resourceCollection: [{ path: 'managed/user' }],
        },
      },
    },
  },
};
const js = (source: string) => ({ type: 'text/javascript', source });
/** Its hooks take away what it earns, and where it lives. */
const CARD = {
  name: 'card',
  onRetrieve: js('delete object.salary'),
  onRead: js('delete object.home'),
  schema: {
    properties: {
      salary: { type: 'number' },
      home: { type: 'string' },
      phone: { type: 'string', onRetrieve: js("'hidden'") },
      boss: { type: 'relationship', resourceCollection: [{ path: 'managed/card' }] },
      reports: {
        type: 'array',
        items: { type: 'relationship', resourceCollection: [{ path: 'managed/card' }] },
      },
    },
  },
};
const caller = (username: string, ...roles: string[]) => ({
  name: 'STATIC_USER',
  properties: {
    username,
    password: PASSWORD,
    queryOnResource: 'repo/internal/user',
    defaultUserRoles: ['svc-authorized', ...roles],
  },
});

let server: TestServer;
let api: Api;

beforeAll(async () => {
  server = await startTestServer({
    files: {
      'conf/managed.json': { objects: [USER, ROLE, CARD] },
      'conf/authentication.json': {
        serverAuthContext: {
          authModules: [
            { name: 'INTERNAL_USER', properties: { queryOnResource: 'repo/internal/user' } },
            {
              name: 'MANAGED_USER',
              properties: { queryOnResource: 'managed/user', defaultUserRoles: ['svc-authorized'] },
            },
            caller('keeper', 'keeper'),
            caller('librarian', 'keeper', 'searcher'),
          ],
        },
      },
      'script/access.js': readFileSync(new URL('../../script/access.js', import.meta.url), 'utf8').replace(
        '\n    // Their tasks and processes.',
        RULES,
      ),
    },
    threads: 2,
  });
  api = server.api;
  const body = { userName: 'bkim', password: PASSWORD, pin: '4711', key: 'k-1', department: 'Audit' };
  expect((await api('PUT', 'managed/user/bkim', { body })).status).toBe(201);
});
afterAll(() => server?.[Symbol.asyncDispose]());

const as = (user: string, method: string, path: string, body?: unknown) =>
  api(method, path, { user, password: PASSWORD, ...(body === undefined ? {} : { body }) });
const refusal = ({ status, body }: { status: number; body: { detail?: { id?: string } } }) => [
  status,
  body.detail?.id,
];

describe('the condition of a role', () => {
  beforeEach(async () => {
    for (const id of ['r1', 'made']) await api('DELETE', `managed/role/${id}`);
    expect((await api('PUT', 'managed/role/r1', { body: { name: 'r1' } })).status).toBe(201);
  });

  describe.each(['', '_dryRun=true'])('with %s', (more) => {
    const ways: [string, (user: string, condition: string) => ReturnType<Api>][] = [
      ['PUT', (user, condition) => as(user, 'PUT', `managed/role/r1?${more}`, { name: 'r1', condition })],
      [
        'PUT that creates',
        (user, condition) => as(user, 'PUT', `managed/role/made?${more}`, { name: 'made', condition }),
      ],
      [
        'POST',
        (user, condition) =>
          as(user, 'POST', `managed/role?_action=create&${more}`, { _id: 'made', condition }),
      ],
      [
        'PATCH',
        (user, condition) =>
          as(user, 'PATCH', `managed/role/r1?${more}`, [
            { operation: 'add', field: '/condition', value: condition },
          ]),
      ],
      [
        'patch by its path',
        (user, condition) =>
          as(user, 'POST', `managed/role/r1?_action=patch&${more}`, [
            { operation: 'add', field: '/condition', value: condition },
          ]),
      ],
      [
        'patch by a query',
        (user, condition) =>
          as(user, 'POST', `managed/role?_action=patch&_queryFilter=_id+eq+"r1"&${more}`, [
            { operation: 'add', field: '/condition', value: condition },
          ]),
      ],
      [
        'copy',
        async (user, name) => {
          expect((await api('PUT', 'managed/role/r1', { body: { name } })).status).toBe(200);
          return as(user, 'PATCH', `managed/role/r1?${more}`, [
            { operation: 'copy', from: '/name', field: '/condition' },
          ]);
        },
      ],
    ];
    it.each(ways)('tells by no %s what is private', async (_way, ask) => {
      for (const guess of ['pin sw "4"', 'pin sw "5"', 'userName eq "bkim" and !(/pin sw "5")']) {
        for (const user of ['keeper', 'librarian']) {
          expect(refusal(await ask(user, guess))).toEqual([403, 'CONDITION_OF_HIDDEN']);
        }
      }
      expect(refusal(await ask('librarian', 'key/$crypto/value/iv sw "a"'))).toEqual([403, 'QUERY_SECRET']);
    });

    it.each(ways)('tells by no %s what its caller may not query', async (_way, ask) => {
      for (const guess of ['department eq "Audit"', 'department eq "Sales"']) {
        expect(refusal(await ask('keeper', guess))).toEqual([403, 'CONDITION_NOT_YOURS']);
      }
      expect((await ask('librarian', 'department eq "Audit"')).status).toBeLessThan(300);
    });
  });

  it('that is there already lets others change the rest of the role', async () => {
    const condition = 'pin sw "4"';
    expect((await api('PUT', 'managed/role/r1', { body: { name: 'r1', condition } })).status).toBe(200);
    const members = (await api('GET', 'managed/role/r1')).body.members;
    expect(members).toMatchObject([{ _ref: 'managed/user/bkim' }]);
    const renamed = await as('keeper', 'PATCH', 'managed/role/r1', [
      { operation: 'replace', field: '/name', value: 'renamed' },
    ]);
    expect([renamed.status, renamed.body.name]).toEqual([200, 'renamed']);
    const cleared = await as('keeper', 'PATCH', 'managed/role/r1', [
      { operation: 'remove', field: '/condition' },
    ]);
    expect(cleared.status).toBe(200);
  });
});

const cards = ({ body }: { body: { result: object[] } }) => body.result;

describe('what the hooks of a type take away', () => {
  const whole = { salary: 7_000, home: 'Brno', phone: '555' };
  const shown = { phone: 'hidden' };
  beforeAll(async () => {
    const boss = { _ref: 'managed/card/boss' };
    expect((await api('PUT', 'managed/card/boss', { body: whole })).status).toBe(201);
    const own = { ...whole, boss, reports: [boss] };
    expect((await api('PUT', 'managed/card/own', { body: own })).status).toBe(201);
  });

  const READS: [string, (answer: Awaited<ReturnType<Api>>) => object][] = [
    ['managed/card/boss', ({ body }) => body],
    ['managed/card?_queryFilter=_id+eq+"boss"', (answer) => cards(answer)[0]!],
    ['managed/card/own?_fields=boss/*', ({ body }) => body.boss],
    ['managed/card/own/boss?_fields=*', ({ body }) => body],
    ['managed/card/own/reports?_queryFilter=true&_fields=*', (answer) => cards(answer)[0]!],
  ];
  it.each(READS)('is kept back from callers who would switch them off at %s', async (path, of) => {
    const asked = `${path}${path.includes('?') ? '&' : '?'}executeOnRetrieve=false`;
    const own = of(await as('bkim', 'GET', asked));
    expect(own).toMatchObject(shown);
    expect(own).not.toHaveProperty('salary');
    expect(own).not.toHaveProperty('home');
    expect(of(await api('GET', asked))).toMatchObject(whole);
  });

  it.each(['', '&_dryRun=true'])(
    'is in no answer of a write of another object that refers to it %s',
    async (more) => {
      const change = [{ operation: 'replace', field: '/phone', value: `${more}1` }];
      for (const [method, path] of [
        ['PATCH', 'managed/card/own?_fields=boss/*,reports/*'],
        ['POST', 'managed/card/own?_action=patch&_fields=boss/*,reports/*'],
      ] as const) {
        const { status, body } = await as('bkim', method, `${path}${more}`, change);
        expect(status).toBe(200);
        const { boss, reports } = more === '' ? body : body.result;
        for (const other of [boss, reports[0]]) {
          expect(other).toMatchObject(shown);
          expect(other).not.toHaveProperty('salary');
        }
      }
    },
  );
});

describe('what a filter of router.json takes from a read', () => {
  const takes = (method: string) =>
    `delete response.content.home; response.content.by = (response.content.by || '') + '${method}'`;
  const ofCards = (method: string, more: object = {}) => ({
    pattern: '^managed/card/[^/]+$',
    methods: [method],
    onResponse: js(takes(method)),
    ...more,
  });
  const setFilters = async (...filters: object[]) =>
    expect((await api('PUT', 'config/router', { body: { filters } })).status).toBe(200);
  const change = [{ operation: 'replace', field: '/home', value: 'Graz' }];
  const home = async () =>
    (await server.database.pool.query("select data from managed_object where id = 'filed'")).rows[0]?.data
      .home;

  const WRITES: [string, string, unknown][] = [
    ['PATCH', 'managed/card/filed', change],
    ['PUT', 'managed/card/filed', { home: 'Graz' }],
    ['PUT', 'managed/card/new', { home: 'Graz' }],
    ['POST', 'managed/card?_action=create', { _id: 'new', home: 'Graz' }],
    ['POST', 'managed/card/filed?_action=patch', change],
    ['POST', 'managed/card?_action=patch&_queryFilter=_id+eq+"filed"', change],
    ['POST', 'managed/card/filed?_action=triggerSyncCheck', undefined],
    ['DELETE', 'managed/card/filed', undefined],
  ];

  beforeEach(async () => {
    await setFilters();
    await api('DELETE', 'managed/card/new');
    expect((await api('PUT', 'managed/card/filed', { body: { home: 'Brno' } })).status).toBeLessThan(300);
    await setFilters(ofCards('read'));
  });
  afterAll(() => setFilters());

  it.each(WRITES)('is in no answer of %s %s', async (method, path, body) => {
    const { status, body: told } = await as('bkim', method, path, body);
    expect(status).toBeLessThan(300);
    expect(told).toMatchObject({ _id: expect.any(String), _rev: expect.any(String), by: 'read' });
    expect(told).not.toHaveProperty('home');
  });

  it.each<[string, object[]]>([
    ['copied', [{ operation: 'copy', from: '/home', field: '/stolen' }]],
    ['moved', [{ operation: 'move', from: '/home', field: '/stolen' }]],
    ['guessed', [{ operation: 'remove', field: '/home', value: 'Brno' }]],
    ['guessed wrong', [{ operation: 'remove', field: '/home', value: 'Graz' }]],
    ['looked for where it is not', [{ operation: 'copy', from: '/away', field: '/stolen' }]],
    [
      'copied with what is around it',
      [
        { operation: 'add', field: '/kept/more', value: 1 },
        { operation: 'copy', from: '/kept', field: '/stolen' },
      ],
    ],
  ])('is %s by no patch', async (_what, operations) => {
    await setFilters();
    await api('PUT', 'managed/card/filed', { body: { home: 'Brno', kept: { hidden: 'x' } } });
    await setFilters(
      ofCards('read', {
        onResponse: js(
          'delete response.content.home; delete response.content.away; if (response.content.kept) delete response.content.kept.hidden',
        ),
      }),
    );
    for (const more of ['', '?_dryRun=true']) {
      const { status, body } = await as('bkim', 'PATCH', `managed/card/filed${more}`, operations);
      expect([status, body.detail.id]).toEqual([403, 'PATCH_OF_HIDDEN']);
      expect(JSON.stringify(body)).not.toContain('Brno');
    }
    const own = [
      { operation: 'add', field: '/mine', value: { a: 1 } },
      { operation: 'copy', from: '/mine/a', field: '/too' },
      { operation: 'remove', field: '/mine', value: { a: 1 } },
      { operation: 'remove', field: '/home' },
    ];
    expect((await as('bkim', 'PATCH', 'managed/card/filed', own)).body).toMatchObject({ too: 1 });
    expect(
      (
        await api('PATCH', 'managed/card/filed', {
          body: [{ operation: 'copy', from: '/kept', field: '/copy' }],
        })
      ).status,
    ).toBe(200);
  });

  it('is taken by a script that writes nothing in a patch by query', async () => {
    const noting = js(`svc.create('managed/card', 'noted', {}); ${takes('read')}`);
    await setFilters({ ...ofCards('read'), onResponse: noting });
    const path = 'managed/card?_action=patch&_queryFilter=_id+eq+"filed"';
    const { status, body } = await as('bkim', 'POST', path, change);
    await setFilters();
    expect([status, body]).toMatchObject([200, { _id: 'filed', by: 'read' }]);
    expect(await home()).toBe('Graz');
    expect((await api('GET', 'managed/card/noted')).status).toBe(404);
  });

  it.each(WRITES)('is in no rehearsal of %s %s', async (method, path, body) => {
    const { status, body: told } = await as(
      'bkim',
      method,
      `${path}${path.includes('?') ? '&' : '?'}_dryRun=true`,
      body,
    );
    expect([status, told.dryRun]).toEqual([200, true]);
    expect(told.result).toMatchObject({ by: 'read' });
    expect(JSON.stringify(told)).not.toMatch(/Graz|Brno/);
  });

  it('is no filter of what is compared', async () => {
    await setFilters(ofCards('read'), {
      pattern: 'managed/card',
      methods: ['query'],
      onResponse: js('response.result.forEach(function (row) { delete row.content.home; })'),
    });
    const found = await as('bkim', 'GET', 'managed/card?_queryFilter=_id+eq+"filed"+and+home+eq+"Brno"');
    expect(cards(found)).toEqual([{ _id: 'filed', _rev: expect.any(String), phone: 'hidden' }]);
  });

  it('leaves of an answer the id and the revision where the filter refuses the read', async () => {
    await setFilters(ofCards('read', { onResponse: js("throw { code: 403, message: 'not yours' }") }));
    const { status, body } = await as('bkim', 'PATCH', 'managed/card/filed', change);
    expect([status, body]).toEqual([200, { _id: 'filed', _rev: expect.any(String) }]);
    expect(await home()).toBe('Graz');
  });

  it('is taken once by a filter that looks at the answers of writes, too', async () => {
    await setFilters(ofCards('patch', { methods: ['read', 'patch'] }));
    expect((await as('bkim', 'PATCH', 'managed/card/filed', change)).body.by).toBe('patch');
  });

  it('is asked for in a rehearsal without anything that the filter itself would change', async () => {
    const notes = "svc.create('managed/role', 'noted', { name: 'noted' })";
    await setFilters(ofCards('read', { onRequest: js(notes) }));
    const { status, body } = await as('bkim', 'PATCH', 'managed/card/filed?_dryRun=true', change);
    expect([status, body.result.by]).toEqual([200, 'read']);
    expect((await api('GET', 'managed/role/noted')).status).toBe(404);
    expect((await as('bkim', 'GET', 'managed/card/filed')).status).toBe(200);
    expect((await api('DELETE', 'managed/role/noted')).status).toBe(200);
  });
});
