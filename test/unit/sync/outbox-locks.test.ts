import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, type Db, runUnitOfWork } from '#database/index.ts';
import { releaseHeld } from '../../../src/sync/held-repository.ts';
import { dropGivenUp, putAllInOutbox, putOffs, reviveDead } from '../../../src/sync/outbox-repository.ts';
import { eventually } from '../../support/eventually.ts';
import { createMigratedDatabase } from '../../support/migrated-database.ts';

const IDS = Array.from({ length: 26 }, (_, n) => String.fromCharCode(97 + n));
const MIDDLE = 'm';
const nobody = { transaction_id: null, security: null };
const all = { mapping: 'm_n', sourceId: null };
const rowOf = (source_id: string) => ({ mapping: 'm_n', source_id, old_value: null, cause: nobody });
const linkType = {
  name: 'm_n',
  isReversed: false,
  firstCaseSensitive: true,
  secondCaseSensitive: true,
};
const mapping = { name: 'm_n', source: 'managed/m', linkType };

/** Rows of the outbox lie in the table from the last to the first, as a statement without an order finds them. */
describe('writers of many rows of the outbox', () => {
  let database: Database & AsyncDisposable;
  beforeAll(async () => {
    database = await createMigratedDatabase();
    await sql`insert into managed_object (type, id, data)
      select 'm', id, '{}' from unnest(${IDS}::text[]) id order by id desc`.execute(database.db);
  });
  beforeEach(async () => {
    await sql`truncate sync_outbox`.execute(database.db);
    await sql`insert into sync_outbox (mapping, source_id, is_dead, is_held, is_cautious)
      select 'm_n', id, true, true, true from unnest(${IDS}::text[]) id order by id desc`.execute(
      database.db,
    );
  });
  afterAll(() => database?.[Symbol.asyncDispose]());

  const waiting = async (): Promise<number> =>
    (
      await sql<{ n: number }>`
        select count(*)::int as n from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(database.db)
    ).rows[0]?.n ?? 0;

  const putOff = (ids: readonly string[]) =>
    runUnitOfWork(database, { attempts: 1 }, async (unitOfWork) => {
      await unitOfWork.db();
      unitOfWork.writeAtCommit(putOffs, ids.map(rowOf));
    });
  const write = (statement: (db: Db) => Promise<unknown>) =>
    runUnitOfWork(database, { attempts: 1 }, async (unitOfWork) => {
      await statement(await unitOfWork.db());
    });

  it.each<[string, () => Promise<void>]>([
    ['changes that are put off from the last to the first', () => putOff(IDS.toReversed())],
    ['a delivery of all', () => write((db) => putAllInOutbox(db, mapping as never, nobody))],
    ['what is tried again', () => write((db) => reviveDead(db, all))],
    ['what is dropped', () => write((db) => dropGivenUp(db, all))],
    ['what is approved', () => write((db) => releaseHeld(db, 'm_n'))],
  ])(
    'wait for one another, and not in a circle: %s, and changes from the first to the last',
    async (_what, other) => {
      const holder = await database.startTransaction(0);
      await sql`select from sync_outbox where source_id = ${MIDDLE} for update`.execute(holder);
      const first = putOff(IDS);
      await eventually(waiting, (count) => count === 1);
      const second = other();
      await eventually(waiting, (count) => count === 2);
      await holder.rollback().execute();
      database.endTransaction(holder);
      await expect(Promise.allSettled([first, second])).resolves.toMatchObject([
        { status: 'fulfilled' },
        { status: 'fulfilled' },
      ]);
    },
  );
});
