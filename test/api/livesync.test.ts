import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const text = { type: 'string' };
const FILE = 'conf/provisioner.openicf-hr.json';
const HR = {
  name: 'hr',
  connectorRef: { connectorName: 'org.forgerock.openicf.csvfile.CSVFileConnector' },
  configurationProperties: { csvFile: 'data/hr.csv', headerUid: 'id' },
  objectTypes: { person: { nativeType: '__ACCOUNT__', properties: { id: text, last: text } } },
};
const MAPPING = {
  name: 'hr_staff',
  source: 'system/hr/person',
  target: 'managed/staff',
  properties: [
    { source: 'id', target: 'number' },
    {
      source: 'last',
      target: 'sn',
      transform: {
        type: 'text/javascript',
        source: 'if (source === "Bad") throw new Error("not this one"); source',
      },
    },
  ],
  policies: [{ situation: 'SOURCE_MISSING', action: 'DELETE' }],
};
const LIVE = 'system/hr/person?_action=liveSync';
const STAGE = 'repo/synchronisation/pooledSyncStage/SYSTEMHRPERSON';

describe('live synchronisation of a file', () => {
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'conf/managed.json': {
          objects: [{ name: 'staff', schema: { properties: { number: text, sn: text } } }],
        },
        [FILE]: HR,
        'conf/sync.json': { mappings: [MAPPING] },
        'data/hr.csv': 'id,last\n1,Moe\n2,Lie\n',
      },
    });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());
  afterEach(async () => {
    await api('DELETE', STAGE);
  });

  const write = (rows: string) => server.project.write('data/hr.csv', `id,last\n${rows}`);
  const follow = async (more = '') => (await api('POST', `${LIVE}${more}`)).body;
  const staff = async () => {
    const { body } = await api('GET', 'managed/staff?_queryFilter=true&_fields=number,sn');
    return body.result.map(({ number, sn }: Record<string, string>) => `${number} ${sn}`).sort();
  };

  it('begins with what there is, and says so', async () => {
    const said = server.observed('livesync.first');
    const begun = await follow();
    expect(begun).toMatchObject({
      _id: 'SYSTEMHRPERSON',
      connectorData: { nativeType: '__ACCOUNT__', syncToken: expect.any(String) },
      changes: 0,
    });
    expect(await said).toMatchObject({ source: 'system/hr/person' });
    expect(await staff()).toEqual([]);
  });

  it('brings what is made, changed and gone, once', async () => {
    await write('1,Moe\n2,Lie\n');
    await follow();
    await write('1,Moe\n2,Lund\n3,Ito\n');
    expect(await follow()).toMatchObject({ changes: 2, failed: 0 });
    expect(await staff()).toEqual(['2 Lund', '3 Ito']);
    expect(await follow()).toMatchObject({ changes: 0 });
    await write('1,Moe\n3,Ita\n');
    expect(await follow()).toMatchObject({ changes: 2 });
    expect(await staff()).toEqual(['3 Ita']);
    await write('1,Moe\n');
    expect(await follow()).toMatchObject({ changes: 1 });
    expect(await staff()).toEqual([]);
  });

  it('goes on though one fails, which is tried again by itself', async () => {
    await write('1,Moe\n');
    await follow();
    await write('1,Bad\n4,Sky\n');
    expect(await follow()).toMatchObject({ changes: 2, failed: 1 });
    expect(await staff()).toEqual(['4 Sky']);
    const waiting = async () => (await api('GET', 'sync/queue?_queryFilter=sourceId+eq+"1"')).body.result;
    expect(await waiting()).toMatchObject([{ mapping: 'hr_staff', state: 'retrying', attempt: 1 }]);
    await write('1,Good\n4,Sky\n');
    expect(await follow()).toMatchObject({ changes: 1, failed: 0 });
    expect(await waiting()).toEqual([]);
    expect(await staff()).toEqual(['1 Good', '4 Sky']);
    await write('');
    await follow();
  });

  it('takes half a file for none, and no file that has lost most of its rows', async () => {
    const rows = Array.from({ length: 40 }, (_, at) => `p${at},Moe\n`);
    await write(rows.join(''));
    await follow();
    await write(`${rows.join('')}p0,Twice\n`);
    expect(await follow()).toMatchObject({
      code: 500,
      message: expect.stringContaining("Two rows are 'p0'"),
    });
    expect((await api('GET', STAGE)).body.lastException.throwable).toMatchObject({ code: 500 });
    await write('p0,Moe\n');
    expect(await follow()).toMatchObject({ code: 409, detail: { id: 'LIVESYNC_SHRUNK' } });
    await write(rows.join(''));
    expect(await follow()).toMatchObject({ changes: 0 });
    const stage = await api('GET', STAGE);
    expect(stage.body.lastException).toBeUndefined();
  });

  it('shows how far it is where operators look for it, and begins where they say', async () => {
    await follow();
    await write('5,Avo\n');
    expect(await follow('&resetToken=now')).toMatchObject({ changes: 0 });
    expect(await follow()).toMatchObject({ changes: 0 });
    const { body } = await api('GET', STAGE);
    expect(body.connectorData.syncToken).toEqual(expect.any(String));
    const forgotten = await api('PATCH', STAGE, {
      body: [{ operation: 'remove', field: '/connectorData/syncToken' }],
    });
    expect(forgotten.body).toMatchObject({ _id: 'SYSTEMHRPERSON' });
    expect(forgotten.body.connectorData.syncToken).toBeNull();
    const listed = await api('GET', 'repo/synchronisation/pooledSyncStage?_queryFilter=true');
    expect(listed.body.result).toMatchObject([{ _id: 'SYSTEMHRPERSON', type: 'person' }]);
  });

  it('is asked for by the names of the field', async () => {
    await write('6,Mia\n');
    for (const path of [
      'system?_action=liveSync&source=system/hr/person',
      'system/hr?_action=activeSync',
      'system/hr/person?_action=livesync&detailedFailure=true',
    ]) {
      expect((await api('POST', path)).body, path).toMatchObject({ _id: 'SYSTEMHRPERSON' });
    }
    for (const [path, code, id] of [
      ['system?_action=liveSync', 400, 'LIVESYNC_BAD_ORDER'],
      ['system?_action=liveSync&source=managed/user', 400, 'LIVESYNC_BAD_ORDER'],
      ['system/hr?_action=liveSync&source=system/ldap/account', 400, 'LIVESYNC_BAD_ORDER'],
      ['system?_action=liveSync&source=system/rh/person', 404, 'SYSTEM_NOT_FOUND'],
      ['system?_action=liveSync&source=system/hr/persn', 404, 'SYSTEM_NO_TYPE'],
      ['system/hr/person?_action=liveSync&resetToken=never', 400, 'LIVESYNC_BAD_ORDER'],
      ['system/hr/person?_action=liveSync&_dryRun=true', 400, 'LIVESYNC_INSIDE'],
    ] as const) {
      expect((await api('POST', path)).body, path).toMatchObject({ code, detail: { id } });
    }
  });

  it('is done by a schedule', async () => {
    await write('7,Kim\n');
    await follow('&resetToken=now');
    await write('7,Kim\n8,Zoe\n');
    const schedule = {
      schedule: '* * * * * ?',
      type: 'cron',
      enabled: true,
      invokeService: 'provisioner',
      invokeContext: { action: 'liveSync', source: 'system/hr/person' },
    };
    await api('PUT', 'scheduler/job/following', { body: schedule });
    await eventually(staff, (found) => found.includes('8 Zoe'));
    await api('DELETE', 'scheduler/job/following');
    for (const invokeContext of [
      { action: 'liveSnc', source: 'system/hr/person' },
      { source: 'managed/user' },
      {},
    ]) {
      const refused = await api('PUT', 'scheduler/job/wrong', { body: { ...schedule, invokeContext } });
      expect(refused.body, JSON.stringify(invokeContext)).toMatchObject({ code: 400 });
    }
  });
});
