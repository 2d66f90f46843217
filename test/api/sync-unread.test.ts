import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { longOr } from '../support/long.ts';
import { SEED } from '../support/property-seed.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const text = { type: 'string' };
const script = (source: string) => ({ type: 'text/javascript', source });
describe('a change of what a mapping does not read', () => {
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'conf/sync.json': { mappings: [] },
        'conf/provisioner.openicf-file.json': {
          name: 'file',
          connectorRef: { connectorName: 'org.forgerock.openicf.csvfile.CSVFileConnector' },
          configurationProperties: { csvFile: 'data/rows.csv', headerUid: 'key' },
          objectTypes: {
            row: { nativeType: '__ACCOUNT__', properties: { key: text, a: text, b: text } },
          },
        },
        'data/rows.csv': 'key,a,b\n',
      },
    });
    api = server.api;
    const types = ['person', 'twin', 'badge', 'copy'].map((name) => ({
      name,
      schema: { properties: { login: text, a: text, b: text, c: text } },
    }));
    const body = types.map((value) => ({ operation: 'add', field: '/objects/-', value }));
    expect((await api('PATCH', 'config/managed', { body })).status).toBe(200);
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const rows = async (statement: string) => (await server.database.pool.query(statement)).rows;
  const map = async (...mappings: object[]) =>
    expect((await api('PUT', 'config/sync', { body: { mappings } })).status).toBe(200);
  const patch = (path: string, field: string, value: unknown) =>
    api('PATCH', path, { body: [{ operation: 'replace', field, value }] });
  /** The number of the last row that the queue has had. */
  const generation = async () => Number((await rows('select last_value from sync_generation'))[0].last_value);
  const isQuiet = () =>
    eventually(
      () => rows('select source_id from sync_outbox'),
      ({ length }) => length === 0,
    );
  it('makes no row of the queue, and one of what it reads makes one', async () => {
    const mapping = {
      name: 'person_row',
      source: 'managed/person',
      target: 'system/file/row',
      sourceCondition: '!(/source/c eq "off")',
      properties: [
        { source: 'login', target: 'key' },
        { source: 'a', target: 'a', transform: script('source && source.toUpperCase()') },
      ],
    };
    await map(mapping);
    await api('PUT', 'managed/person/ida', { body: { login: 'ida', a: 'x' } });
    await isQuiet();
    const before = await generation();
    expect((await patch('managed/person/ida', '/b', 'y')).status).toBe(200);
    expect((await api('PUT', 'managed/person/ida', { body: { login: 'ida', a: 'x', b: 'z' } })).status).toBe(
      200,
    );
    expect(await generation()).toBe(before);

    for (const [field, value] of [
      ['/a', 'w'],
      ['/c', 'on'],
    ] as const) {
      const last = await generation();
      await patch('managed/person/ida', field, value);
      expect(await generation(), field).toBe(last + 1);
      await isQuiet();
    }

    // Another mapping may make something else of it.
    await map({ ...mapping, properties: [...mapping.properties, { target: 'b', default: 'new' }] });
    const last = await generation();
    await patch('managed/person/ida', '/b', 'v');
    expect(await generation()).toBe(last + 1);
    await isQuiet();
    expect((await api('GET', 'system/file/row/ida')).body).toMatchObject({ a: 'W', b: 'new' });
  });

  it('is delivered where a script may look at it, or nobody knows that the target is in line', async () => {
    const strict = {
      name: 'person_row',
      source: 'managed/person',
      target: 'system/file/row',
      properties: [{ source: 'login', target: 'key' }],
    };
    const whole = { onUpdate: script('target.b = source.b') };
    const asking = [
      { source: 'a', target: 'a', transform: script('String(svc.read("managed/person/per").b)') },
    ];
    for (const more of [
      whole,
      { validSource: script('source.b !== "none"') },
      { properties: [...strict.properties, ...asking] },
      { properties: [...strict.properties, { source: '', target: 'b', transform: script('source.b') }] },
      { properties: [...strict.properties, { target: 'b', default: 'd', condition: '/oldSource/a eq "1"' }] },
      { policies: [{ situation: 'CONFIRMED', action: 'UPDATE', postAction: script('1') }] },
    ]) {
      await map({ ...strict, ...more });
      await api('PUT', 'managed/person/per', { body: { login: 'per', a: '1', b: '1' } });
      await isQuiet();
      const last = await generation();
      await patch('managed/person/per', '/b', String(last));
      expect(await generation(), JSON.stringify(more)).toBe(last + 1);
      await isQuiet();
    }
    // It has never been delivered by this one.
    await map({ ...strict, name: 'other_row' });
    const last = await generation();
    await patch('managed/person/per', '/b', 'again');
    expect(await generation()).toBeGreaterThan(last);
    await rows('delete from sync_outbox');
  });

  it('is delivered where it gives or takes assignments, and not where these are as they were', async () => {
    await map({
      name: 'user_row',
      source: 'managed/user',
      target: 'system/file/row',
      properties: [{ source: 'userName', target: 'key' }],
    });
    const attributes = (value: string) => [{ name: 'b', value, assignmentOperation: 'replaceTarget' }];
    const desk = { name: 'desk', description: 'A desk', mapping: 'user_row', attributes: attributes('one') };
    const made = [
      await api('PUT', 'managed/assignment/desk', { body: desk }),
      await api('PUT', 'managed/role/sales', {
        body: { name: 'sales', description: 'Sells', assignments: [{ _ref: 'managed/assignment/desk' }] },
      }),
      await api('PUT', 'managed/user/ann', {
        body: { userName: 'ann', givenName: 'Ann', sn: 'Lie', mail: 'ann@example.com' },
      }),
    ];
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201]);
    const row = async () => (await api('GET', 'system/file/row/ann')).body.b;
    const isTold = async (change: () => Promise<{ status: number }>) => {
      await isQuiet();
      const last = await generation();
      expect((await change()).status).toBe(200);
      const now = await generation();
      await isQuiet();
      return now > last;
    };
    const moves = (city: string) => () => patch('managed/user/ann', '/city', city);
    expect(await isTold(moves('Oslo'))).toBe(false);

    const roles = [{ operation: 'add', field: '/roles/-', value: { _ref: 'managed/role/sales' } }];
    expect(await isTold(() => api('PATCH', 'managed/user/ann', { body: roles }))).toBe(true);
    expect(await row()).toBe('one');
    expect(await isTold(moves('Bern'))).toBe(false);

    expect(await isTold(() => patch('managed/assignment/desk', '/attributes', attributes('two')))).toBe(true);
    expect(await row()).toBe('two');

    // A script of an assignment is told of each delivery.
    await server.project.write('script/desk.js', '1');
    await patch('managed/assignment/desk', '/onAssignment', { type: 'text/javascript', file: 'desk.js' });
    await isQuiet();
    expect(await isTold(moves('Rome'))).toBe(true);
  });

  const name = fc.constantFrom('a', 'b', 'c');
  const id = fc.constantFrom('1', '2', '3');
  const value = fc.constantFrom('x', 'y', 'z', null);
  const property = fc.record({
    source: name,
    target: name,
    how: fc.constantFrom(
      'plain',
      'plain',
      'transform',
      'asks',
      'condition',
      'target',
      'old',
      'whole',
      'default',
    ),
    looksAt: name,
  });
  const mapping = fc.record({
    properties: fc.uniqueArray(property, { selector: ({ target }) => target, maxLength: 3 }),
    condition: fc.option(name, { nil: undefined }),
    hasHook: fc.boolean(),
  });
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.record({ how: fc.constant('patch' as const), id, name, value }) },
    {
      weight: 2,
      arbitrary: fc.record({ how: fc.constant('put' as const), id, a: value, b: value, c: value }),
    },
    { weight: 1, arbitrary: fc.record({ how: fc.constant('delete' as const), id }) },
    { weight: 1, arbitrary: fc.record({ how: fc.constant('map' as const), mapping }) },
  );
  type MappingOf = typeof mapping extends fc.Arbitrary<infer T> ? T : never;

  const written = ({ properties, condition, hasHook }: MappingOf, type: string) => ({
    source: `managed/${type}`,
    ...(condition === undefined ? {} : { sourceCondition: `!(/source/${condition} eq "z")` }),
    properties: [
      { source: 'login', target: 'login' },
      ...properties.map(({ source, target, how, looksAt }) => ({
        source: how === 'whole' ? '' : source,
        target,
        ...(how === 'transform' ? { transform: script('source && source + "!"') } : {}),
        ...(how === 'asks'
          ? {
              transform: script(
                `String((svc.query("managed/${type}", {_queryFilter: 'login eq "1"'}).result[0] || {}).${looksAt})`,
              ),
            }
          : {}),
        ...(how === 'whole' ? { transform: script(`String(source.${looksAt}) + source.a`) } : {}),
        ...(how === 'condition' ? { condition: `/object/${looksAt} eq "x"` } : {}),
        ...(how === 'target' ? { condition: `!(/target/${looksAt} eq "x")` } : {}),
        ...(how === 'old' ? { condition: `!(/oldSource/${looksAt} eq "y")` } : {}),
        ...(how === 'default' ? { default: 'none' } : {}),
      })),
    ],
    ...(hasHook ? { onUpdate: script('target.c = source.b') } : {}),
    policies: [
      { situation: 'SOURCE_MISSING', action: 'DELETE' },
      { situation: 'UNQUALIFIED', action: 'DELETE' },
    ],
  });
  /** The same mapping of twins is told of each change, because of a script that may look at anything. */
  const install = (given: MappingOf) =>
    map(
      { name: 'person_badge', target: 'managed/badge', ...written(given, 'person') },
      {
        name: 'twin_copy',
        target: 'managed/copy',
        ...written(given, 'twin'),
        validSource: script('true'),
      },
    );

  const shown = async (type: string): Promise<readonly JsonObject[]> =>
    (await rows(`select data from managed_object where type = '${type}' order by data->>'login'`)).map(
      ({ data }) => data,
    );

  it('leaves all targets as they would be if it were delivered', async () => {
    let [told, untold] = [0, 0];
    await fc.assert(
      fc.asyncProperty(mapping, fc.array(step, { minLength: 8, maxLength: 16 }), async (first, steps) => {
        await rows(
          'delete from sync_outbox; delete from sync_link; delete from sync_state; delete from managed_object',
        );
        await install(first);
        const begin = ['1', '2', '3'].map((one) => ({
          how: 'put' as const,
          id: one,
          a: 'x',
          b: 'y',
          c: one,
        }));
        for (const one of [...begin, ...steps]) {
          if (one.how === 'map') {
            await install(one.mapping);
            continue;
          }
          for (const type of ['person', 'twin']) {
            const path = `managed/${type}/${one.id}`;
            if (one.how === 'delete') await api('DELETE', path);
            else if (one.how === 'patch') await patch(path, `/${one.name}`, one.value);
            else {
              const { a, b, c } = one;
              await api('PUT', path, { body: { login: one.id, a, b, c } });
            }
          }
        }
        expect(await rows('select * from sync_outbox')).toEqual([]);
        expect(await shown('badge')).toEqual(await shown('copy'));
        untold += 1;
        told += (await shown('copy')).length;
      }),
      { seed: SEED, numRuns: longOr(150, 25) },
    );
    expect(told).toBeGreaterThan(untold / 2);
  });
});
