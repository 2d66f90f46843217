import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openDatabase } from '#database/index.ts';
import { jobStore } from '../../../src/scheduler/store/job-store.ts';
import { A, runSite } from '../../support/run-site.ts';

const site = runSite();

it('waits for the disk with the start of a run outside a unit of work, and with no other start or claim', async () => {
  for (const id of ['inside', 'at once']) await site.add(id);
  await site.add('outside', { transactional: false });
  await sql`create table mark (schedule text, waits text)`.execute(site.db);
  await sql`
    create function note_mark() returns trigger language plpgsql as $$ begin
      insert into mark select id, current_setting('synchronous_commit') from scheduler_job where trigger_id = new.trigger_id;
      return null;
    end $$`.execute(site.db);
  await sql`create trigger note_mark after insert or update of started_at on scheduler_run
    for each row when (new.started_at is not null) execute function note_mark()`.execute(site.db);
  const { url } = site.database;
  const lookups = openDatabase({ url });
  const claims = openDatabase({ url, forgets: true });
  const store = jobStore(site.db, { lookups: lookups.db, claims: claims.db });

  const { runs } = await store.claim({ holder: A, limit: 3, startLimit: 3, lookAheadMs: 0, watermark: 0 });
  const begun = runs.flatMap(({ started }) => started?.jobId ?? []);
  const started = await store.start(
    A,
    runs.filter((run) => run.started === undefined),
  );
  await Promise.all([lookups.close(), claims.close()]);

  expect(begun.toSorted()).toEqual(['at once', 'inside']);
  expect(started.map(({ jobId }) => jobId)).toEqual(['outside']);
  const { rows } = await sql`select * from mark order by schedule`.execute(site.db);
  expect(rows).toEqual([
    { schedule: 'at once', waits: 'off' },
    { schedule: 'inside', waits: 'off' },
    { schedule: 'outside', waits: 'on' },
  ]);
});
