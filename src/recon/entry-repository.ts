import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { instantColumn, type QueryTable, queryTable, type TablePage, textColumn } from '#repo/index.ts';
import { plainQuery, type QueryRequest } from '#resource/index.ts';
import { linkedIds, type Mapping } from '#sync/index.ts';
import type { Chunk } from './chunk-repository.ts';
import type { EntryCount, EntryState, ReconEntry, ReconState } from './recon-run.ts';

const ENTRY =
  sql.raw(`number::float8 as number, phase, qualifier, source_id, target_id, ambiguous, situation, action, state,
  takes_away, difference, source_rev, target_rev, error, attempt`);

/** The entries of a chunk about which something is still to be done. */
export async function listOpen(
  db: Db,
  run: string,
  { low, high }: Chunk,
  which: { readonly state: 'listed' | 'planned'; readonly takesAway: boolean },
): Promise<readonly ReconEntry[]> {
  const { rows } = await sql<ReconEntry>`
    select ${ENTRY} from recon_entry
    where run_id = ${run} and number between ${low} and ${high} and state = ${which.state}
      and takes_away = ${which.takesAway}
    order by number`.execute(db);
  return rows;
}

/** Sources of a chunk that are not linked, and still to be looked at. */
export async function listUnlinked(
  db: Db,
  run: string,
  mapping: Mapping,
  { qualifier, low, high, state }: Pick<Chunk, 'low' | 'high'> & Pick<ReconEntry, 'qualifier' | 'state'>,
): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select e.source_id as id from recon_entry e
    left join ${linkedIds(mapping, qualifier)} l on l.source_id = e.source_id and ${mapping.enableLinking}
    where e.run_id = ${run} and e.number between ${low} and ${high} and e.qualifier = ${qualifier}
      and e.state = ${state} and e.phase = 'source' and l.source_id is null
    order by e.number`.execute(db);
  return rows.map(({ id }) => id);
}

export interface EntryResult
  extends Omit<ReconEntry, 'phase' | 'qualifier' | 'source_id' | 'ambiguous' | 'difference' | 'attempt'> {
  readonly ambiguous: readonly string[];
  readonly difference: readonly string[] | null;
  /** Undefined: as it was. */
  readonly cleared?: readonly string[];
}

/** Whether the run is still under way; nothing is done any more for a run that has ended. */
function isActive(run: string): RawBuilder<boolean> {
  return sql`exists (select from recon_run where id = ${run} and state = 'ACTIVE')`;
}

/**
 * Writes down what has come of an entry, in the transaction that does it.
 *
 * @returns the state of the run; undefined where somebody else has done it, or the run has ended
 */
export async function storeEntry(
  db: Db,
  run: string,
  before: EntryState,
  { number, ...result }: EntryResult,
): Promise<ReconState | undefined> {
  const {
    target_id,
    ambiguous,
    situation,
    action,
    state,
    takes_away,
    difference,
    error,
    cleared = [],
  } = result;
  const { rows } = await sql<{ state: ReconState }>`
    update recon_entry e
    set target_id = ${target_id}, situation = ${situation}, action = ${action}, state = ${state},
        ambiguous = ${ambiguous.length === 0 ? null : JSON.stringify(ambiguous)}::jsonb, takes_away = ${takes_away},
        difference = ${difference === null ? null : JSON.stringify(difference)}::jsonb,
        cleared = ${cleared.length === 0 ? null : JSON.stringify(cleared)}::jsonb,
        source_rev = ${result.source_rev}, target_rev = ${result.target_rev},
        error = ${error === null ? null : JSON.stringify(error)}::jsonb, done_at = clock_timestamp()
    where run_id = ${run} and number = ${number} and state = ${before} and ${isActive(run)}
    returning (select state from recon_run r where r.id = e.run_id) as state`.execute(db);
  return rows[0]?.state;
}

/** The same of one about which there was nothing to do: it is counted, and goes. */
export async function dropEntry(
  db: Db,
  run: string,
  before: EntryState,
  { number, situation, action, target_id, source_rev, target_rev }: EntryResult,
): Promise<ReconState | undefined> {
  const { rows } = await sql<{ state: ReconState }>`
    update recon_entry e set state = 'counted', situation = ${situation}, action = ${action}, target_id = ${target_id},
      source_rev = ${source_rev}, target_rev = ${target_rev}
    where run_id = ${run} and number = ${number} and state = ${before} and ${isActive(run)}
    returning (select state from recon_run r where r.id = e.run_id) as state`.execute(db);
  return rows[0]?.state;
}

/** Counts what was dropped of a chunk, or of the whole run, and removes it. */
export async function foldDropped(db: Db, run: string, chunk: Chunk | null): Promise<void> {
  const part = chunk === null ? sql`true` : sql`number between ${chunk.low} and ${chunk.high}`;
  await sql`
    with gone as (
      delete from recon_entry where run_id = ${run} and ${part} and state = 'counted'
      returning phase, coalesce(situation, '') as situation, coalesce(action, '') as action)
    insert into recon_count as c (run_id, phase, situation, action, entries)
    select ${run}::uuid, phase, situation, action, count(*) from gone group by phase, situation, action
    order by phase, situation, action
    on conflict (run_id, phase, situation, action) do update set entries = c.entries + excluded.entries`.execute(
    db,
  );
}

/**
 * What all entries of a chunk that are done have failed with, numbers in its words aside; undefined where they have not, or are fewer than
 * `least`.
 */
export async function findSameError(
  db: Db,
  run: string,
  { low, high }: Chunk,
  waiting: EntryState,
  least: number,
): Promise<string | undefined> {
  const { rows } = await sql<{ words: string }>`
    select min(error ->> 'message') as words from recon_entry
    where run_id = ${run} and number between ${low} and ${high} and state <> ${waiting}
    having count(*) >= ${least} and bool_and(state = 'failed')
      and count(distinct regexp_replace(concat(error ->> 'id', ' ', error ->> 'message'), '\\d+', 'n', 'g')) = 1`.execute(
    db,
  );
  return rows[0]?.words;
}

/** Counts that it is begun, where something may have ended whoever did it. @returns how often it was */
export async function beginEntry(db: Db, run: string, number: number): Promise<number> {
  const { rows } = await sql<{ attempt: number }>`
    update recon_entry set attempt = attempt + 1
    where run_id = ${run} and number = ${number} returning attempt`.execute(db);
  return rows[0]?.attempt ?? 0;
}

/** What has come of all entries of a run, and how many of them are still to be looked at. */
export async function countEntries(db: Db, run: string): Promise<readonly EntryCount[]> {
  const { rows } = await sql<EntryCount>`
    select phase, situation, action, state, takes_away,
           count(*)::float8 as entries
    from recon_entry where run_id = ${run} group by 1, 2, 3, 4, 5
    union all
    select phase, nullif(situation, ''), nullif(action, ''), 'counted', false, entries::float8
    from recon_count where run_id = ${run}
    order by 1, 2, 3, 4`.execute(db);
  return rows;
}

export async function hasPlanned(db: Db, run: string): Promise<boolean> {
  const { rows } = await sql`
    select from recon_entry where run_id = ${run} and state = 'planned' limit 1`.execute(db);
  return rows.length > 0;
}

/** They are left out of what is approved. @returns how many of them had been planned */
export async function skipPlanned(db: Db, run: string, numbers: readonly number[]): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update recon_entry set state = 'skipped', done_at = clock_timestamp()
    where run_id = ${run} and state = 'planned' and number = any(${sql.val(numbers)}::bigint[])`.execute(db);
  return Number(numAffectedRows);
}

/**
 * A target that is like several sources belongs to none of them: which of them came first says nothing.
 *
 * @param error whose message is told with the names of the target and of its sources
 */
export async function refuseClaims(db: Db, run: string, error: JsonObject): Promise<void> {
  const isClaim = sql`run_id = ${run} and phase = 'source' and state = 'planned' and situation = 'FOUND' and not takes_away`;
  await sql`
    with claims as (
      select qualifier, target_id, count(*) as n, (array_agg(source_id order by source_id))[1:5] as sources
      from recon_entry where ${isClaim} group by qualifier, target_id having count(*) > 1
    ), claimed as (
      select number, c.* from recon_entry e join claims c using (qualifier, target_id) where ${isClaim})
    update recon_entry e
    set situation = 'AMBIGUOUS', action = 'EXCEPTION', state = 'skipped', difference = null, cleared = null,
      done_at = clock_timestamp(), error = ${JSON.stringify(error)}::jsonb || jsonb_build_object(
        'message', format('''%s'' is like %s sources: %s', c.target_id, c.n, array_to_string(c.sources, ', ')))
    from claimed c where e.run_id = ${run} and e.number = c.number`.execute(db);
}

/** Nobody looks at them any more. */
export async function removeListed(db: Db, run: string): Promise<void> {
  await sql`delete from recon_entry where run_id = ${run} and state = 'listed'`.execute(db);
}

/** @param most of them at a time. @returns how many there were, of runs that ended longer ago */
export async function pruneEntries(db: Db, keepDays: number, most: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from recon_entry where ctid = any(array(
      select e.ctid from recon_run r join recon_entry e on e.run_id = r.id
      where r.ended_at < clock_timestamp() - ${keepDays} * interval '1 day' limit ${most}))`.execute(db);
  return Number(numAffectedRows);
}

/** An entry as it is shown. */
export type ShownEntry = ReconEntry & { readonly done_at: Date | null };

const TABLE: QueryTable = {
  columns: new Map([
    ['_id', { expression: sql`number`, type: 'number' as const, notNull: true }],
    ['phase', textColumn('phase')],
    ['linkQualifier', textColumn('qualifier')],
    ['sourceId', textColumn('source_id', false)],
    ['targetId', textColumn('target_id', false)],
    ['situation', textColumn('situation', false)],
    ['action', textColumn('action', false)],
    ['state', textColumn('state')],
    ['takesAway', { expression: sql`takes_away`, type: 'boolean' as const, notNull: true }],
    ['doneAt', instantColumn('done_at')],
  ]),
};

export function queryEntries(db: Db, run: string, request: QueryRequest): Promise<TablePage<ShownEntry>> {
  const source = {
    table: TABLE,
    select: sql`${ENTRY}, done_at`,
    from: sql`recon_entry`,
    where: [sql<boolean>`run_id = ${run}`, sql<boolean>`state <> 'counted'`],
  };
  return queryTable<ShownEntry>(db, request, source, plainQuery(request));
}

export async function findEntry(db: Db, run: string, number: number): Promise<ShownEntry | undefined> {
  const { rows } = await sql<ShownEntry>`
    select ${ENTRY}, done_at from recon_entry
    where run_id = ${run} and number = ${number} and state <> 'counted'`.execute(db);
  return rows[0];
}

/** The attribute that most targets would lose. */
export async function mostCleared(
  db: Db,
  run: string,
): Promise<{ readonly attribute: string; readonly entries: number } | undefined> {
  const { rows } = await sql<{ attribute: string; entries: number }>`
    select attribute, count(*)::float8 as entries
    from recon_entry, jsonb_array_elements_text(cleared) attribute
    where run_id = ${run} and state = 'planned' and cleared is not null
    group by 1 order by 2 desc, 1 limit 1`.execute(db);
  return rows[0];
}

/** The attributes that an action writes, how often it writes each, and a few of the entries of each. */
export async function countAttributes(
  db: Db,
  run: string,
  examples: number,
): Promise<readonly { attribute: string; action: string; entries: number; examples: readonly number[] }[]> {
  const { rows } = await sql<{ attribute: string; action: string; entries: number; examples: number[] }>`
    select attribute, action, count(*)::float8 as entries, to_json((array_agg(number order by number))[1:${sql.lit(examples)}]) as examples
    from recon_entry, jsonb_array_elements_text(difference) attribute
    where run_id = ${run} and difference is not null and state in ('planned', 'applied', 'changed', 'skipped')
    group by 1, 2 order by 3 desc, 1, 2 limit 1000`.execute(db);
  return rows;
}
