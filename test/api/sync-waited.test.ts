import { readFile, rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const text = { type: 'string' };
const script = (source: string) => ({ type: 'text/javascript', source });
const file = (name: string) => ({
  name,
  connectorRef: { connectorName: 'org.forgerock.openicf.csvfile.CSVFileConnector' },
  configurationProperties: { csvFile: `data/${name}.csv`, headerUid: 'id' },
  objectTypes: { person: { nativeType: '__ACCOUNT__', properties: { id: text, last: text } } },
});
const mapping = (name: string, more: object) => ({
  name: `staff_${name}`,
  source: 'managed/staff',
  target: `system/${name}/person`,
  properties: [
    { source: 'login', target: 'id' },
    { source: 'sn', target: 'last' },
  ],
  policies: [{ situation: 'SOURCE_MISSING', action: 'DELETE' }],
  ...more,
});

describe('a mapping whose deliveries are waited for', () => {
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'conf/managed.json': {
          objects: [
            {
              name: 'staff',
              schema: { properties: { login: text, sn: text, told: text } },
              onSync: script(
                'if (newObject && newObject.told) { logger.info(syncResults.syncDetails[0].result); }',
              ),
            },
          ],
        },
        'conf/provisioner.openicf-people.json': file('people'),
        'conf/provisioner.openicf-badges.json': file('badges'),
        'conf/sync.json': {
          mappings: [
            mapping('badges', { delivery: { mode: 'waited', after: ['staff_people'] } }),
            mapping('people', { delivery: 'waited' }),
          ],
        },
        'data/people.csv': 'id,last\n',
        'data/badges.csv': 'id,last\n',
      },
    });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const put = (login: string, sn = 'Moe', more = '') =>
    api('PUT', `managed/staff/${login}${more}`, { body: { login, sn } });
  const rows = async (name: string, login: string) => {
    const content = await readFile(`${server.project.location}/data/${name}.csv`, 'utf8');
    return content.split('\n').filter((line) => line.startsWith(`${login},`));
  };
  const queued = async (login: string) => {
    const filter = encodeURIComponent(`sourceId eq "${login}"`);
    return (await api('GET', `sync/queue?_queryFilter=${filter}`)).body.result;
  };

  it('has its targets in line when a change is answered, one after the other', async () => {
    expect((await put('ida')).status).toBe(201);
    expect([await rows('people', 'ida'), await rows('badges', 'ida')]).toEqual([['ida,Moe'], ['ida,Moe']]);
    expect((await put('ida', 'Lie')).status).toBe(200);
    expect([await rows('people', 'ida'), await rows('badges', 'ida')]).toEqual([['ida,Lie'], ['ida,Lie']]);
    expect((await api('DELETE', 'managed/staff/ida')).status).toBe(200);
    expect([await rows('people', 'ida'), await rows('badges', 'ida')]).toEqual([[], []]);
    expect(await queued('ida')).toEqual([]);
  });

  it('tells a rehearsal that it would, and writes nothing', async () => {
    const { body } = await put('zoe', 'Ito', '?_dryRun=true');
    expect(body.effects).toContain('targets in other systems are brought in line');
    expect([await rows('people', 'zoe'), await queued('zoe')]).toEqual([[], []]);
  });

  it('lets the change stand that a target does not take, and tries again', async () => {
    await server.project.write('data/people.csv', 'id,last\nold,Of somebody else\n');
    expect((await put('old')).status).toBe(201);
    expect(await queued('old')).toMatchObject([
      { mapping: 'staff_badges', state: 'waiting' },
      { mapping: 'staff_people', state: 'retrying', attempt: 1 },
    ]);
    expect(await rows('badges', 'old')).toEqual([]);
    await server.database.pool.query('delete from sync_outbox');
  });

  it('answers in the end though a target takes its time, which is then done without anybody who waits', async () => {
    const lock = `${server.project.location}/data/people.csv.lock`;
    await server.project.write('data/people.csv.lock', JSON.stringify({ pid: process.pid }));
    expect((await put('liv')).status).toBe(201);
    expect(await rows('people', 'liv')).toEqual([]);
    await rm(lock, { force: true });
    await eventually(
      () => rows('badges', 'liv'),
      ([row]) => row === 'liv,Moe',
    );
    expect(await rows('people', 'liv')).toEqual(['liv,Moe']);
  });
});
