import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '#database/index.ts';
import { findLink, insertLink } from '#sync/link-repository.ts';
import { findKnown, listStatesOfTarget, storeState } from '#sync/state-repository.ts';
import { eventually } from '../../support/eventually.ts';
import { createSchemaDatabase } from '../../support/migrated-database.ts';
import type { TestDatabase } from '../../support/postgres.ts';

const PAIRS = 300;
/** Rows that a pair reads: itself, by a few indexes. */
const MOST_READ = 10;

let database: TestDatabase;
beforeAll(async () => {
  database = await createSchemaDatabase();
});
afterAll(() => database?.[Symbol.asyncDispose]());

it('the first pairs of a mapping are found by themselves, though Postgres takes their tables for empty', async () => {
  await withDatabase(async ({ db }) => {
    await sql`alter table sync_link set (autovacuum_enabled = false)`.execute(db);
    await sql`alter table sync_state set (autovacuum_enabled = false)`.execute(db);
    for (let n = 0; n < PAIRS; n++) await pair(db, n);
  });
  const read = async () =>
    withDatabase(async ({ db }) => {
      const { rows } = await sql<{ table: string; writes: number; reads: number }>`
        select relname as table, n_tup_ins::int as writes, (seq_tup_read + idx_tup_fetch)::int as reads
        from pg_stat_user_tables where relname in ('sync_link', 'sync_state') order by 1`.execute(db);
      return rows;
    });
  const rows = await eventually(read, (found) => found.every(({ writes }) => writes === PAIRS));
  expect(rows.map(({ table }) => table)).toEqual(['sync_link', 'sync_state']);
  for (const { reads } of rows) expect(reads).toBeLessThan(PAIRS * MOST_READ);
});

async function pair(db: Database['db'], n: number): Promise<void> {
  const [first, second] = [`p${n}`, `a${n}`].map((id) => ({ id, isCaseSensitive: n % 2 === 0 }));
  if (first === undefined || second === undefined) throw new Error('two ends');
  const of = { linkType: 'account', qualifier: 'default' };
  expect(await findLink(db, { ...of, side: 'first', end: first })).toBeUndefined();
  await insertLink(db, { ...of, id: `l${n}`, first, second });
  expect(await findLink(db, { ...of, side: 'second', end: second })).toMatchObject({ id: `l${n}` });
  const state = { mapping: 'account', qualifier: 'default', source_id: first.id, target_id: second.id };
  expect((await findKnown(db, { ...state, sourceId: first.id })).state).toBeUndefined();
  await storeState(db, {
    ...state,
    situation: 'ABSENT',
    action: 'CREATE',
    outcome: 'delivered',
    error: null,
    assignments: null,
    provenance: null,
    deliveries: null,
    source_rev: '0',
    transaction_id: null,
    mapping_print: null,
  });
  expect(await listStatesOfTarget(db, ['account'], second.id)).toHaveLength(1);
}

async function withDatabase<T>(work: (opened: Database) => Promise<T>): Promise<T> {
  const opened = openDatabase({ url: database.url, poolSize: 1, prepares: true });
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}
