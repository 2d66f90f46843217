import fc from 'fast-check';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { eventually } from '../support/eventually.ts';
import { longOr } from '../support/long.ts';
import { createSchemaDatabase } from '../support/migrated-database.ts';
import { type NodeProcess, startNodeProcess } from '../support/node-process.ts';
import type { TestDatabase } from '../support/postgres.ts';
import { createProject, type TestProject } from '../support/project.ts';
import { SEED } from '../support/property-seed.ts';
import '../support/takes-long.ts';

/** `SVC_TEST_WORLDS=50` is the long form. */
const WORLDS = Number(process.env['SVC_TEST_WORLDS'] ?? longOr(10, 1));
const NAMES = ['a', 'b', 'c'] as const;
const text = { type: 'string' };
const script = (source: string) => ({ type: 'text/javascript', source });
/** Leaves a mark for each time a target is made or taken away. */
const marked = (what: string) => script(`svc.create('managed/mark', null, { what: '${what}' });`);

const id = fc.constantFrom('p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7', 'p8');
const value = fc.constantFrom('x', 'y', 'zoë', 'a,b', 'say "so"', null);
const rule = fc.record({
  name: fc.constantFrom(...NAMES),
  how: fc.constantFrom('plain', 'script', 'default', 'condition'),
});
const rules = fc.uniqueArray(rule, { selector: ({ name }) => name, minLength: 1 });
const world = fc.record({
  inside: rules,
  outside: rules,
  hasCondition: fc.boolean(),
  isAttached: fc.boolean(),
  steps: fc.array(
    fc.record({
      id,
      how: fc.constantFrom('put', 'put', 'patch', 'delete', 'target', 'kill', 'recon'),
      content: fc.record({ a: value, b: value, c: value, off: fc.boolean() }),
    }),
    { minLength: 14, maxLength: 24 },
  ),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;
type Rules = World['inside'];

const propertyOf = ({ name, how }: Rules[number]) => ({
  source: name,
  target: name,
  ...(how === 'script' ? { transform: script('source === null ? null : source.toUpperCase()') } : {}),
  ...(how === 'default' ? { default: 'none' } : {}),
  ...(how === 'condition' ? { condition: '/object/off eq false' } : {}),
});

/** What the rules make of a source; a rule whose condition does not hold leaves what is there. */
function computed(given: Rules, source: JsonObject, target: JsonObject): JsonObject {
  const wanted = given.map(({ name, how }): [string, unknown] => {
    const now = source[name] ?? null;
    if (how === 'script') return [name, now === null ? null : String(now).toUpperCase()];
    if (how === 'default') return [name, now ?? 'none'];
    if (how === 'condition' && source['off'] !== false) return [name, target[name] ?? null];
    return [name, now];
  });
  return Object.fromEntries(wanted) as JsonObject;
}

describe('mappings, changes, kills and restarts of any kind', () => {
  let test: TestDatabase;
  let database: Database;
  let project: TestProject;
  let node: NodeProcess | undefined;

  beforeEach(async () => {
    test = await createSchemaDatabase();
    database = openDatabase({ url: test.url, poolSize: 2, applicationName: 'test' });
  });
  afterEach(async () => {
    await node?.[Symbol.asyncDispose]();
    await database.close();
    await project?.[Symbol.asyncDispose]();
    await test[Symbol.asyncDispose]();
  });

  const rows = async <T>(statement: string) => (await sql.raw<T>(statement).execute(database.db)).rows;
  const objects = async (type: string) =>
    new Map(
      (
        await rows<{ id: string; data: JsonObject }>(
          `select id, data from managed_object where type = '${type}'`,
        )
      ).map((row) => [row.id, row.data]),
    );

  async function settle({ inside, outside, hasCondition, isAttached }: World): Promise<void> {
    const base = {
      source: 'managed/person',
      thresholds: false,
      ...(hasCondition ? { sourceCondition: '!(/source/off eq true)' } : {}),
      policies: [
        { situation: 'SOURCE_MISSING', action: 'DELETE' },
        { situation: 'MISSING', action: 'CREATE' },
        { situation: 'LINK_ONLY', action: 'UNLINK' },
      ],
    };
    const key = { source: 'key', target: 'key' };
    project = await createProject({
      'conf/managed.json': {
        objects: [
          { name: 'person' },
          { name: 'badge', onCreate: marked('create'), onDelete: marked('delete') },
          { name: 'mark' },
        ],
      },
      'conf/sync.json': {
        mappings: [
          { ...base, name: 'badges', target: 'managed/badge', properties: [key, ...inside.map(propertyOf)] },
          {
            ...base,
            name: 'rows',
            target: 'system/file/row',
            ...(isAttached ? { delivery: 'attached' } : {}),
            properties: [key, ...outside.map(propertyOf)],
          },
        ],
      },
      'conf/provisioner.openicf-file.json': {
        name: 'file',
        connectorRef: { connectorName: 'org.forgerock.openicf.csvfile.CSVFileConnector' },
        configurationProperties: { csvFile: 'data/rows.csv', headerUid: 'key' },
        objectTypes: {
          row: { nativeType: '__ACCOUNT__', properties: { key: text, a: text, b: text, c: text } },
        },
      },
      'data/rows.csv': 'key,a,b,c\n',
    });
  }

  let started = 0;
  const start = () =>
    startNodeProcess({ name: `n${++started}`, databaseUrl: test.url, project: project.location });

  async function take({ id: of, how, content }: World['steps'][number]): Promise<void> {
    node ??= await start();
    const { api } = node;
    // Who is killed in the middle of it answers nobody.
    const asked = (asking: Promise<unknown>) => asking.catch(() => undefined);
    if (how === 'put') await api('PUT', `managed/person/${of}`, { body: { ...content, key: of } });
    else if (how === 'delete') await api('DELETE', `managed/person/${of}`);
    else if (how === 'patch') {
      await api('PATCH', `managed/person/${of}`, {
        body: [{ operation: 'replace', field: '/b', value: content.b }],
      });
    } else if (how === 'target') {
      const [badge] = [...(await objects('badge'))].find(([, data]) => data['key'] === of) ?? [];
      if (badge !== undefined) await api('DELETE', `managed/badge/${badge}`);
    } else if (how === 'recon') {
      const body = { allowEmptySourceSet: true };
      for (const name of ['badges', 'rows'])
        await api('POST', `recon?_action=recon&mapping=${name}`, { body });
    } else {
      const under = asked(api('PUT', `managed/person/${of}`, { body: { ...content, key: of } }));
      const other = asked(api('DELETE', 'managed/person/p8'));
      node.signal('SIGKILL');
      await Promise.all([node.ended, under, other]);
      node = await start();
    }
  }

  async function reconcile(mapping: string): Promise<JsonObject> {
    node ??= await start();
    const { api } = node;
    return eventually(
      async () => {
        const path = `recon?_action=recon&mapping=${mapping}&waitForCompletion=true`;
        const { body, status } = await api('POST', path, { body: { allowEmptySourceSet: true } });
        return status === 200 ? (await api('GET', `recon/${body._id}`)).body : { state: 'OTHER' };
      },
      ({ state }) => state === 'SUCCESS',
    );
  }

  async function check({ inside, outside, hasCondition }: World): Promise<void> {
    const quiet = `select source_id as what from sync_outbox union all select source_id from sync_attached
      union all select id::text from recon_run where state = 'ACTIVE'`;
    await eventually(
      () => rows(quiet),
      ({ length }) => length === 0,
    );
    // What somebody has deleted of the targets is brought back by a reconciliation alone.
    await reconcile('badges');
    await reconcile('rows');
    const people = [...(await objects('person'))].filter(
      ([, data]) => !(hasCondition && data['off'] === true),
    );
    const keys = people.map(([key]) => key).sort();
    const links = await rows<{ link_type: string; first_id: string; second_id: string }>(
      'select link_type, first_id, second_id from sync_link',
    );
    const listed: JsonObject[] =
      (await node?.api('GET', 'system/file/row?_queryFilter=true'))?.body.result ?? [];
    const found = {
      badges: [await objects('badge'), inside] as const,
      rows: [new Map(listed.map((one) => [String(one['_id']), one])), outside] as const,
    };
    for (const [name, [targets, given]] of Object.entries(found)) {
      const own = links.filter(({ link_type }) => link_type === name);
      expect([name, own.map(({ first_id }) => first_id).sort()]).toEqual([name, keys]);
      expect([name, own.map(({ second_id }) => second_id).sort()]).toEqual([
        name,
        [...targets.keys()].sort(),
      ]);
      for (const [key, source] of people) {
        const target = targets.get(own.find(({ first_id }) => first_id === key)?.second_id ?? '') ?? {};
        const is = Object.fromEntries(given.map(({ name: one }) => [one, target[one] ?? null]));
        expect([name, key, target['key'], is]).toEqual([name, key, key, computed(given, source, target)]);
      }
    }
    const marks = [...(await objects('mark')).values()].map(({ what }) => what);
    const made = marks.filter((what) => what === 'create').length;
    expect(made - marks.filter((what) => what === 'delete').length).toBe(keys.length);
    expect(await rows('select from sync_outside where intent is not null')).toEqual([]);
    for (const name of ['badges', 'rows']) {
      expect(await reconcile(name)).toMatchObject({ entrySummary: { applied: 0, failed: 0 } });
    }
  }

  const worlds = fc.sample(world, { numRuns: WORLDS, seed: SEED });
  it.each(worlds.map((given, at) => [at, given] as const))(
    'end with each target as its source says, linked to it alone, and nothing done twice (%i)',
    async (_at, given) => {
      await settle(given);
      node = await start();
      for (const step of given.steps) await take(step);
      await take({ id: 'p1', how: 'kill', content: { a: 'x', b: 'y', c: null, off: false } });
      await check(given);
    },
  );
});
