/** What a reconciliation may do before somebody has looked at it. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const script = (source: string) => ({ type: 'text/javascript', source });
const MAPPING = {
  name: 'person_crm',
  source: 'managed/person',
  target: 'managed/crm',
  enableSync: false,
  properties: ['login', 'mail'].map((name) => ({ source: name, target: name })),
  policies: [
    { situation: 'SOURCE_MISSING', action: 'DELETE' },
    { situation: 'LINK_ONLY', action: 'UNLINK' },
    { situation: 'UNASSIGNED', action: 'REPORT' },
  ],
};

describe('the thresholds of a reconciliation', () => {
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'conf/managed.json': {
          objects: [
            { name: 'person' },
            {
              name: 'crm',
              onCreate: script("if (object.login === 'refused') { throw { code: 403, message: 'no' } }"),
            },
          ],
        },
        'conf/sync.json': { mappings: [MAPPING] },
      },
    });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());
  beforeEach(() =>
    rows('delete from recon_run; delete from sync_link; delete from sync_state; delete from managed_object'),
  );

  const rows = async (statement: string, values: unknown[] = []) =>
    (await server.database.pool.query(statement, values)).rows;
  const fill = (type: string, from: number, to: number, mail: string | null = 'a@b.c') =>
    rows(
      `insert into managed_object (type, id, data)
       select $1, $1 || n, jsonb_strip_nulls(jsonb_build_object('login', 'p' || n, 'mail', $4::text)) from generate_series($2::int, $3::int) n`,
      [type, from, to, mail],
    );
  const link = (from: number, to: number) =>
    rows(
      `insert into sync_link (id, link_type, first_id, second_id, first_key, second_key)
       select 'l' || n, 'person_crm', 'person' || n, 'crm' || n, 'person' || n, 'crm' || n from generate_series($1::int, $2::int) n`,
      [from, to],
    );
  const crms = async () => (await rows("select from managed_object where type = 'crm'")).length;
  const runOf = async (id: string): Promise<JsonObject> =>
    eventually(
      async () => (await api('GET', `recon/${id}`)).body,
      ({ state }) => state !== 'ACTIVE',
    );
  const recon = async (body: object = {}) => {
    const answer = await api('POST', 'recon?_action=recon&mapping=person_crm', { body });
    expect([answer.status, answer.body.message]).toEqual([200, undefined]);
    return runOf(answer.body._id);
  };
  const approve = async (id: unknown) => {
    expect((await api('POST', `recon/${id}?_action=approve`, { body: {} })).status).toBe(200);
    return runOf(String(id));
  };
  const few = { percent: 0, atLeast: 3 };

  it.each<[string, () => Promise<unknown>, object, RegExp]>([
    ['create', () => fill('person', 1, 4), { create: few }, /4 of 4 sources would get a new target \(create/],
    [
      'update',
      async () => {
        await fill('person', 1, 4, 'new@b.c');
        await fill('crm', 1, 4);
        await link(1, 4);
      },
      { update: few },
      /4 of 4 targets would be changed/,
    ],
    [
      'clear',
      async () => {
        await fill('person', 1, 4, null);
        await fill('crm', 1, 4);
        await link(1, 4);
      },
      { clear: few },
      /4 of 4 targets would lose \/mail/,
    ],
    [
      'unlink',
      async () => {
        await fill('person', 9, 9);
        await link(1, 4);
      },
      { unlink: few },
      /4 of 4 targets would be unlinked/,
    ],
    [
      'failure',
      async () => {
        await fill('person', 1, 1);
        await rows(
          `insert into managed_object (type, id, data) select 'person', 'r' || n, '{"login": "refused"}' from generate_series(1, 4) n`,
        );
      },
      { failure: few },
      /4 of 5 sources fail/,
    ],
  ])(
    'keep from being done at all what would %s too much, until somebody approves',
    async (_what, make, thresholds, message) => {
      await make();
      const world = () => rows('select type, id, rev, data from managed_object order by 1, 2');
      const before = await world();
      const held = await recon({ thresholds });
      expect(held).toMatchObject({
        mode: 'apply',
        state: 'FAILED',
        error: { id: 'RECON_HELD' },
        entrySummary: { applied: 0 },
      });
      expect(Object(held['error']).message).toMatch(message);
      expect(await world()).toEqual(before);
      const report = (await api('GET', `recon/${held['_id']}/report`)).body;
      expect(report.refusal.message).toMatch(message);
      const planned = Number(Object(held['entrySummary']).planned);
      expect(await approve(held['_id'])).toMatchObject({
        state: 'SUCCESS',
        entrySummary: { planned: 0, applied: planned },
      });
      const enough = { [Object.keys(thresholds)[0] ?? '']: { percent: 0, atLeast: 4 } };
      expect(await recon({ thresholds: enough })).toMatchObject({ state: 'SUCCESS' });
    },
  );

  it('are those of the mapping, and let pass what is within them', async () => {
    await fill('person', 1, 6);
    await fill('crm', 1, 3, 'old@b.c');
    await link(1, 3);
    const thresholds = { create: few, update: few, clear: few, failure: few, unlink: few };
    const body = { mappings: [{ ...MAPPING, thresholds }] };
    expect((await api('PUT', 'config/sync', { body })).status).toBe(200);
    try {
      expect(await recon()).toMatchObject({
        mode: 'apply',
        state: 'SUCCESS',
        entrySummary: { applied: 6, planned: 0, failed: 0 },
      });
      expect(await crms()).toBe(6);
      await fill('person', 7, 10);
      expect(await recon()).toMatchObject({ state: 'FAILED', error: { id: 'RECON_HELD' } });
      expect(await crms()).toBe(6);
      expect(await recon({ thresholds: false })).toMatchObject({ state: 'SUCCESS' });
      expect(await crms()).toBe(10);
    } finally {
      await api('PUT', 'config/sync', { body: { mappings: [MAPPING] } });
    }
  });

  it('hold what takes away when a side has shrunk since the last time', async () => {
    await fill('person', 1, 60);
    expect(await recon()).toMatchObject({ state: 'SUCCESS', entrySummary: { applied: 60 } });
    await rows("delete from managed_object where type = 'person' and id not in ('person1', 'person2')");
    const wide = { delete: { percent: 100 } };
    const held = await recon({ thresholds: wide });
    expect(held).toMatchObject({
      state: 'FAILED',
      error: { id: 'RECON_HELD' },
      entrySummary: { planned: 58 },
    });
    expect(Object(held['error']).message).toMatch(
      /'managed\/person' has 2 objects, and had 60 the last time/,
    );
    expect(await crms()).toBe(60);
    const some = { ...wide, shrink: { percent: 97 } };
    expect(await recon({ thresholds: some })).toMatchObject({
      state: 'SUCCESS',
      entrySummary: { applied: 58 },
    });
    expect(await crms()).toBe(2);
  });

  it.each([7, 'none', { erase: few }, { create: { percent: 101 } }, { create: { percent: 'x' } }])(
    'are refused when they are none: %j',
    async (thresholds) => {
      const { status, body } = await api('POST', 'recon?_action=recon&mapping=person_crm', {
        body: { thresholds },
      });
      expect([status, body.detail.id, body.detail.field]).toEqual([400, 'RECON_BAD_ORDER', '/thresholds']);
      expect(await rows('select from recon_run')).toEqual([]);
    },
  );

  it('have nothing to do with pairs as they should be, of which rows are kept where that is asked for', async () => {
    await fill('person', 1, 3);
    await recon();
    for (const body of [{ persistAssociations: true }, {}]) {
      const run = await recon(body);
      const path = `recon/${run['_id']}/entry?_queryFilter=situation eq "CONFIRMED"&_sortKeys=sourceId&_fields=sourceId,state`;
      const kept = 'persistAssociations' in body;
      expect((await api('GET', path)).body.result).toMatchObject(
        kept ? [1, 2, 3].map((n) => ({ sourceId: `person${n}`, state: 'skipped' })) : [],
      );
      expect(run).toMatchObject({
        situationSummary: { CONFIRMED: 3 },
        entrySummary: { counted: kept ? 0 : 3 },
      });
    }
    expect((await api('GET', 'health/recon')).body).toMatchObject({
      activeThreads: 0,
      activeReconciliations: 0,
    });
  });
});
