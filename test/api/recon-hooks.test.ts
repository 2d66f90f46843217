import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';

const script = (source: string) => ({ type: 'text/javascript', source });
const SHIPPED_RULES = readFileSync(new URL('../../script/access.js', import.meta.url), 'utf8');
/** Those of one role may plan, and look at what is planned. */
const RULES = SHIPPED_RULES.replace(
  /configs: \[/,
  `configs: [
    { pattern: 'recon', roles: 'svc-planners', methods: 'action', actions: 'recon', customAuthz: "request.additionalParameters.mode === 'plan'" },
    { pattern: 'recon/*', roles: 'svc-planners', methods: 'read,query', actions: '*' },`,
);

describe('a reconciliation', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'script/access.js': RULES,
        'conf/managed.json': { objects: [{ name: 'person' }, { name: 'badge' }, { name: 'mark' }] },
        'conf/sync.json': {
          mappings: [
            {
              name: 'person_badge',
              source: 'managed/person',
              target: 'managed/badge',
              enableSync: false,
              properties: [{ source: 'mail', target: 'mail' }],
              onRecon: script(
                "if (svc.read('managed/mark/closed') !== null) { throw { code: 503, message: 'closed' } }",
              ),
              result: script(
                "svc.create('managed/mark', null, { absent: source.ABSENT.count, state: global.entrySummary.applied, reconId: reconId })",
              ),
            },
          ],
        },
      },
    });
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const rows = async (statement: string) => (await server.database.pool.query(statement)).rows;
  beforeEach(async () => {
    await rows(
      'delete from recon_run; delete from sync_link; delete from sync_state; delete from managed_object',
    );
    await server.api('PUT', 'managed/person/p', { body: { mail: 'p@example.com' } });
  });
  const START = 'recon?_action=recon&mapping=person_badge&waitForCompletion=true';

  it('tells its mapping what has come of it, and not of a plan', async () => {
    await server.api('POST', `${START}&mode=plan`, { body: {} });
    expect(await rows("select data from managed_object where type = 'mark'")).toEqual([]);
    const { body } = await server.api('POST', START, { body: {} });
    expect(await rows("select data from managed_object where type = 'mark'")).toEqual([
      { data: { absent: 1, state: 1, reconId: body._id } },
    ]);
  });

  it('does nothing where its mapping says so before it begins', async () => {
    await server.api('PUT', 'managed/mark/closed', { body: {} });
    const { status, body } = await server.api('POST', START, { body: {} });
    expect([status, body.message]).toEqual([409, 'closed']);
    expect(await rows("select from managed_object where type = 'badge'")).toEqual([]);
  });

  it('may be planned and looked at by those whom a rule lets, who cannot have it done', async () => {
    const password = 'Passw0rd-of-pia';
    await server.api('PUT', 'repo/internal/role/svc-planners', { body: { description: 'plan' } });
    await server.api('PUT', 'repo/internal/user/pia', {
      body: { password, roles: ['svc-authorized', 'svc-planners'] },
    });
    const pia = { user: 'pia', password };
    const planned = await server.api('POST', `${START}&mode=plan`, { ...pia, body: {} });
    expect([planned.status, planned.body.state]).toEqual([200, 'SUCCESS']);
    const { _id: id } = planned.body;
    const entries = await server.api('GET', `recon/${id}/entry?_queryFilter=true`, pia);
    expect(entries.body.result).toMatchObject([{ sourceId: 'p', situation: 'ABSENT', state: 'planned' }]);
    expect((await server.api('POST', START, { ...pia, body: {} })).status).toBe(403);
    expect((await server.api('POST', `recon/${id}?_action=approve`, { ...pia, body: {} })).status).toBe(403);
    expect(await rows("select from managed_object where type = 'badge'")).toEqual([]);
    expect((await rows(`select user_id from svc_recon_run where run_id = '${id}'`))[0]).toEqual({
      user_id: 'pia',
    });
  });

  it('does what its sources say when their turn comes, and not what they said when they were read together', async () => {
    const onCreate = script(
      "if (source.n === 2) { svc.patch('managed/person/p4', null, [{ operation: 'replace', field: '/mail', value: 'new' }]); svc['delete']('managed/person/p5', null); }",
    );
    const own = {
      name: 'people',
      source: 'managed/person',
      target: 'managed/badge',
      enableSync: false,
      onCreate,
    };
    const properties = ['n', 'mail'].map((name) => ({ source: name, target: name }));
    const path = 'config/mapping/people';
    expect((await server.api('PUT', path, { body: { ...own, properties } })).status).toBe(201);
    for (let n = 1; n <= 6; n++)
      await server.api('PUT', `managed/person/p${n}`, { body: { n, mail: 'old' } });
    await server.api('POST', START.replace('person_badge', 'people'), { body: {} });
    const badges = await rows(
      "select data->>'n' as n, data->>'mail' as mail from managed_object where type = 'badge' and data ? 'n' order by 1",
    );
    expect(badges.map(({ n, mail }) => `${n} ${mail}`)).toEqual([
      '1 old',
      '2 old',
      '3 old',
      '4 new',
      '6 old',
    ]);
    await server.api('DELETE', path);
  });
});
