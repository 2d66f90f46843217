import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const text = { type: 'string' };
const script = (source: string) => ({ type: 'text/javascript', source });
/** Refuses what the file has not taken, and, after it was written, whatever says so. */
const onSync = script(`
  var failed = syncResults.syncDetails.filter(function (one) { return one.result !== 'SUCCESSFUL'; });
  if (failed.length > 0) throw { code: 409, message: 'Not taken there: ' + failed[0].result };
  var now = newObject || oldObject;
  if (now.veto === request.method) throw { code: 403, message: 'Not after all' };`);

describe('a mapping whose deliveries are attached', () => {
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'conf/managed.json': {
          objects: [{ name: 'staff', onSync, schema: { properties: { login: text, sn: text, veto: text } } }],
        },
        'conf/provisioner.openicf-file.json': {
          name: 'file',
          connectorRef: { connectorName: 'org.forgerock.openicf.csvfile.CSVFileConnector' },
          configurationProperties: { csvFile: 'data/people.csv', headerUid: 'id' },
          objectTypes: { person: { nativeType: '__ACCOUNT__', properties: { id: text, last: text } } },
        },
        'conf/sync.json': {
          mappings: [
            {
              name: 'staff_file',
              source: 'managed/staff',
              target: 'system/file/person',
              delivery: 'attached',
              sourceCondition: '!(/source/sn eq "Nobody")',
              properties: [
                { source: 'login', target: 'id' },
                { source: 'sn', target: 'last' },
              ],
              policies: [{ situation: 'SOURCE_MISSING', action: 'DELETE' }],
            },
          ],
        },
        'data/people.csv': 'id,last\n',
      },
    });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const put = (login: string, others: object = {}, more = '') =>
    api('PUT', `managed/staff/${login}${more}`, { body: { login, sn: 'Moe', ...others } });
  const rows = async (login: string) => {
    const content = await readFile(`${server.project.location}/data/people.csv`, 'utf8');
    return content.split('\n').filter((line) => line.startsWith(`${login},`));
  };
  const undone = (login: string) => server.observed('sync.undone', ({ source }) => source === login);
  const left = async () => {
    const { rows: all } = await server.database.pool.query(
      `select source_id from sync_attached union all select source_id from sync_outbox
       union all select source_id from sync_outside where intent is not null or made_id is not null`,
    );
    return all;
  };

  it('has done it when the change is answered', async () => {
    expect((await put('ida')).status).toBe(201);
    expect(await rows('ida')).toEqual(['ida,Moe']);
    expect((await put('ida', { sn: 'Lie' })).status).toBe(200);
    expect(await rows('ida')).toEqual(['ida,Lie']);
    expect((await api('DELETE', 'managed/staff/ida')).status).toBe(200);
    expect(await rows('ida')).toEqual([]);
    expect(await left()).toEqual([]);
  });

  it('lets a hook refuse what the other system does not take', async () => {
    await server.project.write('data/people.csv', 'id,last\nold,Of somebody else\n');
    const { status, body } = await put('old');
    expect([status, body.message]).toEqual([409, 'Not taken there: FAILED']);
    expect((await api('GET', 'managed/staff/old')).status).toBe(404);
    await eventually(left, ({ length }) => length === 0);
    expect(await rows('old')).toEqual(['old,Of somebody else']);
  });

  it('takes back there what is refused afterwards: what was made, what was changed, what was deleted', async () => {
    expect((await put('new', { veto: 'create' })).status).toBe(403);
    await undone('new');
    await eventually(
      () => rows('new'),
      ({ length }) => length === 0,
    );

    await put('per', { veto: 'update' });
    expect((await put('per', { sn: 'Lie', veto: 'update' })).status).toBe(403);
    expect(await rows('per')).toEqual(['per,Lie']);
    await undone('per');
    await eventually(
      () => rows('per'),
      ([row]) => row === 'per,Moe',
    );

    await put('liv', { veto: 'delete' });
    expect((await api('DELETE', 'managed/staff/liv')).status).toBe(403);
    expect(await rows('liv')).toEqual([]);
    await undone('liv');
    await eventually(
      () => rows('liv'),
      ([row]) => row === 'liv,Moe',
    );
    await eventually(left, ({ length }) => length === 0);
    const links = await api('GET', 'repo/link?_queryFilter=true');
    expect(links.body.result.map(({ firstId }: { firstId: string }) => firstId).sort()).toEqual([
      'liv',
      'per',
    ]);
  });

  it('takes back what was made for somebody who is not to have it', async () => {
    expect((await put('kim', { sn: 'Nobody', veto: 'update' })).status).toBe(201);
    expect((await put('kim', { veto: 'update' })).status).toBe(403);
    expect(await rows('kim')).toEqual(['kim,Moe']);
    await undone('kim');
    await eventually(
      () => rows('kim'),
      ({ length }) => length === 0,
    );
    await eventually(left, ({ length }) => length === 0);
  });

  it('asks for one object several times in one unit of work, and ends as that does', async () => {
    const change = (last: string, veto: string) =>
      script(`svc.create('managed/staff', 'twice${veto}', {login: 'twice${veto}', sn: 'Moe'});
        svc.patch('managed/staff/twice${veto}', null, [{operation: 'replace', field: '/sn', value: '${last}'},
          {operation: 'add', field: '/veto', value: '${veto}'}]);`);
    expect((await api('POST', 'script?_action=eval', { body: change('Lie', '') })).status).toBe(200);
    expect(await rows('twice')).toEqual(['twice,Lie']);
    expect((await api('POST', 'script?_action=eval', { body: change('Lie', 'patch') })).status).toBe(403);
    await undone('twicepatch');
    await eventually(
      () => rows('twicepatch'),
      ({ length }) => length === 0,
    );
    await eventually(left, ({ length }) => length === 0);
  });

  it('asks for nothing in a rehearsal', async () => {
    expect((await put('rex', {}, '?_dryRun=true')).status).toBe(200);
    expect(await rows('rex')).toEqual([]);
    expect(await left()).toEqual([]);
  });

  it('is what a check recommends where a hook would hear of nothing', async () => {
    const { body } = await api('GET', 'config/sync');
    const [mapping] = body.mappings;
    const { status } = await api('PUT', 'config/sync', {
      body: { mappings: [{ ...mapping, delivery: 'queued' }] },
    });
    expect(status).toBe(200);
    await server.observed('config.warned', ({ message }) =>
      /onSync of 'managed\/staff'.*QUEUED/.test(message),
    );
  });
});
