import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const text = { type: 'string' };
const PEOPLE = 60;
const file = (rows: string) => `id,last\n${rows}`;
const people = (last: string) => Array.from({ length: PEOPLE }, (_, n) => `${n + 1},${last}\n`).join('');

describe('the entries of a chunk', () => {
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'conf/managed.json': {
          objects: [{ name: 'staff', schema: { properties: { number: text, sn: text } } }],
        },
        'conf/provisioner.openicf-hr.json': {
          name: 'hr',
          connectorRef: { connectorName: 'org.forgerock.openicf.csvfile.CSVFileConnector' },
          configurationProperties: { csvFile: 'data/hr.csv', headerUid: 'id' },
          objectTypes: { person: { nativeType: '__ACCOUNT__', properties: { id: text, last: text } } },
        },
        'conf/sync.json': {
          mappings: [
            {
              name: 'hr_staff',
              source: 'system/hr/person',
              target: 'managed/staff',
              thresholds: false,
              properties: [
                { source: 'id', target: 'number' },
                { source: 'last', target: 'sn' },
              ],
              policies: [{ situation: 'SOURCE_MISSING', action: 'DELETE' }],
            },
          ],
        },
        'data/hr.csv': file(people('Moe')),
      },
    });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  /** How often the system has been asked for one object, and for what a question finds. */
  const calls = async () => {
    const shown = await (await fetch(`${server.url}/metrics`)).text();
    const of = (operation: string) =>
      [...shown.matchAll(/^svc_system_call_duration_seconds_count\{([^}]*)\} (\d+)$/gm)]
        .filter(([, labels]) => labels?.includes(`operation="${operation}"`) === true)
        .reduce((sum, [, , count]) => sum + Number(count), 0);
    return { single: of('GET'), many: of('SEARCH') };
  };
  const run = async (more: string) => {
    const path = `recon?_action=recon&mapping=hr_staff&waitForCompletion=true${more}`;
    return (await api('POST', path, { body: {} })).body._id;
  };
  const names = async () =>
    (
      await server.database.pool.query(
        "select data->>'sn' as sn, count(*)::int as n from managed_object where type = 'staff' group by 1",
      )
    ).rows;

  it('have their sources in another system read by one question for many of them', async () => {
    const before = await calls();
    await run('');
    expect(await names()).toEqual([{ sn: 'Moe', n: PEOPLE }]);
    await server.project.write('data/hr.csv', file(people('Lie')));
    await run('');
    expect(await names()).toEqual([{ sn: 'Lie', n: PEOPLE }]);
    const after = await calls();
    expect(after.single - before.single).toBe(0);
    expect(after.many).toBeGreaterThan(before.many);
    expect(after.many - before.many).toBeLessThan(PEOPLE / 4);
  });

  it('are read by themselves once what has changed there was followed further', async () => {
    await server.database.pool.query(
      'delete from sync_link; delete from sync_state; delete from managed_object',
    );
    const stage = 'repo/synchronisation/pooledSyncStage/SYSTEMHRPERSON';
    const onCreate = {
      type: 'text/javascript',
      source: `if (source.id === '1') {
        svc.patch('system/hr/person/9', null, [{ operation: 'replace', field: '/last', value: 'new' }]);
        svc.update('${stage}', null, { connectorData: { syncToken: 'further' } });
      }`,
    };
    const { body } = await api('GET', 'config/sync');
    const mappings = [{ ...body.mappings[0], onCreate }];
    expect((await api('PUT', 'config/sync', { body: { mappings } })).status).toBe(200);
    const before = await calls();
    await run('');
    const { rows } = await server.database.pool.query(
      "select data->>'sn' as sn from managed_object where type = 'staff' and data->>'number' = '9'",
    );
    expect(rows).toEqual([{ sn: 'new' }]);
    expect((await calls()).single).toBeGreaterThan(before.single + 1);
  });
});
