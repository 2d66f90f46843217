import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const text = { type: 'string' };
const script = (source: string) => ({ type: 'text/javascript', source });
const MANY = 130;
const SYSTEM = {
  name: 'hr',
  connectorRef: { connectorName: 'org.forgerock.openicf.csvfile.CSVFileConnector' },
  configurationProperties: { csvFile: 'data/hr.csv', headerUid: 'id' },
  objectTypes: { person: { nativeType: '__ACCOUNT__', properties: { id: text, mail: text } } },
};
const HR = {
  name: 'hr_person',
  source: 'system/hr/person',
  target: 'managed/person',
  enableSync: false,
  thresholds: false,
  properties: [{ source: 'mail', target: 'mail' }],
  policies: [{ situation: 'SOURCE_MISSING', action: 'DELETE' }],
};
const NOTE = {
  name: 'item_note',
  source: 'managed/item',
  target: 'managed/note',
  properties: [{ source: 'word', target: 'word', transform: script('source.toUpperCase()') }],
};

describe('a mapping with which something is wrong', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'conf/managed.json': { objects: ['person', 'item', 'note'].map((name) => ({ name })) },
        'conf/sync.json': { mappings: [HR, { ...NOTE, enableSync: false }] },
        'conf/provisioner.openicf-hr.json': SYSTEM,
        'data/hr.csv': 'id,mail\n1,a\n2,b\n3,c\n',
        'data/empty.csv': 'id,mail\n9,z\n',
      },
    });
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const rows = async (statement: string) => (await server.database.pool.query(statement)).rows;
  const count = async (statement: string): Promise<number> =>
    (await rows(`select count(*)::int as n from ${statement}`))[0].n;
  const run = async (mapping: string, order: JsonObject = {}) => {
    const { _id } = (await server.api('POST', `recon?_action=recon&mapping=${mapping}`, { body: order }))
      .body;
    return ended(_id);
  };
  const ended = (id: string) =>
    eventually(
      async () => (await server.api('GET', `recon/${id}`)).body,
      ({ state }) => state !== 'ACTIVE',
    );
  const configure = async (part: string, body: object) =>
    expect((await server.api('PUT', `config/${part}`, { body })).status).toBe(200);
  const people = () => count("managed_object where type = 'person'");

  describe('because the file of its system is another one than the last time', () => {
    beforeEach(async () => {
      await rows(
        "delete from recon_run; delete from sync_link; delete from managed_object where type = 'person'",
      );
      await configure('provisioner.openicf/hr', SYSTEM);
      expect(await run('hr_person')).toMatchObject({ state: 'SUCCESS' });
      const configurationProperties = { ...SYSTEM.configurationProperties, csvFile: 'data/empty.csv' };
      await configure('provisioner.openicf/hr', { ...SYSTEM, configurationProperties });
    });

    it('does nothing before somebody has looked at what it would do, and agrees', async () => {
      for (const _ of ['the first time', 'and as often as it is begun']) {
        expect(await run('hr_person')).toMatchObject({
          state: 'FAILED',
          error: { id: 'RECON_SYSTEM_CHANGED' },
          entrySummary: { planned: 4 },
        });
      }
      expect(await people()).toBe(3);
      const [{ id }] = await rows('select id from recon_run order by created_at desc limit 1');
      expect((await server.api('POST', `recon/${id}?_action=approve`)).status).toBe(200);
      expect(await ended(id)).toMatchObject({ state: 'SUCCESS' });
      expect(await people()).toBe(1);
      expect(await run('hr_person')).toMatchObject({ state: 'SUCCESS' });
    });

    it('does it at once where that is what was asked for', async () => {
      expect(await run('hr_person', { force: true })).toMatchObject({ state: 'SUCCESS' });
      expect(await people()).toBe(1);
    });

    it('plans, and takes sources that are named, as ever', async () => {
      const path = 'recon?_action=reconById&mapping=hr_person&ids=9&waitForCompletion=true';
      expect((await server.api('POST', path, { body: {} })).body).toMatchObject({ state: 'SUCCESS' });
      expect(await people()).toBe(4);
    });
  });

  describe('because it fails alike for all', () => {
    beforeEach(async () => {
      await rows(`delete from recon_run; delete from sync_outbox; delete from sync_link; delete from sync_state;
        delete from managed_object where type in ('item', 'note');
        insert into managed_object (type, id, data) select 'item', 'i' || n, '{}' from generate_series(1, ${MANY}) n`);
    });

    it('goes no further in a reconciliation than a hundred entries', async () => {
      await rows(`
        insert into managed_object (type, id, data) select 'item', 'more' || n, '{}' from generate_series(1, 1000) n`);
      const failed = await run('item_note');
      expect(failed).toMatchObject({ state: 'FAILED', error: { id: 'RECON_SAME_ERROR' } });
      expect((failed.entrySummary as JsonObject)['failed']).toBeLessThan(1_000);
    });

    it('goes on in a reconciliation where some do not fail', async () => {
      await rows(
        `update managed_object set data = '{"word": "yes"}' where type = 'item' and id in ('i1', 'i2')`,
      );
      expect(await run('item_note')).toMatchObject({
        state: 'SUCCESS',
        statusSummary: { SUCCESS: 2, FAILURE: MANY - 2 },
      });
    });

    it('waits in the queue with what has not been tried, and goes on when it is mended', async () => {
      await rows(
        `insert into managed_object (type, id, data) select 'item', 'more' || n, '{}' from generate_series(1, 200) n`,
      );
      const alike = server.observed('sync.alike');
      await server.api('POST', 'sync?_action=deliverAll&mapping=item_note', { body: {} });
      expect(await alike).toMatchObject({ mapping: 'item_note' });
      expect(await count('sync_outbox where attempt = 0')).toBeGreaterThan(100);
      await rows(`update managed_object set data = '{"word": "yes"}' where type = 'item';
        update sync_outbox set due_at = clock_timestamp()`);
      await server.api('POST', 'sync?_action=deliverAll&mapping=item_note', { body: {} });
      await eventually(
        () => count("managed_object where type = 'note'"),
        (n) => n === MANY + 200,
      );
    });
  });
});
