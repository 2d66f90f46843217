/** A mapping that is in no file is planned by, and nothing is done by it. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import type { Api } from '../support/api.ts';
import { PASSWORD } from '../support/credentials.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const MAPPING = {
  name: 'person_crm',
  source: 'managed/person',
  target: 'managed/crm',
  enableSync: false,
  properties: [{ source: 'login', target: 'login' }],
};
const PLANS = `
    { pattern: 'recon', roles: 'planner', methods: 'action', actions: 'recon' },
    // Their tasks and processes.`;

describe('a plan by a mapping that is only supposed', () => {
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'conf/managed.json': {
          objects: [{ name: 'gate' }, { name: 'person' }, { name: 'crm' }],
        },
        'conf/sync.json': { mappings: [MAPPING] },
        'conf/authentication.json': {
          serverAuthContext: {
            authModules: [
              { name: 'INTERNAL_USER', properties: { queryOnResource: 'repo/internal/user' } },
              {
                name: 'STATIC_USER',
                properties: {
                  username: 'planner',
                  password: PASSWORD,
                  queryOnResource: 'repo/internal/user',
                  defaultUserRoles: ['svc-authorized', 'planner'],
                },
              },
            ],
          },
        },
        'script/access.js': readFileSync(new URL('../../script/access.js', import.meta.url), 'utf8').replace(
          '\n    // Their tasks and processes.',
          PLANS,
        ),
      },
      threads: 2,
    });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());
  const rows = async (statement: string) => (await server.database.pool.query(statement)).rows;
  beforeEach(async () => {
    await rows(
      'delete from recon_run; delete from recon_print; delete from sync_link; delete from sync_state; delete from managed_object',
    );
    await rows(
      `insert into managed_object (type, id, data) select 'person', 'p' || n, jsonb_build_object('login', 'l' || n, 'city', 'Bern') from generate_series(1, 4) n`,
    );
  });

  const ended = async (id: string): Promise<JsonObject> =>
    eventually(
      async () => (await api('GET', `recon/${id}`)).body,
      ({ state }) => state !== 'ACTIVE',
    );
  const plan = async (mapping: object, name = 'person_crm') => {
    const path = `recon?_action=recon&mapping=${name}&mode=plan`;
    const { status, body } = await api('POST', path, { body: { mapping } });
    expect([status, body.message]).toEqual([200, undefined]);
    return ended(body._id);
  };
  const apply = async () =>
    ended((await api('POST', 'recon?_action=recon&mapping=person_crm', { body: {} })).body._id);
  const changed = {
    ...MAPPING,
    sourceCondition: '!(/source/login eq "l4")',
    properties: [...MAPPING.properties, { source: 'city', target: 'town' }],
  };

  it('says what would be other than now, and writes nothing', async () => {
    expect(await apply()).toMatchObject({ state: 'SUCCESS', entrySummary: { applied: 4 } });
    const world = () =>
      rows(
        'select type || id || rev as what from managed_object union all select id || rev from sync_link order by 1',
      );
    const before = await world();
    const run = await plan(changed);
    expect(run).toMatchObject({ mode: 'plan', state: 'SUCCESS', entrySummary: { planned: 4 } });
    const entries = (await api('GET', `recon/${run['_id']}/entry?_queryFilter=true&_sortKeys=sourceId`)).body
      .result;
    expect(
      entries.map(({ sourceId, action, difference }: JsonObject) => [sourceId, action, difference]),
    ).toEqual([
      ['p1', 'UPDATE', ['/town']],
      ['p2', 'UPDATE', ['/town']],
      ['p3', 'UPDATE', ['/town']],
      ['p4', 'DELETE', []],
    ]);
    expect(await world()).toEqual(before);
    expect(await rows('select from recon_print')).toEqual([]);
    // Of the one in force there is nothing to be done.
    expect(await apply()).toMatchObject({ entrySummary: { applied: 0, counted: 4 } });
  });

  it('is of a mapping, too, that there is not yet', async () => {
    const run = await plan({ ...MAPPING, target: 'managed/gate' }, 'person_gate');
    expect(run).toMatchObject({ state: 'SUCCESS', mapping: 'person_gate', entrySummary: { planned: 4 } });
  });

  it('is approved once just that mapping is in force', async () => {
    const run = await plan(changed);
    const approve = () => api('POST', `recon/${run['_id']}?_action=approve`, { body: {} });
    const refused = await approve();
    expect([refused.status, refused.body.detail.id]).toEqual([409, 'RECON_MAPPING_CHANGED']);
    expect((await api('PUT', 'config/sync', { body: { mappings: [changed] } })).status).toBe(200);
    try {
      expect((await approve()).status).toBe(200);
      expect(await ended(String(run['_id']))).toMatchObject({
        state: 'SUCCESS',
        entrySummary: { applied: 3 },
      });
    } finally {
      await api('PUT', 'config/sync', { body: { mappings: [MAPPING] } });
    }
  });

  it('is for those who may evaluate scripts, and nothing but a plan', async () => {
    const path = 'recon?_action=recon&mapping=person_crm';
    const as = { user: 'planner', password: PASSWORD };
    const cases: [string, object, object, number, string][] = [
      [`${path}&mode=plan`, { ...as }, { mapping: changed }, 403, 'SCRIPT_NOT_ALLOWED'],
      [path, {}, { mapping: changed }, 400, 'RECON_BAD_ORDER'],
      [`${path}&mode=plan`, {}, { mapping: 'x' }, 400, 'RECON_BAD_ORDER'],
      [`${path}&mode=plan`, {}, { mapping: { ...changed, source: 'audit/access' } }, 400, 'SYNC_BAD_MAPPING'],
      [`${path}&mode=plan`, {}, { mapping: { ...changed, properties: [{}] } }, 400, 'SYNC_BAD_MAPPING'],
      [`${path}&mode=plan`, {}, { mapping: { ...changed, links: 'nothing' } }, 400, 'SYNC_BAD_LINKS'],
    ];
    for (const [asked, who, body, status, id] of cases) {
      const answer = await api('POST', asked, { ...who, body });
      expect([answer.status, answer.body.detail?.id]).toEqual([status, id]);
    }
    expect(await rows('select from recon_run')).toEqual([]);
  });
});
