import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const script = (source: string) => ({ type: 'text/javascript', source });
const MAPPING = {
  name: 'person_badge',
  source: 'managed/person',
  target: 'managed/badge',
  sourceCondition: '!(/source/status eq "gone")',
  properties: [{ source: 'mail', target: 'mail' }],
  policies: [{ situation: 'SOURCE_MISSING', action: 'DELETE' }],
};
const PEOPLE = 5;
const now = { type: 'string', isVirtual: true, onRetrieve: script('String(Date.now())') };
const TYPES = { objects: [{ name: 'person', schema: { properties: { now } } }, { name: 'badge' }] };

describe('pairs that are as they were', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'conf/managed.json': TYPES,
        'conf/sync.json': { mappings: [MAPPING] },
      },
    });
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const rows = async (statement: string) => (await server.database.pool.query(statement)).rows;
  const map = async (more: object = {}) =>
    expect(
      (await server.api('PUT', 'config/sync', { body: { mappings: [{ ...MAPPING, ...more }] } })).status,
    ).toBe(200);
  beforeEach(async () => {
    await rows(
      'delete from recon_run; delete from recon_print; delete from sync_link; delete from sync_state; delete from managed_object',
    );
    await map();
    for (let n = 1; n <= PEOPLE; n++) {
      await server.api('PUT', `managed/person/p${n}`, { body: { mail: `p${n}@example.com` } });
    }
  });

  /** @returns how many entries there were to be looked at, beside the summary */
  const reconcile = async (): Promise<[number, JsonObject]> => {
    const path = 'recon?_action=recon&mapping=person_badge&waitForCompletion=true';
    const { _id } = (await server.api('POST', path, { body: {} })).body;
    const [{ last_entry: looked }] = await rows(`select last_entry::int from recon_run where id = '${_id}'`);
    return [looked, (await server.api('GET', `recon/${_id}`)).body];
  };

  it('are counted and not looked at, until one of the two objects, the mapping or a type is another one', async () => {
    expect(await reconcile()).toMatchObject([PEOPLE, { situationSummary: { CONFIRMED: PEOPLE } }]);
    expect(await reconcile()).toMatchObject([
      0,
      { situationSummary: { CONFIRMED: PEOPLE }, statusSummary: { SUCCESS: PEOPLE } },
    ]);

    const [{ id: badge }] = await rows("select second_id as id from sync_link where first_id = 'p1'");
    await server.api('PATCH', `managed/badge/${badge}`, {
      body: [{ operation: 'replace', field: '/mail', value: 'x' }],
    });
    expect(await reconcile()).toMatchObject([1, { entrySummary: { applied: 1, counted: PEOPLE - 1 } }]);
    expect((await server.api('GET', `managed/badge/${badge}`)).body.mail).toBe('p1@example.com');
    // What was written is looked at once more.
    expect((await reconcile())[0]).toBe(1);
    expect((await reconcile())[0]).toBe(0);

    await map({
      properties: [
        { source: 'mail', target: 'mail' },
        { source: 'nick', target: 'nick' },
      ],
    });
    expect((await reconcile())[0]).toBe(PEOPLE);
    expect((await reconcile())[0]).toBe(0);
  });

  it('are looked at when an object is made anew, though its revision is the same', async () => {
    await reconcile();
    await rows(`
      delete from managed_object where type = 'badge' and id in (select second_id from sync_link where first_id = 'p2');
      insert into managed_object (type, id, rev, data)
      select 'badge', second_id, 0, '{"mail": "other"}' from sync_link where first_id = 'p2'`);
    expect(await reconcile()).toMatchObject([1, { entrySummary: { applied: 1 } }]);
  });

  it('are counted where scripts have a say that ask nobody but what they are given', async () => {
    await map({
      validSource: script('source.mail !== "nobody"'),
      properties: [
        {
          source: 'mail',
          target: 'mail',
          transform: script('var at = source.indexOf("@"); source.substring(0, at)'),
        },
      ],
    });
    await server.api('PUT', 'config/managed', { body: { objects: [{ name: 'person' }, { name: 'badge' }] } });
    await reconcile();
    await reconcile();
    expect(await reconcile()).toMatchObject([0, { situationSummary: { CONFIRMED: PEOPLE } }]);
    await server.api('PUT', 'config/managed', { body: TYPES });
  });

  it.each([
    [
      'a clock',
      { properties: [{ source: 'mail', target: 'mail', transform: script('source + new Date()') }] },
    ],
    [
      'chance',
      { properties: [{ source: 'mail', target: 'mail', transform: script('source + Math.random()') }] },
    ],
    [
      'what a script asks',
      {
        properties: [
          { source: 'mail', target: 'mail', transform: script('svc.read("managed/person/p1").mail') },
        ],
      },
    ],
    ['the whole object by a script', { validSource: script('source.now !== ""') }],
    ['what is calculated', { properties: [{ source: 'now', target: 'mail' }] }],
    ['a condition of what is calculated', { sourceCondition: '/source/now pr' }],
    ['the whole object', { properties: [{ source: '', target: 'mail' }] }],
  ])('are looked at each time where %s has a say', async (_what, more) => {
    await map(more);
    await reconcile();
    expect((await reconcile())[0]).toBe(PEOPLE);
  });
});
