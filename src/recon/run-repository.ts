import { sql } from 'kysely';
import { type Db, oneRow } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { EntryCount, ReconMode, ReconParameters, ReconRun, ReconState, ReconStep } from './recon-run.ts';

const RUN =
  sql.raw(`id, mapping, print, mode, state, step, parameters, security, transaction_id, sources::float8 as sources,
  targets::float8 as targets, links::float8 as links, lanes, last_lane, last_entry::float8 as last_entry, outcomes, error, created_at,
  started_at, listed_at, targets_at, ended_at`);

export interface NewRun {
  readonly id: string;
  readonly mapping: string;
  readonly print: string;
  readonly mode: ReconMode;
  readonly parameters: ReconParameters;
  readonly firing: string | null;
  readonly security: JsonObject | null;
  readonly transaction_id: string | null;
}

/** @returns false when there is one of the mapping under way */
export async function insertRun(db: Db, run: NewRun): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    insert into recon_run (id, mapping, print, mode, state, parameters, firing, security, transaction_id)
    values (${run.id}, ${run.mapping}, ${run.print}, ${run.mode}, 'ACTIVE', ${JSON.stringify(run.parameters)}::jsonb,
      ${run.firing}, ${JSON.stringify(run.security)}::jsonb, ${run.transaction_id})
    on conflict (mapping) where state = 'ACTIVE' do nothing`.execute(db);
  return numAffectedRows > 0n;
}

export async function findActive(db: Db, mapping: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from recon_run where mapping = ${mapping} and state = 'ACTIVE'`.execute(db);
  return rows[0]?.id;
}

export async function findRunOfFiring(db: Db, firing: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`select id from recon_run where firing = ${firing}`.execute(db);
  return rows[0]?.id;
}

export async function findRun(db: Db, id: string): Promise<ReconRun | undefined> {
  const { rows } = await sql<ReconRun>`select ${RUN} from recon_run where id = ${id}`.execute(db);
  return rows[0];
}

/** Oldest first. */
export async function listRuns(db: Db): Promise<readonly ReconRun[]> {
  const { rows } = await sql<ReconRun>`select ${RUN} from recon_run order by created_at, id`.execute(db);
  return rows;
}

/** Whoever changes what depends on one another in a run (state, step, lanes, chunks) holds this lock first. */
export async function lockRun(db: Db, id: string): Promise<ReconRun | undefined> {
  const { rows } = await sql<ReconRun>`
    select ${RUN} from recon_run where id = ${id} for no key update`.execute(db);
  return rows[0];
}

export interface Listed {
  readonly sources: number;
  readonly targets: number | null;
  readonly links: number;
}

export async function storeListed(db: Db, id: string, { sources, targets, links }: Listed): Promise<void> {
  await sql`
    update recon_run
    set sources = ${sources}, targets = ${targets}, links = ${links}, listed_at = clock_timestamp()
    where id = ${id}`.execute(db);
}

export async function storeStarted(db: Db, id: string): Promise<void> {
  await sql`update recon_run set started_at = coalesce(started_at, clock_timestamp()) where id = ${id}`.execute(
    db,
  );
}

export async function storeStep(
  db: Db,
  id: string,
  { step, lanes, lastEntry }: { step: ReconStep; lanes: number; lastEntry: number },
): Promise<void> {
  await sql`
    update recon_run
    set step = ${step}, lanes = ${lanes}, last_lane = last_lane + ${lanes}, last_entry = ${lastEntry},
        targets_at = case when ${step} = 'target' then clock_timestamp() else targets_at end
    where id = ${id}`.execute(db);
}

export async function dropLane(db: Db, id: string): Promise<void> {
  await sql`update recon_run set lanes = lanes - 1 where id = ${id}`.execute(db);
}

export async function storeEnd(
  db: Db,
  id: string,
  {
    state,
    error,
    outcomes,
  }: {
    state: Exclude<ReconState, 'ACTIVE'>;
    error: JsonObject | null;
    outcomes: readonly EntryCount[];
  },
): Promise<void> {
  await sql`
    update recon_run
    set state = ${state}, error = ${error === null ? null : JSON.stringify(error)}::jsonb, lanes = 0,
        step = case when ${state} = 'SUCCESS' then 'end' else step end, outcomes = ${JSON.stringify(outcomes)}::jsonb,
        started_at = coalesce(started_at, clock_timestamp()), ended_at = clock_timestamp()
    where id = ${id}`.execute(db);
}

/** It goes on, in the name of whoever has approved it. @returns false when another one of the mapping is under way */
export async function reopenRun(
  db: Db,
  id: string,
  { security, transaction_id }: Pick<NewRun, 'security' | 'transaction_id'>,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update recon_run r
    set state = 'ACTIVE', mode = 'apply', step = 'apply', error = null, ended_at = null, outcomes = null,
        security = ${JSON.stringify(security)}::jsonb, transaction_id = ${transaction_id}
    where id = ${id}
      and not exists (select from recon_run o where o.mapping = r.mapping and o.state = 'ACTIVE')`.execute(
    db,
  );
  return numAffectedRows > 0n;
}

/** Removes the records of runs that have ended, but for so many of the newest. */
export async function pruneRuns(db: Db, keep: number): Promise<void> {
  await sql`
    delete from recon_run where id in (
      select id from recon_run where ended_at is not null order by ended_at desc offset ${keep})`.execute(db);
}

/** How many the newest run of the mapping before has found on both sides, which asked the same and went well. */
export async function findListedBefore(
  db: Db,
  { id, mapping, parameters }: Pick<ReconRun, 'id' | 'mapping' | 'parameters'>,
): Promise<{ readonly sources: number | null; readonly targets: number | null } | undefined> {
  const { sourceQuery = null, targetQuery = null } = parameters;
  const { rows } = await sql<{ sources: number | null; targets: number | null }>`
    select sources::float8 as sources, targets::float8 as targets from recon_run
    where mapping = ${mapping} and id <> ${id} and state = 'SUCCESS' and sources is not null
      and parameters->'sourceIds' is null
      and coalesce(parameters->'sourceQuery', 'null') = ${JSON.stringify(sourceQuery)}::jsonb
      and coalesce(parameters->'targetQuery', 'null') = ${JSON.stringify(targetQuery)}::jsonb
    order by ended_at desc limit 1`.execute(db);
  return rows[0];
}

/** The state of the systems' files at the newest run over all objects of the mapping that has done what it found. */
export async function findSystemsBefore(db: Db, mapping: string): Promise<string | undefined> {
  const { rows } = await sql<{ systems: string }>`
    select parameters->>'systems' as systems from recon_run
    where mapping = ${mapping} and state = 'SUCCESS' and mode = 'apply' and parameters->>'systems' is not null
      and parameters->'sourceIds' is null
    order by ended_at desc limit 1`.execute(db);
  return rows[0]?.systems;
}

/** How many runs are under way, and how many lanes they have. */
export async function countActive(db: Db): Promise<{ readonly runs: number; readonly lanes: number }> {
  const { rows } = await sql<{ runs: number; lanes: number }>`
    select count(*)::int as runs, coalesce(sum(lanes), 0)::int as lanes
    from recon_run where state = 'ACTIVE'`.execute(db);
  return oneRow(rows);
}
