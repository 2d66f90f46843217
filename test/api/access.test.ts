import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectNothingTakenBack, startAccessSite, waiting } from '../support/access-site.ts';
import type { Api } from '../support/api.ts';
import { callerAs, PASSWORD } from '../support/credentials.ts';
import type { TestServer } from '../support/server.ts';

let server: TestServer;
let api: Api;
const asAda = callerAs(() => api, 'ada');
const asNobody = callerAs(() => api, 'anonymous', 'anonymous');

beforeAll(async () => {
  server = await startAccessSite();
  api = server.api;
});
afterAll(() => server?.[Symbol.asyncDispose]());

describe('a user who has logged in', () => {
  it('is who it says, with the role of users', async () => {
    const { body } = await asAda('GET', 'info/login');
    expect(body).toMatchObject({
      authenticationId: 'ada',
      authorization: {
        id: 'ada',
        component: 'managed/user',
        roles: ['svc-authorized'],
        moduleId: 'MANAGED_USER',
        protectedAttributeList: ['password'],
      },
    });
  });

  it('reads itself, and not what is private', async () => {
    const { status, body } = await asAda('GET', 'managed/user/ada');
    expect([status, body.mail, body.password]).toEqual([200, 'ada@example.com', undefined]);
  });

  it('rehearses what it may do, and sees nothing of others in the report', async () => {
    const move = { body: [{ operation: 'replace', field: '/mail', value: 'moved@example.com' }] };
    const all = await api('PATCH', 'managed/user/ada?_dryRun=true', move);
    expect(all.body.changes.map(({ resource }: { resource: string }) => resource).toSorted()).toEqual([
      'managed/user/ada',
      'managed/user/ben',
    ]);
    expect(all.body.log).toHaveLength(1);
    const { status, body } = await asAda('PATCH', 'managed/user/ada?_dryRun=true', move);
    expect([status, body.dryRun, body.withheld]).toEqual([200, true, true]);
    expect(body.changes).toMatchObject([{ resource: 'managed/user/ada', operation: 'update' }]);
    expect(JSON.stringify(body)).not.toContain('ben');
    expect((await api('GET', 'managed/user/ben')).body.endDate).toBe('2030-01-01');
  });

  it('sees in a rehearsal what it would read, behind the filters of answers', async () => {
    const hide = {
      pattern: 'managed/user/.*',
      methods: ['read', 'patch'],
      onResponse: { type: 'text/javascript', source: 'delete response.content.sn' },
    };
    const before = (await api('GET', 'config/router')).body;
    const set = (filters: object[]) => api('PUT', 'config/router', { body: { filters } });
    expect((await set([...before.filters, hide])).status).toBe(200);
    const move = { body: [{ operation: 'replace', field: '/mail', value: 'moved@example.com' }] };
    const { status, body } = await asAda('PATCH', 'managed/user/ada?_dryRun=true', move);
    expect((await set(before.filters)).status).toBe(200);
    expect([status, body.result.mail, body.result.sn]).toEqual([200, 'moved@example.com', undefined]);
    const [{ before: was, after: is }] = body.changes;
    expect([was.mail, is.mail, 'sn' in was, 'sn' in is]).toEqual([
      'ada@example.com',
      'moved@example.com',
      false,
      false,
    ]);
  });

  it.each([
    ['GET', 'managed/user/ben'],
    ['GET', 'managed/user?_queryFilter=true'],
    ['GET', 'managed/user/ada/authzRoles?_queryFilter=true'],
    ['POST', 'managed/user?_action=create'],
    ['PUT', 'managed/user/ada2'],
    ['DELETE', 'managed/user/ada'],
    ['GET', 'repo/managed/user/ada'],
    ['GET', 'repo/internal/user/svc-admin'],
    ['GET', 'config/managed'],
    ['POST', 'script?_action=eval'],
    ['GET', 'scheduler/job?_queryFilter=true'],
    ['POST', 'scheduler/job?_action=pauseJobs'],
    ['GET', 'cluster'],
    ['GET', 'health/os'],
    ['GET', 'endpoint/echo'],
    ['GET', 'managed/user/ada%2f..%2fben'],
    ['GET', 'managed/user/../user/ben'],
    ['GET', 'MANAGED/user/ben'],
  ])('is refused %s %s', async (method, path) => {
    const { status, body } = await asAda(
      method,
      path,
      method === 'GET' || method === 'DELETE' ? {} : { body: {} },
    );
    expect([status, body.message]).toEqual([403, 'Access denied']);
  });

  it('changes what it may edit of itself', async () => {
    const patched = await asAda('PATCH', 'managed/user/ada', {
      body: [{ operation: 'replace', field: '/mail', value: 'a@example.com' }],
    });
    expect([patched.status, patched.body.mail]).toEqual([200, 'a@example.com']);
    const own = (await asAda('GET', 'managed/user/ada')).body;
    const updated = await asAda('PUT', 'managed/user/ada', { body: { ...own, mail: 'b@example.com' } });
    expect([updated.status, updated.body.mail]).toEqual([200, 'b@example.com']);
  });

  it.each([
    [
      'a property that is not editable',
      'PATCH',
      [{ operation: 'replace', field: '/endDate', value: '2031-01-01' }],
    ],
    [
      'the roles',
      'PATCH',
      [{ operation: 'add', field: '/authzRoles/-', value: { _ref: 'repo/internal/role/svc-admin' } }],
    ],
    [
      'the whole object',
      'PATCH',
      [{ operation: 'replace', field: '', value: { userName: 'ada', accountStatus: 'x' } }],
    ],
    ['by copying', 'PATCH', [{ operation: 'copy', from: '/userName', field: '/accountStatus' }]],
    ['by moving away', 'PATCH', [{ operation: 'move', from: '/endDate', field: '/mail' }]],
    ['what it leaves out of a PUT', 'PUT', { userName: 'ada', mail: 'c@example.com' }],
    [
      'what it adds in a PUT',
      'PUT',
      {
        userName: 'ada',
        mail: 'c@example.com',
        endDate: '2030-01-01',
        authzRoles: [{ _ref: 'repo/internal/role/svc-admin' }],
      },
    ],
  ])('cannot change %s', async (_what, method, body) => {
    const before = (await api('GET', 'repo/managed/user/ada')).body;
    expect((await asAda(method, 'managed/user/ada', { body })).status).toBe(403);
    expect(
      (await asAda('POST', 'managed/user/ada?_action=patch', { body: method === 'PATCH' ? body : [] }))
        .status,
    ).not.toBe(method === 'PATCH' ? 200 : 500);
    expect((await api('GET', 'repo/managed/user/ada')).body).toEqual(before);
  });

  describe('with relationships', () => {
    const FIELDS = '_fields=*,manager,authzRoles';
    beforeAll(async () => {
      const ben = { _ref: 'managed/user/ben' };
      const { status } = await api('PATCH', 'managed/user/ada', {
        body: [
          { operation: 'replace', field: '/manager', value: ben },
          { operation: 'replace', field: '/mentor', value: ben },
          {
            operation: 'replace',
            field: '/authzRoles',
            value: [{ _ref: 'repo/internal/role/svc-authorized' }],
          },
        ],
      });
      expect(status).toBe(200);
    });
    afterAll(() =>
      api('PATCH', 'managed/user/ada', {
        body: ['manager', 'mentor', 'authzRoles'].map((field) => ({ operation: 'remove', field })),
      }),
    );

    it.each([
      ['with null', '', { manager: null }],
      ['with none', '', { authzRoles: [] }],
      ['with another one', '', { manager: { _ref: 'managed/user/ada' } }],
      ['by leaving out what is always shown', '', { mentor: undefined }],
      ['by asking to see it, and leaving it out', '?_fields=manager', {}],
      ['by asking to see part of it', '?_fields=authzRoles/0/_ref', {}],
      ['by asking to see all of them', '?_fields=*_ref', {}],
    ])('cannot change one that is not its to change %s', async (_how, query, change) => {
      const { body: own } = await asAda('GET', 'managed/user/ada');
      const before = (await api('GET', `managed/user/ada?${FIELDS}`)).body;
      const put = await asAda('PUT', `managed/user/ada${query}`, { body: { ...own, ...change } });
      expect(put.status).toBe(403);
      expect((await api('GET', `managed/user/ada?${FIELDS}`)).body).toEqual(before);
    });

    it('sends them back as they were shown', async () => {
      const { body: own } = await asAda('GET', `managed/user/ada?${FIELDS}`);
      const put = await asAda('PUT', `managed/user/ada?${FIELDS}`, {
        body: { ...own, mail: 'shown@example.com' },
      });
      expect([put.status, put.body]).toEqual([
        200,
        { ...own, mail: 'shown@example.com', _rev: expect.any(String) },
      ]);
    });
  });

  it('takes back no change that others make while it is let in', async () => {
    await expectNothingTakenBack(server, {});
    const { body } = await asAda('GET', 'managed/user/ada');
    await expectNothingTakenBack(server, { 'If-Match': String(Number(body['_rev']) + 1) });
  });

  it('is let in again where others have changed nothing that is not its own', async () => {
    const { body: own } = await asAda('GET', 'managed/user/ada');
    const others = await server.database.db.startTransaction().execute();
    await sql`update managed_object set rev = rev + 1 where type = 'user' and id = 'ada'`.execute(others);
    const put = asAda('PUT', 'managed/user/ada', { body: { ...own, mail: 'second@example.com' } });
    await expect.poll(() => waiting(server)).toBe(1);
    await others.commit().execute();
    expect([(await put).status, (await put).body.mail]).toEqual([200, 'second@example.com']);
  });

  it('is told which property of its own is not its to change, and nothing of what is somebody else’s', async () => {
    const body = [{ operation: 'replace', field: '/endDate', value: '2030-01-01' }];
    const own = await asAda('PATCH', 'managed/user/ada', { body });
    expect([own.status, own.body.detail]).toEqual([
      403,
      {
        id: 'ACCESS_DENIED',
        field: '/endDate',
        hint: expect.stringMatching(/'endDate' is not userEditable/),
      },
    ]);
    const other = await asAda('PATCH', 'managed/user/ben', { body });
    expect([other.status, other.body.detail.field]).toEqual([403, undefined]);
  });

  it('changes its password only with the old one', async () => {
    const change = [{ operation: 'replace', field: '/password', value: 'Another-Passw0rd' }];
    const denied = await asAda('PATCH', 'managed/user/ada', { body: change });
    expect([denied.status, denied.body.detail.id]).toEqual([403, 'ACCESS_NEEDS_REAUTHENTICATION']);
    const wrong = await asAda('PATCH', 'managed/user/ada', {
      body: change,
      headers: { 'X-Svc-Reauth-Password': 'guess' },
    });
    expect([wrong.status, wrong.body.detail.id]).toEqual([403, 'AUTH_REAUTHENTICATION_FAILED']);
    const right = { 'X-Svc-Reauth-Password': PASSWORD };
    expect((await asAda('PATCH', 'managed/user/ada', { body: change, headers: right })).status).toBe(200);
    await api('PATCH', 'managed/user/ada', {
      body: [{ operation: 'replace', field: '/password', value: PASSWORD }],
    });
  });

  it('asks what the rules for properties are', async () => {
    expect((await asAda('GET', 'policy/managed/user')).status).toBe(200);
  });
});

describe('nobody', () => {
  it('sees that the server is there, and hardly more', async () => {
    expect((await asNobody('GET', 'info/ping')).status).toBe(200);
    expect((await asNobody('GET', 'info/login')).body.authorization.roles).toEqual(['svc-reg']);
    for (const path of [
      'managed/user/ada',
      'policy/managed/user',
      'repo/internal/user/svc-admin',
      'config',
      'cluster',
    ]) {
      expect((await asNobody('GET', path)).status).toBe(403);
    }
  });

  it('has to say that it is nobody', async () => {
    expect((await api('GET', 'info/ping', { user: null })).status).toBe(401);
  });
});

describe('a mistake of a hook', () => {
  const patch = [{ operation: 'replace', field: '/mail', value: 'broken@example.com' }];

  it.each(['', '?_dryRun=true'])(
    'tells administrators where it is, and nobody else (%s)',
    async (parameters) => {
      const path = `managed/user/ada${parameters}`;
      const told = await api('PATCH', path, { body: patch });
      expect([told.status, told.body.detail]).toEqual([
        500,
        {
          hook: 'user onUpdate',
          script: 'user onUpdate',
          line: 5,
          column: expect.any(Number),
          ...(parameters === ''
            ? {}
            : {
                dryRun: {
                  at: {
                    step: 'onUpdate',
                    resource: 'managed/user/ada',
                    hook: 'user onUpdate',
                    script: 'user onUpdate',
                    line: 5,
                    column: expect.any(Number),
                  },
                  changes: [],
                  log: [expect.objectContaining({ message: 'breaking' })],
                  trace: expect.any(Array),
                },
              }),
        },
      ]);
      // A rehearsal says all that was gone through, the step that failed last.
      expect(told.body.detail.dryRun?.trace.at(-1)).toEqual(
        parameters === ''
          ? undefined
          : {
              n: expect.any(Number),
              step: 'onUpdate',
              failed: true,
              resource: 'managed/user/ada',
              hook: 'onUpdate',
              script: 'user onUpdate',
              line: 5,
              ms: expect.any(Number),
            },
      );
      const { status, body } = await asAda('PATCH', path, { body: patch });
      expect([status, body.message, body.detail]).toEqual([500, told.body.message, undefined]);
    },
  );
});
