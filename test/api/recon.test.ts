import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const script = (source: string) => ({ type: 'text/javascript', source });
const text = { type: 'string' };
const MAPPING = {
  name: 'person_crm',
  source: 'managed/person',
  target: 'managed/crm',
  enableSync: false,
  sourceCondition: '/source/status eq "active"',
  validTarget: script("target.kind !== 'foreign'"),
  correlationQuery: script('({ _queryFilter: "login eq " + JSON.stringify(source.login) })'),
  properties: [
    { source: 'login', target: 'login' },
    { source: 'mail', target: 'mail', transform: script('source === null ? null : source.toLowerCase()') },
  ],
  policies: [
    { situation: 'SOURCE_MISSING', action: 'DELETE' },
    { situation: 'UNASSIGNED', action: 'REPORT' },
    { situation: 'MISSING', action: 'CREATE' },
    { situation: 'LINK_ONLY', action: 'UNLINK' },
  ],
};

describe('a reconciliation', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'conf/managed.json': {
          objects: [
            { name: 'gate' },
            { name: 'person', schema: { properties: { login: text, mail: text, status: text } } },
            {
              name: 'crm',
              schema: { properties: { login: text, mail: text, kind: text } },
              onCreate: {
                ...script(`
                  if (object.login === 'refused') { throw { code: 403, message: 'not this one' } }
                  if (object.login === 'waits') { while (svc.read('managed/gate/open') === null) {} }`),
                timeout: 120_000,
              },
            },
          ],
        },
        'conf/sync.json': { mappings: [MAPPING] },
      },
    });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const rows = async (statement: string, values: unknown[] = []) =>
    (await server.database.pool.query(statement, values)).rows;
  beforeEach(async () => {
    await rows(
      'delete from recon_run; delete from sync_link; delete from sync_state; delete from managed_object',
    );
  });

  const put = async (type: string, id: string, body: object) =>
    expect((await api('PUT', `managed/${type}/${id}`, { body })).status).toBe(201);
  const person = (id: string, more: object = {}) =>
    put('person', id, { login: id, mail: `${id}@Example.com`, status: 'active', ...more });
  const crm = (id: string, more: object = {}) => put('crm', id, { login: id, ...more });
  const link = async (firstId: string, secondId: string) =>
    expect(
      (await api('POST', 'repo/link', { body: { linkType: 'person_crm', firstId, secondId } })).status,
    ).toBe(201);
  const recon = async (parameters = '', body: object = {}) => {
    const path = `recon?_action=recon&mapping=person_crm&waitForCompletion=true${parameters}`;
    const { status, body: answer } = await api('POST', path, { body });
    expect([status, answer.message]).toEqual([200, undefined]);
    return (await api('GET', `recon/${answer._id}`)).body;
  };
  const entries = async (run: JsonObject): Promise<JsonObject[]> =>
    (await api('GET', `recon/${run['_id']}/entry?_queryFilter=true&_sortKeys=phase,sourceId,targetId`)).body
      .result;
  const crms = async () =>
    Object.fromEntries(
      (await rows("select id, data from managed_object where type = 'crm' order by id")).map(
        ({ id, data }) => [id, data],
      ),
    );
  /** What stands in all tables that a plan must not touch. */
  const world = () =>
    rows(`select 'object' as what, type || id || rev as id, data from managed_object union all
          select 'link', id || rev, null from sync_link union all
          select 'state', source_id || delivered_at, null from sync_state union all
          select 'queue', source_id, null from sync_outbox order by 1, 2`);

  /** One pair for each situation that there can be. */
  const makeAll = async () => {
    await person('confirmed');
    await crm('c1', { login: 'confirmed', mail: 'confirmed@example.com' });
    await link('confirmed', 'c1');
    await person('other');
    await crm('c2', { login: 'other', mail: 'old@example.com' });
    await link('other', 'c2');
    await person('absent');
    await person('found');
    await crm('c3', { login: 'found' });
    await person('twice');
    await crm('c4', { login: 'twice' });
    await crm('c5', { login: 'twice' });
    await person('taken', { login: 'confirmed' });
    await person('missing');
    await link('missing', 'c-gone');
    await person('left', { status: 'gone' });
    await crm('c6', { login: 'left' });
    await link('left', 'c6');
    await person('ignored', { status: 'gone' });
    await crm('c7', { login: 'nobody' });
    await crm('c8', { login: 'stranger', kind: 'foreign' });
    await crm('c9', { login: 'orphan' });
    await link('source-gone', 'c9');
    await link('both-gone', 'c-gone-too');
  };

  it('finds the situation of every pair, does what policies say, and takes away last', async () => {
    await makeAll();
    const run = await recon();
    expect(run).toMatchObject({
      mapping: 'person_crm',
      mode: 'apply',
      state: 'SUCCESS',
      stage: 'COMPLETED_SUCCESS',
      stageDescription: 'reconciliation completed',
      progress: {
        source: { existing: { processed: 9, total: '9' } },
        target: { existing: { total: '9' }, created: 1 },
        links: { existing: { processed: 5, total: '6' }, created: 2 },
      },
      situationSummary: {
        SOURCE_MISSING: 1,
        TARGET_IGNORED: 1,
        LINK_ONLY: 1,
        ALL_GONE: 0,
        UNASSIGNED: 3,
        AMBIGUOUS: 1,
        UNQUALIFIED: 1,
        CONFIRMED: 2,
        MISSING: 1,
        ABSENT: 1,
        FOUND: 1,
        FOUND_ALREADY_LINKED: 1,
        SOURCE_IGNORED: 1,
      },
      statusSummary: { SUCCESS: 15, FAILURE: 0 },
      entrySummary: { applied: 7, skipped: 7, counted: 1, failed: 0, planned: 0, changed: 0, listed: 0 },
      parameters: { sourceQuery: { _queryId: 'query-all-ids' }, targetQuery: { _queryId: 'query-all-ids' } },
      error: null,
    });
    const shown = await entries(run);
    const told = shown.map((entry) => [
      entry['sourceId'] ?? `-> ${entry['targetId']}`,
      entry['situation'],
      entry['action'],
      entry['state'],
    ]);
    expect(told).toEqual([
      ['absent', 'ABSENT', 'CREATE', 'applied'],
      ['found', 'FOUND', 'UPDATE', 'applied'],
      ['ignored', 'SOURCE_IGNORED', 'REPORT', 'skipped'],
      ['left', 'UNQUALIFIED', 'DELETE', 'applied'],
      ['missing', 'MISSING', 'CREATE', 'applied'],
      ['other', 'CONFIRMED', 'UPDATE', 'applied'],
      ['taken', 'FOUND_ALREADY_LINKED', 'EXCEPTION', 'skipped'],
      ['twice', 'AMBIGUOUS', 'EXCEPTION', 'skipped'],
      ['both-gone', 'LINK_ONLY', 'UNLINK', 'applied'],
      ['source-gone', 'SOURCE_MISSING', 'DELETE', 'applied'],
      ['-> c4', 'UNASSIGNED', 'REPORT', 'skipped'],
      ['-> c5', 'UNASSIGNED', 'REPORT', 'skipped'],
      ['-> c7', 'UNASSIGNED', 'REPORT', 'skipped'],
      ['-> c8', 'TARGET_IGNORED', 'REPORT', 'skipped'],
    ]);
    expect(shown.find(({ sourceId }) => sourceId === 'other')).toMatchObject({ difference: ['/mail'] });
    expect(Object.keys(await crms())).toHaveLength(9);
    expect(await crms()).toMatchObject({
      c2: { mail: 'other@example.com' },
      c3: { mail: 'found@example.com' },
    });
    const again = await recon();
    expect(again.entrySummary).toMatchObject({ applied: 0, failed: 0, counted: 5 });
  });

  it('leaves nothing but its plan when it only plans, and does just that when somebody approves it', async () => {
    await makeAll();
    const before = await world();
    const rehearsed = await api('POST', 'recon?_action=recon&mapping=person_crm&_dryRun=true', { body: {} });
    expect(rehearsed.status).toBe(200);
    const { _id: id } = rehearsed.body.result;
    const runNow = async () => (await api('GET', `recon/${id}`)).body;
    const planned = await eventually(runNow, ({ state }) => state !== 'ACTIVE');
    expect(planned).toMatchObject({
      mode: 'plan',
      state: 'SUCCESS',
      stageDescription: 'plan completed',
      entrySummary: { planned: 7, skipped: 7, counted: 1, applied: 0 },
    });
    expect(await world()).toEqual(before);
    const report = (await api('GET', `recon/${id}/report`)).body;
    expect(report.attributes).toContainEqual({
      attribute: '/mail',
      action: 'CREATE',
      entries: 2,
      examples: expect.any(Array),
    });
    const removals = await api('GET', `recon/${id}/entry?_queryFilter=takesAway eq true&_sortKeys=sourceId`);
    expect(removals.body.result.map(({ sourceId }: JsonObject) => sourceId)).toEqual([
      'both-gone',
      'left',
      'source-gone',
    ]);

    // What has changed meanwhile is left, and what is excepted.
    await api('PATCH', 'managed/person/other', {
      body: [{ operation: 'replace', field: '/mail', value: 'x@y.z' }],
    });
    await api('PATCH', 'managed/crm/c9', {
      body: [{ operation: 'replace', field: '/mail', value: 'x@y.z' }],
    });
    const [left] = removals.body.result.filter(({ sourceId }: JsonObject) => sourceId === 'left');
    const refused = await api('POST', `recon/${id}?_action=approve&except=4711`, { body: {} });
    expect([refused.status, refused.body.detail.id]).toEqual([400, 'RECON_UNKNOWN_ENTRY']);
    const approved = await api('POST', `recon/${id}?_action=approve&except=${left._id}`, { body: {} });
    expect([approved.status, approved.body]).toEqual([
      200,
      { _id: id, action: 'approve', status: 'SUCCESS' },
    ]);
    const done = await eventually(runNow, ({ state }) => state !== 'ACTIVE');
    expect(done).toMatchObject({
      mode: 'apply',
      state: 'SUCCESS',
      entrySummary: { applied: 4, changed: 2, planned: 0, skipped: 8 },
    });
    const changed = await api('GET', `recon/${id}/entry?_queryFilter=state eq "changed"&_sortKeys=sourceId`);
    expect(changed.body.result.map(({ sourceId }: JsonObject) => sourceId)).toEqual(['other', 'source-gone']);
    expect(await crms()).toMatchObject({ c2: { mail: 'old@example.com' }, c6: { login: 'left' }, c9: {} });
    const nothing = await api('POST', `recon/${id}?_action=approve`, { body: {} });
    expect([nothing.status, nothing.body.detail.id]).toEqual([409, 'RECON_NOTHING_PLANNED']);
  });

  it('takes nothing away when that would be too much, until somebody approves it', async () => {
    await rows(`
      insert into managed_object (type, id, data) select 'crm', 'c' || n, jsonb_build_object('login', 'p' || n)
      from generate_series(1, 30) n;
      insert into sync_link (id, link_type, first_id, second_id, first_key, second_key)
      select 'l' || n, 'person_crm', 'p' || n, 'c' || n, 'p' || n, 'c' || n from generate_series(1, 30) n`);
    await person('new');
    const path = 'recon?_action=recon&mapping=person_crm&waitForCompletion=true';
    const { status, body } = await api('POST', path, { body: {} });
    expect([status, body.detail.id]).toEqual([409, 'RECON_FAILED']);
    expect(body.message).toBe(
      "'person_crm' would take away 30 of 30 targets, which is more than 10 % and more than 20: none was",
    );
    const { run: id } = body.detail;
    const held = (await api('GET', `recon/${id}`)).body;
    expect(held).toMatchObject({
      state: 'FAILED',
      stage: 'COMPLETED_FAILED',
      error: { id: 'SYNC_THRESHOLD' },
      entrySummary: { planned: 30, applied: 1 },
    });
    expect(Object.keys(await crms())).toHaveLength(31);
    await api('POST', `recon/${id}?_action=approve`, { body: {} });
    const runNow = async () => (await api('GET', `recon/${id}`)).body;
    expect(await eventually(runNow, ({ state }) => state !== 'ACTIVE')).toMatchObject({
      state: 'SUCCESS',
      entrySummary: { applied: 31, planned: 0 },
    });
    expect(Object.keys(await crms())).toHaveLength(1);
  });

  it('of sources that are named looks at no others, and at no targets that none has led to', async () => {
    await makeAll();
    const answer = await api(
      'POST',
      'recon?_action=reconById&mapping=person_crm&ids=absent,nobody&waitForCompletion=true',
      {
        body: {},
      },
    );
    expect(answer.body.state).toBe('SUCCESS');
    const run = (await api('GET', `recon/${answer.body._id}`)).body;
    expect(run).toMatchObject({
      progress: {
        source: { existing: { processed: 2, total: '2' } },
        target: { existing: { total: '?' }, created: 1 },
      },
      situationSummary: { ABSENT: 1, ALL_GONE: 1, UNASSIGNED: 0 },
      parameters: { sourceIds: ['absent', 'nobody'] },
    });
    const some = await recon('', {
      sourceQuery: { _queryFilter: 'login eq "found"' },
      runTargetPhase: false,
    });
    expect(some).toMatchObject({
      situationSummary: { FOUND: 1 },
      progress: { source: { existing: { total: '1' } } },
    });
  });

  it('goes on when one of its entries fails, and says which and why', async () => {
    await person('refused');
    await person('taken-in');
    const run = await recon();
    expect(run).toMatchObject({ state: 'SUCCESS', statusSummary: { SUCCESS: 1, FAILURE: 1 } });
    const [entry] = (await entries(run)).filter(({ state }) => state === 'failed');
    expect(entry).toMatchObject({
      sourceId: 'refused',
      situation: 'ABSENT',
      error: { code: 403, message: 'not this one' },
    });
    expect(Object.values(await crms())).toEqual([{ login: 'taken-in', mail: 'taken-in@example.com' }]);
    const audit = await api('GET', `audit/recon?_queryFilter=reconId eq "${run._id}"&_sortKeys=timestamp`);
    expect(audit.body.result.map(({ entryType, status }: JsonObject) => [entryType, status])).toEqual(
      expect.arrayContaining([
        ['start', undefined],
        ['entry', 'SUCCESS'],
        ['entry', 'FAILURE'],
        ['summary', 'SUCCESS'],
      ]),
    );
    await server.observed('recon.ended', ({ run: id }) => id === run._id);
  });

  it('refuses what it cannot do, and changes nothing', async () => {
    await makeAll();
    const before = await world();
    const refusals: [string, object, number, string, RegExp][] = [
      ['recon?_action=recon', {}, 400, 'RECON_BAD_ORDER', /'mapping' is missing/],
      ['recon?_action=recon&mapping=person_cmr', {}, 404, 'SYNC_NO_MAPPING', /no mapping 'person_cmr'/],
      [
        'recon?_action=recon&mapping=person_crm',
        { sourceQuary: {} },
        400,
        'RECON_BAD_ORDER',
        /no 'sourceQuary'/,
      ],
      [
        'recon?_action=recon&mapping=person_crm',
        { sourceQuery: { _queryFilter: 'login eq' } },
        400,
        'RECON_BAD_ORDER',
        /filter is wrong/,
      ],
      ['recon?_action=recon&mapping=person_crm&mode=dry', {}, 400, 'RECON_BAD_ORDER', /no mode 'dry'/],
      [
        'recon?_action=recon&mapping=person_crm',
        { runTargetPhase: 'maybe' },
        400,
        'RECON_BAD_ORDER',
        /neither true nor false/,
      ],
      ['recon?_action=reconById&mapping=person_crm', {}, 400, 'RECON_BAD_ORDER', /names no sources/],
      ['recon?_action=rekon&mapping=person_crm', {}, 400, 'ACTION_UNKNOWN', /rekon/],
    ];
    for (const [path, body, code, id, message] of refusals) {
      const answer = await api('POST', path, { body });
      expect([path, answer.status, answer.body.detail?.id]).toEqual([path, code, id]);
      expect(answer.body.message).toMatch(message);
    }
    for (const id of ['x', '6a0c3a3e-2a2f-4a8e-9d7c-1c1d1e1f1a1b']) {
      expect((await api('GET', `recon/${id}`)).status).toBe(404);
      expect((await api('POST', `recon/${id}?_action=cancel`, { body: {} })).status).toBe(404);
      expect((await api('POST', `recon/${id}?_action=approve`, { body: {} })).status).toBe(404);
      expect((await api('GET', `recon/${id}/entry?_queryFilter=true`)).status).toBe(404);
    }
    expect(await world()).toEqual(before);
    expect((await api('GET', 'recon')).body).toMatchObject({ reconciliations: [] });
  });

  it('is for those alone who are let, each step of it', async () => {
    await person('secret');
    const plan = 'recon?_action=recon&mapping=person_crm&mode=plan&waitForCompletion=true';
    const { _id: id } = (await api('POST', plan, { body: {} })).body;
    const password = 'Passw0rd-of-eve';
    const made = await api('PUT', 'repo/internal/user/eve', {
      body: { password, roles: ['svc-authorized'] },
    });
    expect(made.status).toBe(201);
    const asked: [string, string][] = [
      ['POST', 'recon?_action=recon&mapping=person_crm'],
      ['POST', 'recon?_action=recon&mapping=person_crm&_dryRun=true'],
      ['POST', `recon/${id}?_action=approve`],
      ['POST', `recon/${id}?_action=cancel`],
      ['GET', 'recon'],
      ['GET', `recon/${id}`],
      ['GET', `recon/${id}/entry?_queryFilter=true`],
      ['GET', `recon/${id}/entry/1`],
      ['GET', `recon/${id}/report`],
    ];
    for (const [method, path] of asked) {
      const body = method === 'POST' ? { body: {} } : {};
      const { status } = await api(method, path, { user: 'eve', password, ...body });
      expect([path, status]).toEqual([path, 403]);
    }
    expect(await crms()).toEqual({});
  });

  it('ends when somebody cancels it: what is done stays, and nothing comes after', async () => {
    await person('first');
    await person('waits');
    const { _id: id } = (await api('POST', 'recon?_action=recon&mapping=person_crm', { body: {} })).body;
    const runNow = async () => (await api('GET', `recon/${id}`)).body;
    await eventually(runNow, ({ entrySummary }) => entrySummary.applied === 1);
    const twin = await api('POST', 'recon?_action=recon&mapping=person_crm', { body: {} });
    expect([twin.status, twin.body.detail]).toEqual([
      409,
      expect.objectContaining({ id: 'RECON_UNDER_WAY', run: id }),
    ]);
    const cancelled = await api('POST', `recon/${id}?_action=cancel`, { body: {} });
    expect(cancelled.body).toEqual({ _id: id, action: 'cancel', status: 'SUCCESS' });
    await put('gate', 'open', {});
    await eventually(
      () => rows("select from work_job where queue like 'recon%'"),
      ({ length }) => length === 0,
    );
    expect(await runNow()).toMatchObject({
      state: 'CANCELED',
      stage: 'COMPLETED_CANCELED',
      entrySummary: { applied: 1, listed: 0 },
    });
    expect(Object.values(await crms())).toEqual([{ login: 'first', mail: 'first@example.com' }]);
    const late = await api('POST', `recon/${id}?_action=approve`, { body: {} });
    expect([late.status, late.body.detail.id]).toEqual([409, 'RECON_NOTHING_PLANNED']);
  });

  it('is begun by a schedule', async () => {
    await person('scheduled');
    const putJob = (invokeContext: JsonObject) =>
      api('PUT', 'scheduler/job/nightly', {
        body: { schedule: '0 0 0 1 1 ? 2099', timeZone: 'UTC', invokeService: 'sync', invokeContext },
      });
    const wrong = await putJob({ action: 'recom', mapping: 'person_crm' });
    expect([wrong.status, wrong.body.detail]).toEqual([
      400,
      expect.objectContaining({ hint: "Did you mean 'recon'?" }),
    ]);
    const right = await putJob({ action: 'reconById', mapping: 'person_crm', ids: ['scheduled'] });
    expect(right.status).toBe(201);
    await api('POST', 'scheduler/job/nightly?_action=trigger', { body: {} });
    await eventually(crms, (found) => Object.keys(found).length === 1);
    const { reconciliations } = (await api('GET', 'recon')).body;
    expect(reconciliations).toMatchObject([
      { mapping: 'person_crm', parameters: { sourceIds: ['scheduled'] } },
    ]);
  });

  it('does nothing when the source is empty, which may be a mistake, unless that is said to be none', async () => {
    await crm('c1');
    const path = 'recon?_action=recon&mapping=person_crm&waitForCompletion=true';
    const { status, body } = await api('POST', path, { body: {} });
    expect([status, body.message]).toEqual([
      409,
      "'managed/person' has no objects, so 'person_crm' was not reconciled",
    ]);
    const run = await recon('', { allowEmptySourceSet: true });
    expect(run.situationSummary).toMatchObject({ UNASSIGNED: 1 });
  });
});
