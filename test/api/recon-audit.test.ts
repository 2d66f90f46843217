import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const PEOPLE = 5;
const LOCK = 471100;

describe('a reconciliation', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'conf/managed.json': { objects: [{ name: 'person' }, { name: 'badge' }] },
        'conf/sync.json': {
          mappings: [
            {
              name: 'person_badge',
              source: 'managed/person',
              target: 'managed/badge',
              enableSync: false,
              properties: [{ source: 'mail', target: 'mail' }],
            },
          ],
        },
      },
    });
    for (let n = 1; n <= PEOPLE; n++) {
      await server.api('PUT', `managed/person/p${n}`, { body: { mail: `p${n}@example.com` } });
    }
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const rows = async (statement: string) => (await server.database.pool.query(statement)).rows;
  const count = async (statement: string): Promise<number> =>
    (await rows(`select count(*)::int as n from ${statement}`))[0].n;
  const begin = async (): Promise<string> =>
    (await server.api('POST', 'recon?_action=recon&mapping=person_badge', { body: {} })).body._id;
  const ended = async (id: string) =>
    eventually(
      async () => (await server.api('GET', `recon/${id}`)).body,
      ({ state }) => state !== 'ACTIVE',
    );
  const badges = () => count("managed_object where type = 'badge'");
  const told = () => count("audit_event where topic = 'recon' and event ->> 'entryType' = 'entry'");
  beforeEach(() =>
    rows(`delete from recon_run; delete from recon_print; delete from sync_link; delete from sync_state;
      delete from managed_object where type = 'badge'`),
  );

  /** What an entry of the audit meets on its way: only those that a reconciliation writes of its entries. */
  const meet = (what: string) =>
    rows(`
      create or replace function met() returns trigger language plpgsql as $$ begin
        if new.event ->> 'entryType' = 'entry' then ${what} end if; return new; end $$;
      create or replace trigger met before insert on audit_event for each row execute function met()`);

  it('waits for an audit that is slow, and does each entry once with what tells of it', async () => {
    const before = await told();
    await meet(`perform pg_advisory_xact_lock_shared(${LOCK});`);
    const holder = await server.database.pool.connect();
    try {
      await holder.query(`select pg_advisory_lock(${LOCK})`);
      const id = await begin();
      await eventually(
        () => count(`pg_locks where not granted and locktype = 'advisory' and objid = ${LOCK}`),
        (n) => n > 0,
      );
      expect(await badges()).toBe(0);
      await holder.query(`select pg_advisory_unlock(${LOCK})`);
      expect(await ended(id)).toMatchObject({ state: 'SUCCESS', statusSummary: { FAILURE: 0 } });
    } finally {
      holder.release();
    }
    expect([await badges(), (await told()) - before]).toEqual([PEOPLE, PEOPLE]);
  });

  it('does nothing of which the audit cannot be told, and goes on when it can', async () => {
    const before = await told();
    // What is counted so is not rolled back.
    await rows('create sequence tried');
    await meet(`if new.event ->> 'sourceObjectId' like '%p3' then
      perform nextval('tried'); raise exception 'could not extend file: No space left on device' using errcode = '53100'; end if;`);
    const id = await begin();
    await eventually(
      () => count('tried where is_called'),
      (n) => n > 0,
    );
    expect(await badges()).toBe((await told()) - before);
    await rows('drop trigger met on audit_event');
    expect(await ended(id)).toMatchObject({ state: 'SUCCESS', statusSummary: { FAILURE: 0 } });
    expect([await badges(), (await told()) - before]).toEqual([PEOPLE, PEOPLE]);
  });
});
