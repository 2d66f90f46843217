import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { end, extension, path, start, tag } from '../unit/workflow/engine/bpmn.ts';
import { TYPES } from './access-site.ts';
import type { Answer, Api } from './api.ts';
import { callerAs, callersOf } from './credentials.ts';
import { eventually } from './eventually.ts';
import { startTestServer, type TestServer } from './server.ts';
import { processFile } from './workflow.ts';

type Call = ReturnType<typeof callerAs>;

/** May make operations, and change any item but i2. */
const DESK = `
    { pattern: 'operation', roles: 'desk', methods: 'create,query', actions: '' },
    { pattern: 'operation/*', roles: 'desk', methods: 'read,query,action', actions: 'start,cancel,retry' },
    { pattern: 'managed/item', roles: 'desk', methods: 'query,create', actions: '' },
    {
      pattern: 'managed/item/*', roles: 'desk', methods: 'read,patch,delete', actions: '',
      customAuthz: "request.method === 'read' || request.resourcePath !== 'managed/item/i2'",
    },
`;

const FILES = {
  'conf/managed.json': {
    objects: [
      ...TYPES.objects,
      { name: 'mark' },
      {
        name: 'item',
        schema: { properties: { serial: { type: 'string', policies: [{ policyId: 'unique' }] } } },
        onUpdate: {
          type: 'text/javascript',
          source: `if (newObject.slow) { const until = Date.now() + 30; while (Date.now() < until); }
            if (newObject.broken) throw { code: 422, message: 'broken ' + newObject._id, detail: { id: 'BROKEN' } };
            svc.create('managed/mark', null, { item: newObject._id });`,
        },
      },
    ],
  },
  'script/access.js': readFileSync(new URL('../../script/access.js', import.meta.url), 'utf8').replace(
    '\n    // Their tasks and processes.',
    `\n${DESK}`,
  ),
  'workflow/risky.bpmn20.xml': processFile(
    'risky',
    start() +
      tag(
        'scriptTask',
        'check',
        { scriptFormat: 'javascript', 'flowable:async': true },
        extension('<flowable:failedJobRetryTimeCycle>R1/PT0S</flowable:failedJobRetryTimeCycle>') +
          "<script>if (svc.read('managed/item/mended') === null) throw 'not mended';</script>",
      ) +
      end() +
      path('s', 'check', 'e'),
  ),
};

/** A server with items, a clerk (ada) at the desk, somebody else there (cleo), and a user without rights (ben). */
export function operationSite() {
  let server: TestServer;
  let api: Api;
  const call: Api = (...asked) => api(...asked);

  beforeAll(async () => {
    server = await startTestServer({ files: FILES, threads: 2 });
    api = server.api;
    await api('PUT', 'repo/internal/role/desk', { body: { name: 'desk' } });
    const { createUser, patch } = callersOf(() => api);
    for (const name of ['ada', 'ben', 'cleo']) await createUser(name);
    for (const name of ['ada', 'cleo'])
      await patch(`managed/user/${name}`, 'add', '/authzRoles/-', { _ref: 'repo/internal/role/desk' });
  });
  afterAll(() => server?.[Symbol.asyncDispose]());
  afterEach(async () => {
    const { db } = server.database;
    await sql`delete from scan_run`.execute(db);
    await eventually(
      () => sql`select from work_job where queue = 'scan-slice'`.execute(db),
      ({ rows }) => rows.length === 0,
    );
    await sql`delete from managed_object where type in ('item', 'mark')`.execute(db);
  });

  const items = async (count: number, content: (n: number) => object = () => ({})) => {
    const rows = Array.from({ length: count }, (_, n) => ({ id: `i${n}`, data: { n, ...content(n) } }));
    await sql`insert into managed_object (type, id, data)
      select 'item', id, data from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as a (id text, data jsonb)`.execute(
      server.database.db,
    );
  };
  const make = (body: object, as: Call = call) => as('POST', 'operation', { body });
  const ended = async (id: string, as: Call = call) =>
    (
      await eventually<Answer>(
        () => as('GET', `operation/${id}`),
        ({ body }) => !['PREPARED', 'ACTIVE'].includes(body.state),
      )
    ).body;
  const perform = async (body: object, as: Call = call) => {
    const answer = await make(body, as);
    expect(answer.body).toMatchObject({ _id: expect.any(String), state: expect.any(String) });
    expect(answer.status).toBe(201);
    return ended(answer.body._id, as);
  };
  const marks = async () =>
    (await api('GET', 'managed/mark?_queryFilter=true')).body.result
      .map((mark: { item: string }) => mark.item)
      .sort();
  return {
    get server() {
      return server;
    },
    api: call,
    ada: callerAs(() => api, 'ada'),
    ben: callerAs(() => api, 'ben'),
    cleo: callerAs(() => api, 'cleo'),
    items,
    make,
    ended,
    perform,
    marks,
  };
}

export const setDone = [{ operation: 'add', field: '/done', value: true }];
/** Done with all items, unless it says otherwise. */
export const patch = (more: object = {}) => ({
  act: 'patch',
  resource: 'managed/item',
  queryFilter: 'true',
  content: setDone,
  ...more,
});
