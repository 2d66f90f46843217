import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import { eventually } from '../support/eventually.ts';
import { longOr } from '../support/long.ts';
import { SEED } from '../support/property-seed.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const RUNS = Number(process.env['SVC_TEST_RECON_RUNS'] ?? longOr(40, 8));
const PROPERTIES = ['a', 'b', 'c'] as const;

const value = fc.option(fc.constantFrom('x', 'y', 'z', "o'hara", 'ü'), { nil: undefined });
const content = fc.record({ a: value, b: value, c: value, off: fc.boolean() }, { requiredKeys: ['off'] });
const id = fc.constantFrom('1', '2', '3', '4', '5', '6', '7', '8');
const world = fc.record({
  mapped: fc.subarray([...PROPERTIES], { minLength: 1 }),
  hasCondition: fc.boolean(),
  enableSync: fc.boolean(),
  onUnqualified: fc.constantFrom('DELETE', 'UNLINK'),
  sources: fc.uniqueArray(fc.record({ id, content }), { selector: (one) => one.id, minLength: 1 }),
  /** Those whose key is that of a source are found by it. */
  targets: fc.uniqueArray(fc.record({ key: id, content }), { selector: (one) => one.key }),
  /** Whether either end is there or not. */
  linked: fc.subarray(['1', '2', '3', '4', '5', '6', '7', '8']),
  changes: fc.array(fc.record({ id, how: fc.constantFrom('put', 'delete', 'target', 'kill'), content }), {
    maxLength: 6,
  }),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

describe('reconciliations of whatever there is', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'conf/managed.json': { objects: [{ name: 'person' }, { name: 'badge' }] },
        'conf/sync.json': { mappings: [] },
      },
    });
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const rows = async (statement: string, values: unknown[] = []) =>
    (await server.database.pool.query(statement, values)).rows;
  const dataOf = async (type: string): Promise<Map<string, JsonObject>> =>
    new Map(
      (await rows('select id, data from managed_object where type = $1', [type])).map((row) => [
        row.id,
        row.data,
      ]),
    );

  async function make({ mapped, hasCondition, enableSync, onUnqualified, sources, targets, linked }: World) {
    await rows(
      'delete from recon_run; delete from sync_link; delete from sync_state; delete from sync_outbox; delete from managed_object',
    );
    const mapping = {
      name: 'person_badge',
      source: 'managed/person',
      target: 'managed/badge',
      enableSync,
      thresholds: false,
      ...(hasCondition ? { sourceCondition: '!(/source/off eq true)' } : {}),
      correlationQuery: {
        type: 'text/javascript',
        source: '({ _queryFilter: "key eq " + JSON.stringify(source.key) })',
      },
      properties: [...mapped, 'key'].map((name) => ({ source: name, target: name })),
      policies: [
        { situation: 'SOURCE_MISSING', action: 'DELETE' },
        { situation: 'MISSING', action: 'CREATE' },
        { situation: 'LINK_ONLY', action: 'UNLINK' },
        { situation: 'UNASSIGNED', action: 'REPORT' },
        { situation: 'UNQUALIFIED', action: onUnqualified },
      ],
    };
    expect((await server.api('PUT', 'config/sync', { body: { mappings: [mapping] } })).status).toBe(200);
    for (const one of sources) {
      await rows("insert into managed_object (type, id, data) values ('person', $1, $2)", [
        one.id,
        { ...one.content, key: one.id },
      ]);
    }
    for (const one of targets) {
      await rows("insert into managed_object (type, id, data) values ('badge', $1, $2)", [
        `t${one.key}`,
        { ...one.content, key: one.key, own: 'stays' },
      ]);
    }
    await rows(
      `insert into sync_link (id, link_type, first_id, second_id, first_key, second_key)
       select 'l' || id, 'person_badge', id, 't' || id, id, 't' || id from unnest($1::text[]) id`,
      [linked],
    );
  }

  async function change({ id: of, how, content: data }: World['changes'][number]) {
    if (how === 'put') await server.api('PUT', `managed/person/${of}`, { body: { ...data, key: of } });
    else if (how === 'delete') await server.api('DELETE', `managed/person/${of}`);
    else if (how === 'target')
      await server.api('PATCH', `managed/badge/t${of}`, {
        body: [{ operation: 'replace', field: '/a', value: 'w' }],
      });
    // Whoever works on an entry loses what it has not stored.
    else
      await rows(`select pg_terminate_backend(pid) from pg_stat_activity
      where pid <> pg_backend_pid() and datname = current_database() and query like '%recon_entry%' and xact_start is not null limit 1`);
  }

  const reconcile = async (during: World['changes'] = []): Promise<JsonObject> => {
    const { body } = await server.api('POST', 'recon?_action=recon&mapping=person_badge', {
      body: { allowEmptySourceSet: true },
    });
    for (const one of during) await change(one);
    return eventually(
      async () => (await server.api('GET', `recon/${body._id}`)).body,
      ({ state }) => state !== 'ACTIVE',
    );
  };

  it('end with each target as its source says, and one link for each pair', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (given) => {
        await make(given);
        expect(await reconcile(given.changes)).toMatchObject({ state: 'SUCCESS' });
        await eventually(
          () => rows('select from work_job'),
          ({ length }) => length === 0,
        );
        // What changed while the first was under way is for the second.
        expect(await reconcile()).toMatchObject({
          state: 'SUCCESS',
          entrySummary: { changed: 0, failed: 0 },
        });
        const [sources, targets] = [await dataOf('person'), await dataOf('badge')];
        const links = await rows(
          "select first_id, second_id from sync_link where link_type = 'person_badge'",
        );
        const valid = [...sources].filter(([, data]) => !(given.hasCondition && data['off'] === true));
        expect(links.map(({ first_id }) => first_id).sort()).toEqual(valid.map(([key]) => key).sort());
        expect(new Set(links.map(({ second_id }) => second_id)).size).toBe(links.length);
        for (const [key, source] of valid) {
          const target = targets.get(links.find(({ first_id }) => first_id === key)?.second_id);
          for (const name of [...given.mapped, 'key']) {
            expect([key, name, target?.[name] ?? null]).toEqual([key, name, source[name] ?? null]);
          }
        }
        const third = await reconcile();
        expect(third).toMatchObject({
          state: 'SUCCESS',
          entrySummary: { applied: 0, failed: 0, changed: 0 },
        });
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });
});
