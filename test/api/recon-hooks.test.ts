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
});
