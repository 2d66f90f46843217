import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const text = { type: 'string' };
const system = (name: string, type: string, properties: object) => ({
  name,
  connectorRef: { connectorName: 'org.forgerock.openicf.csvfile.CSVFileConnector' },
  configurationProperties: { csvFile: `data/${name}.csv`, headerUid: 'id' },
  objectTypes: { [type]: { nativeType: '__ACCOUNT__', properties: { id: text, ...properties } } },
});
const byId = (name: string) => ({
  type: 'text/javascript',
  source: `({_queryFilter: "${name} eq " + JSON.stringify(source.${name === 'id' ? 'number' : 'id'})})`,
});

describe('mappings between files of others and managed objects', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'conf/managed.json': {
          objects: [{ name: 'staff', schema: { properties: { number: text, sn: text } } }],
        },
        'conf/provisioner.openicf-hr.json': system('hr', 'person', { last: text }),
        'conf/provisioner.openicf-badges.json': system('badges', 'badge', { name: text }),
        'conf/sync.json': {
          mappings: [
            {
              name: 'hr_staff',
              source: 'system/hr/person',
              target: 'managed/staff',
              correlationQuery: byId('number'),
              properties: [
                { source: 'id', target: 'number' },
                { source: 'last', target: 'sn' },
              ],
              policies: [{ situation: 'SOURCE_MISSING', action: 'DELETE' }],
            },
            {
              name: 'staff_badges',
              source: 'managed/staff',
              target: 'system/badges/badge',
              correlationQuery: byId('id'),
              properties: [
                { source: 'number', target: 'id' },
                { source: 'sn', target: 'name' },
              ],
              policies: [
                { situation: 'SOURCE_MISSING', action: 'DELETE' },
                { situation: 'MISSING', action: 'CREATE' },
              ],
            },
          ],
        },
        'data/hr.csv': 'id,last\n1,Moe\n2,Lie\n',
        'data/badges.csv': 'id,name\n2,former\n',
      },
    });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const reconcile = async (mapping: string, more = '') => {
    const path = `recon?_action=recon&mapping=${mapping}&waitForCompletion=true${more}`;
    const { body } = await api('POST', path, { body: {} });
    return body;
  };
  const badges = () => readFile(join(server.project.location, 'data/badges.csv'), 'utf8');
  const badgesAre = (rows: string) =>
    eventually(
      async () => (await badges()).trim().split('\n').slice(1).sort().join('\n'),
      (found) => found === rows,
    );

  it('are planned without a change', async () => {
    const plan = await reconcile('hr_staff', '&mode=plan');
    const entries = await api('GET', `recon/${plan._id}/entry?_queryFilter=true`);
    expect(entries.body.result).toMatchObject([
      { sourceId: '1', situation: 'ABSENT', action: 'CREATE' },
      { sourceId: '2', situation: 'ABSENT', action: 'CREATE' },
    ]);
    expect((await api('GET', 'managed/staff?_queryFilter=true')).body.result).toEqual([]);
  });

  it('bring what is in one file into another, by way of what is inside', async () => {
    await reconcile('hr_staff');
    const { body } = await api('GET', 'managed/staff?_queryFilter=true&_fields=number,sn&_sortKeys=number');
    expect(body.result).toMatchObject([
      { number: '1', sn: 'Moe' },
      { number: '2', sn: 'Lie' },
    ]);
    await badgesAre('1,Moe\n2,Lie');
  });

  it('plan nothing into a file of others either', async () => {
    const before = await badges();
    await server.project.write('data/badges.csv', 'id,name\n1,changed\n3,stranger\n');
    const plan = await reconcile('staff_badges', '&mode=plan');
    const entries = await api('GET', `recon/${plan._id}/entry?_queryFilter=true&_fields=situation,action`);
    expect(entries.body.result.map((one: { situation: string }) => one.situation).sort()).toContain(
      'CONFIRMED',
    );
    expect(await badges()).toBe('id,name\n1,changed\n3,stranger\n');
    await server.project.write('data/badges.csv', before);
  });

  it('take away what is gone at its source', async () => {
    await server.project.write('data/hr.csv', 'id,last\n1,Moe\n');
    await reconcile('hr_staff');
    await badgesAre('1,Moe');
  });

  it('bring back what a restored file has lost', async () => {
    const now = await badges();
    await server.project.write('data/badges.csv', 'id,name\n');
    expect(await reconcile('staff_badges')).toMatchObject({ state: 'SUCCESS' });
    // Those that are linked and gone: the policy of the mapping says what becomes of them.
    await badgesAre('1,Moe');
    expect((await badges()).trim()).toBe(now.trim());
  });

  it('wait while a column is gone that they write, and count no failure', async () => {
    const now = await badges();
    await server.project.write('data/badges.csv', now.replace('id,name', 'id,title'));
    const { rows: staff } = await server.database.pool.query(
      "select id from managed_object where type = 'staff' and data->>'number' = '1'",
    );
    const change = [{ operation: 'replace', field: '/sn', value: 'Moen' }];
    expect((await api('PATCH', `managed/staff/${staff[0].id}`, { body: change })).status).toBe(200);
    const waiting = await eventually(
      async () => (await api('GET', 'sync/queue?_queryFilter=true')).body.result,
      ([row]) => row?.error !== null && row?.error !== undefined,
    );
    expect(waiting).toMatchObject([
      {
        state: 'waiting',
        attempt: 0,
        error: { id: 'SYSTEM_MISCONFIGURED', message: "badges: There is no column 'name'" },
      },
    ]);
    await server.project.write('data/badges.csv', now);
    await badgesAre('1,Moen');
  });

  it('refuse to deliver all of what is not inside', async () => {
    const { body } = await api('POST', 'sync?_action=deliverAll&mapping=hr_staff');
    expect(body).toMatchObject({
      code: 400,
      detail: { hint: expect.stringContaining('recon?_action=recon') },
    });
  });
});
