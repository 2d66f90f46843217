/** Targets of many sources are found by one query, and are those that each would have been found by itself. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import type { Api } from '../support/api.ts';
import { longOr } from '../support/long.ts';
import { SEED } from '../support/property-seed.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const script = (source: string) => ({ type: 'text/javascript', source });
const NOT_EQUAL = '"!(!(login eq " + JSON.stringify(source.login) + "))"';
/** How a target is found: what is asked together, and the same in words that are asked one by one. */
const ROADS = {
  script: [
    script('({ _queryFilter: "login eq " + JSON.stringify(source.login) })'),
    script(`({ _queryFilter: ${NOT_EQUAL} })`),
  ],
  tree: [
    {
      type: 'text/javascript',
      file: 'ui/correlateTreeToQueryFilter.js',
      expressionTree: { all: ['login'] },
    },
    script(`source.login ? ({ _queryFilter: ${NOT_EQUAL} }) : null`),
  ],
  both: [
    script(
      '({ _queryFilter: "login eq " + JSON.stringify(source.login) + " and kind eq " + JSON.stringify(source.kind) })',
    ),
    script(`({ _queryFilter: ${NOT_EQUAL} + " and kind eq " + JSON.stringify(source.kind) })`),
  ],
} as const;

const login = fc.option(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'A', "o'h", 'ü', ''), {
  nil: undefined,
  freq: 12,
});
const object = fc.record({ login, kind: fc.constantFrom('x', 'y') });
const world = fc.record({
  road: fc.constantFrom('script', 'tree', 'both'),
  isPlan: fc.boolean(),
  sources: fc.array(object, { minLength: 5, maxLength: 14 }),
  targets: fc.array(object, { maxLength: 8 }),
  linked: fc.nat({ max: 3 }),
});

describe('correlation in a reconciliation', () => {
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    const text = { type: 'string' };
    const properties = { login: text, kind: text };
    server = await startTestServer({
      files: {
        'conf/managed.json': {
          objects: [
            { name: 'person', schema: { properties } },
            { name: 'crm', schema: { properties } },
          ],
        },
        'conf/sync.json': { mappings: [] },
      },
    });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const rows = async (statement: string, values: unknown[] = []) =>
    (await server.database.pool.query(statement, values)).rows;
  const clear = () =>
    rows('delete from recon_run; delete from sync_link; delete from sync_state; delete from managed_object');
  const fill = (type: string, objects: readonly object[]) =>
    rows(
      `insert into managed_object (type, id, data)
       select $1, $1 || n, data from jsonb_array_elements($2) with ordinality t (data, n)`,
      [type, JSON.stringify(objects)],
    );
  const setCorrelation = async (correlationQuery: object) => {
    const mapping = {
      name: 'person_crm',
      source: 'managed/person',
      target: 'managed/crm',
      enableSync: false,
      thresholds: false,
      correlationQuery,
      properties: ['login', 'kind'].map((name) => ({ source: name, target: name })),
    };
    expect((await api('PUT', 'config/sync', { body: { mappings: [mapping] } })).status).toBe(200);
  };
  const reconcile = async (mode: string): Promise<JsonObject> => {
    const path = `recon?_action=recon&mapping=person_crm&mode=${mode}&waitForCompletion=true`;
    const { status, body } = await api('POST', path, { body: {} });
    expect(status).toBe(200);
    return (await api('GET', `recon/${body._id}`)).body;
  };
  /** Which of two that are alike comes first is nobody's business. */
  const found = async (run: JsonObject) => {
    const all = await rows(
      `select situation, action, state, e.target_id is null or e.target_id like 'crm%' as known, s.data
       from recon_entry e left join managed_object s on s.type = 'person' and s.id = e.source_id
       where run_id = $1 and state <> 'counted' and phase = 'source'`,
      [run['_id']],
    );
    const targets = await rows("select data from managed_object where type = 'crm'");
    const text = (list: readonly object[]) => list.map((one) => JSON.stringify(one)).sort();
    return { entries: text(all), targets: text(targets), counts: run['situationSummary'] };
  };

  it('finds the same for many at once as for each by itself', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(world, async ({ road, isPlan, sources, targets, linked }) => {
        const outcomes: object[] = [];
        for (const correlation of ROADS[road]) {
          await clear();
          await setCorrelation(correlation);
          await fill('person', sources);
          await fill('crm', targets);
          await rows(
            `insert into sync_link (id, link_type, first_id, second_id, first_key, second_key)
             select 'l' || n, 'person_crm', 'person' || n, 'crm' || n, 'person' || n, 'crm' || n from generate_series(1, $1::int) n`,
            [Math.min(linked, targets.length)],
          );
          // Pairs are as they should be: none of them comes to be like a source that has not been looked at yet.
          await rows(
            `update managed_object t set data = s.data from sync_link l join managed_object s on s.type = 'person' and s.id = l.first_id
             where t.type = 'crm' and t.id = l.second_id`,
          );
          outcomes.push(await found(await reconcile(isPlan ? 'plan' : 'apply')));
        }
        expect(outcomes[0]).toEqual(outcomes[1]);
        for (const [situation, count] of Object.entries(Object(outcomes[0]).counts)) {
          if (Number(count) > 0) seen.add(situation);
        }
      }),
      {
        endOnFailure: true,
        numRuns: Number(process.env['SVC_TEST_RECON_RUNS'] ?? longOr(40, 8)),
        seed: SEED,
      },
    );
    expect([...seen]).toEqual(
      expect.arrayContaining(['ABSENT', 'FOUND', 'FOUND_ALREADY_LINKED', 'AMBIGUOUS']),
    );
  });

  it.each([
    ['plan', 0],
    // What is made is asked for once more.
    ['apply', 50],
  ])('asks for the targets of a hundred sources by one query to %s', async (mode, again) => {
    const people = Array.from({ length: 100 }, (_, n) => ({ login: `p${n}`, kind: 'x' }));
    const filter = {
      pattern: '^managed/crm$',
      methods: ['query'],
      onRequest: script("logger.info('crm was asked')"),
    };
    expect((await api('PUT', 'config/router', { body: { filters: [filter] } })).status).toBe(200);
    const questions: number[] = [];
    for (const correlation of ROADS.script) {
      await clear();
      await setCorrelation(correlation);
      await fill('person', people);
      await fill('crm', people.slice(0, 50));
      const before = asked();
      expect(await reconcile(mode)).toMatchObject({ situationSummary: { FOUND: 50, ABSENT: 50 } });
      questions.push(asked() - before);
    }
    const [together, oneByOne] = questions;
    // What was found is looked for once more before it is linked.
    expect(oneByOne).toBe(100 + again);
    // A batch whose time is up before its end goes on as another, which asks for the rest.
    expect(together).toBeGreaterThanOrEqual(1 + again);
    expect(together).toBeLessThan(10 + again);
  });

  it.each(['apply', 'plan'])('gives a target to neither of two sources that it is like: %s', async (mode) => {
    await api('PUT', 'config/router', { body: { filters: [] } });
    await clear();
    await setCorrelation(ROADS.script[0]);
    await fill(
      'person',
      ['same', 'own', 'same'].map((login) => ({ login, kind: 'x' })),
    );
    await fill(
      'crm',
      ['same', 'own'].map((login) => ({ login, kind: 'x' })),
    );
    const run = await reconcile(mode);
    expect(run).toMatchObject({ situationSummary: { FOUND: 1, AMBIGUOUS: 2, ABSENT: 0 } });
    const { body } = await api('GET', `recon/${run['_id']}/entry?_queryFilter=situation+eq+"AMBIGUOUS"`);
    const message = "'crm1' is like 2 sources: person1, person3";
    expect(body.result).toMatchObject(
      ['person1', 'person3'].map((sourceId) => ({
        sourceId,
        targetId: 'crm1',
        state: 'skipped',
        error: { id: 'RECON_CLAIMED', message },
      })),
    );
    expect(await rows('select first_id, second_id from sync_link')).toEqual(
      mode === 'plan' ? [] : [{ first_id: 'person2', second_id: 'crm2' }],
    );
  });

  const asked = () =>
    server.observations.filter((one) => one.kind === 'script.logged' && one.message === 'crm was asked')
      .length;
});
