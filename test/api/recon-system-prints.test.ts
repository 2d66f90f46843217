import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const text = { type: 'string' };
const script = (source: string) => ({ type: 'text/javascript', source });
const MAPPING = {
  name: 'hr_person',
  source: 'system/hr/person',
  target: 'managed/person',
  enableSync: false,
  properties: [
    { source: 'id', target: 'number' },
    { source: 'mail', target: 'mail', transform: script('source.toLowerCase()') },
  ],
  policies: [{ situation: 'SOURCE_MISSING', action: 'DELETE' }],
};
const PEOPLE = 6;
const file = (mails: readonly string[]) =>
  `id,mail,room\n${mails.map((mail, n) => `${n},${mail},7\n`).join('')}`;
const MAILS = Array.from({ length: PEOPLE }, (_, n) => `P${n}@Example.com`);

describe('pairs with another system that are as they were', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'conf/managed.json': { objects: [{ name: 'person' }] },
        'conf/sync.json': { mappings: [MAPPING] },
        'conf/provisioner.openicf-hr.json': {
          name: 'hr',
          connectorRef: { connectorName: 'org.forgerock.openicf.csvfile.CSVFileConnector' },
          configurationProperties: { csvFile: 'data/hr.csv', headerUid: 'id' },
          objectTypes: {
            person: {
              nativeType: '__ACCOUNT__',
              properties: { id: text, mail: text, room: { ...text, flags: ['NOT_RETURNED_BY_DEFAULT'] } },
            },
          },
        },
        'data/hr.csv': file(MAILS),
      },
    });
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  /** @returns how many entries there were to be looked at, beside the summary */
  const reconcile = async (): Promise<[number, JsonObject]> => {
    const path = 'recon?_action=recon&mapping=hr_person&waitForCompletion=true';
    const { _id } = (await server.api('POST', path, { body: {} })).body;
    const { rows } = await server.database.pool.query('select last_entry::int from recon_run where id = $1', [
      _id,
    ]);
    return [rows[0]?.last_entry, (await server.api('GET', `recon/${_id}`)).body];
  };
  const mailOf = async (number: string) => {
    const path = `managed/person?_queryFilter=number%20eq%20"${number}"`;
    return (await server.api('GET', path)).body.result[0];
  };

  it('are counted by what both sides show, and looked at when either shows anything else', async () => {
    expect(await reconcile()).toMatchObject([PEOPLE, { situationSummary: { ABSENT: PEOPLE } }]);
    expect((await reconcile())[0]).toBe(PEOPLE);
    expect(await reconcile()).toMatchObject([
      0,
      { situationSummary: { CONFIRMED: PEOPLE }, statusSummary: { SUCCESS: PEOPLE } },
    ]);

    await server.project.write('data/hr.csv', file(MAILS.with(2, 'New@Example.com')));
    expect(await reconcile()).toMatchObject([1, { entrySummary: { applied: 1, counted: PEOPLE - 1 } }]);
    expect(await mailOf('2')).toMatchObject({ mail: 'new@example.com' });
    expect((await reconcile())[0]).toBe(1);
    expect((await reconcile())[0]).toBe(0);

    const { _id } = await mailOf('3');
    await server.api('PATCH', `managed/person/${_id}`, {
      body: [{ operation: 'replace', field: '/mail', value: 'x' }],
    });
    expect(await reconcile()).toMatchObject([1, { entrySummary: { applied: 1 } }]);
    expect(await mailOf('3')).toMatchObject({ mail: 'p3@example.com' });

    await server.project.write('data/hr.csv', file(MAILS.with(2, 'New@Example.com').slice(0, -1)));
    expect(await reconcile()).toMatchObject([2, { situationSummary: { SOURCE_MISSING: 1 } }]);
    expect(await mailOf(String(PEOPLE - 1))).toBeUndefined();
  });

  it('are looked at each time where the mapping reads what is not shown by default', async () => {
    const properties = [...MAPPING.properties, { source: 'room', target: 'room' }];
    await server.api('PUT', 'config/sync', { body: { mappings: [{ ...MAPPING, properties }] } });
    await reconcile();
    await reconcile();
    expect((await reconcile())[0]).toBe(PEOPLE - 1);
  });

  it('have revisions in a listing that asks for them', async () => {
    const [listed] = (await server.api('GET', 'system/hr/person?_queryFilter=true&_fields=*,_rev')).body
      .result;
    expect(listed).toEqual((await server.api('GET', `system/hr/person/${listed._id}`)).body);
  });
});
