import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { SecurityContext } from '#resource/index.ts';
import type { StoredDefinition } from './scan-definition.ts';
import type { ScanRun, ScanState, ScanView } from './scan-run.ts';

const RUN = sql`id, name, state, definition as stored, security, cookie, paged, total, lanes, last_lane as "lastLane",
                last_slice as "lastSlice",
                operation, bytes::float8 as bytes,
                coalesce(transaction_id, id::text) as transaction`;

export interface NewScanRun {
  readonly id: string;
  readonly name: string | null;
  readonly firing: string | null;
  readonly stored: StoredDefinition;
  readonly security: SecurityContext;
  readonly transaction: string;
  /** The run whose failed objects it tries again. */
  readonly retryOf?: string;
}

export async function insertRun(db: Db, run: NewScanRun): Promise<void> {
  await sql`
    insert into scan_run (id, name, firing, state, definition, security, transaction_id, retry_of)
    values (${run.id}, ${run.name}, ${run.firing}, 'INITIALIZED', ${JSON.stringify(run.stored)}::jsonb,
            ${JSON.stringify(run.security)}::jsonb, ${run.transaction}, ${run.retryOf ?? null})`.execute(db);
}

export async function findRunOfFiring(db: Db, firing: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`select id from scan_run where firing = ${firing}`.execute(db);
  return rows[0]?.id;
}

/** The run that tries again what failed in another. */
export async function findRetryOf(db: Db, id: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`select id from scan_run where retry_of = ${id}`.execute(db);
  return rows[0]?.id;
}

export async function findRun(db: Db, id: string): Promise<ScanRun | undefined> {
  const { rows } = await sql<ScanRun>`select ${RUN} from scan_run where id = ${id}`.execute(db);
  return rows[0];
}

/** Whoever changes what depends on one another in a run (state, lanes, pages, free slices) holds this lock first. */
export async function lockRun(db: Db, id: string): Promise<ScanRun | undefined> {
  const { rows } = await sql<ScanRun>`select ${RUN} from scan_run where id = ${id} for update`.execute(db);
  return rows[0];
}

/** Notes how far the query has been read, and the lanes that are there for it. */
export async function recordPage(
  db: Db,
  id: string,
  page: Pick<ScanRun, 'cookie' | 'paged' | 'total' | 'lanes' | 'lastLane' | 'lastSlice'>,
): Promise<void> {
  await sql`
    update scan_run
    set cookie = ${page.cookie}, paged = ${page.paged}, total = ${page.total}, lanes = ${page.lanes},
        last_lane = ${page.lastLane}, last_slice = ${page.lastSlice}, state = 'ACTIVE',
        started_at = coalesce(started_at, clock_timestamp())
    where id = ${id}`.execute(db);
}

export async function dropLane(db: Db, id: string): Promise<void> {
  await sql`update scan_run set lanes = lanes - 1 where id = ${id}`.execute(db);
}

export async function endRun(
  db: Db,
  id: string,
  state: Extract<ScanState, 'COMPLETED' | 'CANCELLED' | 'ERROR'>,
  error: JsonObject | null = null,
): Promise<void> {
  await sql`
    update scan_run
    set state = ${state}, ended_at = clock_timestamp(), started_at = coalesce(started_at, clock_timestamp()),
        error = ${error === null ? null : JSON.stringify(error)}::jsonb
    where id = ${id}`.execute(db);
}

/** Removes the records of runs that have ended, but for so many of the newest. */
export async function pruneRuns(db: Db, keep: number): Promise<void> {
  await sql`
    delete from scan_run where id in (
      select id from scan_run where ended_at is not null and operation is null order by ended_at desc offset ${keep})`.execute(
    db,
  );
}

export async function listViews(db: Db): Promise<ScanView[]> {
  const { rows } = await sql<ScanView>`
    select * from svc_scan_run order by coalesce(started_at, created_at), run_id`.execute(db);
  return rows;
}

export async function findView(db: Db, id: string): Promise<ScanView | undefined> {
  const { rows } = await sql<ScanView>`select * from svc_scan_run where run_id = ${id}`.execute(db);
  return rows[0];
}
