import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import { parsePath } from '#resource/index.ts';
import type { Provenance } from './map-properties.ts';
import type { DeliveryNote } from './written-by.ts';

/** What came of the last delivery of a source object. */
export interface StateRow {
  readonly mapping: string;
  readonly qualifier: string;
  readonly source_id: string;
  readonly target_id: string | null;
  readonly situation: string | null;
  readonly action: string | null;
  readonly outcome: 'delivered' | 'failed';
  readonly error: JsonObject | null;
  /** The assignments that were in effect when the target was written last. */
  readonly assignments: JsonValue;
  readonly provenance: Provenance | null;
  readonly deliveries: readonly DeliveryNote[] | null;
  readonly source_rev: string | null;
  readonly transaction_id: string | null;
  /** The mapping that has delivered it, as a print, where what that reads is known. */
  readonly mapping_print: string | null;
  readonly delivered_at: Date;
}

export type NewState = Omit<StateRow, 'delivered_at'>;

const COLUMNS = sql.raw(
  'mapping, qualifier, source_id, target_id, situation, action, outcome, error, assignments, provenance, deliveries, source_rev, transaction_id, mapping_print, delivered_at',
);

/** What is known of a source object, and of the queue. */
export interface Known {
  /** What came of its last delivery; undefined where there was none. */
  readonly state: StateRow | undefined;
  /** The stamp of the source (`stampOf`); undefined where there is none, or nobody has asked for it. */
  readonly stamp: string | undefined;
  /** Whether any delivery waits for an object that was not there. */
  readonly hasWaiting: boolean;
}

/** @param collection of the source whose stamp is asked for */
export async function findKnown(
  db: Db,
  { mapping, qualifier, sourceId }: { mapping: string; qualifier: string; sourceId: string },
  collection: string | null = null,
): Promise<Known> {
  const { rows } = await sql<Partial<StateRow> & { stamp: string | null; has_waiting: boolean }>`
    select ${COLUMNS}, ${collection === null ? sql`null` : stampOf(collection, sourceId)} as stamp,
      exists (select from sync_outbox where waits_for is not null) as has_waiting
    from (values (true)) asked (once)
    left join sync_state on mapping = ${mapping} and qualifier = ${qualifier} and source_id = ${sourceId}`.execute(
    db,
  );
  const [row] = rows;
  return {
    state: row !== undefined && isState(row) ? row : undefined,
    stamp: row?.stamp ?? undefined,
    hasWaiting: row?.has_waiting === true,
  };
}

/**
 * What tells that nobody has brought a newer state of a source to its targets: the revision of a managed object; of another system, how far
 * what has changed there was followed.
 */
function stampOf(collection: string, sourceId: string): RawBuilder<unknown> {
  const [set, name = '', type = ''] = parsePath(collection);
  return set === 'managed'
    ? sql`(select rev::text from managed_object where type = ${name} and id = ${sourceId})`
    : sql`coalesce((select rev::text from sync_token where system = ${name} and object_type = ${type}), '')`;
}

/** The stamp of all sources of another system, as it is before they are read. */
export async function findStamp(db: Db, collection: string): Promise<string> {
  const { rows } = await sql<{ stamp: string }>`select ${stampOf(collection, '')} as stamp`.execute(db);
  return rows[0]?.stamp ?? '';
}

function isState(row: Partial<StateRow>): row is StateRow {
  return (row.mapping ?? null) !== null;
}

/** The states of one source object, or of several, by mapping and qualifier. */
export async function listStates(
  db: Db,
  mappings: readonly string[],
  sourceIds: readonly string[],
): Promise<readonly StateRow[]> {
  const { rows } = await sql<StateRow>`
    select ${COLUMNS} from sync_state
    where mapping = any(${sql.val(mappings)}::text[]) and source_id = any(${sql.val(sourceIds)}::text[])
    order by mapping, qualifier, source_id`.execute(db);
  return rows;
}

/**
 * Whether the targets of a source object, for all of the qualifiers, are what the mapping of this print has made of them when it was asked
 * last, and nothing is to be done about it yet.
 */
export async function isInLine(
  db: Db,
  { mapping, qualifiers, sourceId, print }: Deliveries & { readonly print: string },
): Promise<boolean> {
  const { rows } = await sql<{ is_in_line: boolean }>`
    select count(*) = ${qualifiers.length} and not exists (
      select from sync_outbox where mapping = ${mapping} and source_id = ${sourceId}) as is_in_line
    from sync_state
    where mapping = ${mapping} and source_id = ${sourceId} and qualifier = any(${sql.val(qualifiers)}::text[])
      and outcome = 'delivered' and action in ('CREATE', 'UPDATE', 'LINK') and target_id is not null
      and mapping_print = ${print}`.execute(db);
  return rows[0]?.is_in_line === true;
}

interface Deliveries {
  readonly mapping: string;
  readonly qualifiers: readonly string[];
  readonly sourceId: string;
}

/** The states whose target the object is. */
export async function listStatesOfTarget(
  db: Db,
  mappings: readonly string[],
  targetId: string,
): Promise<readonly StateRow[]> {
  const { rows } = await sql<StateRow>`
    select ${COLUMNS} from sync_state
    where mapping = any(${sql.val(mappings)}::text[]) and target_id = ${targetId}
    order by mapping, qualifier, source_id`.execute(db);
  return rows;
}

export async function storeState(db: Db, state: NewState): Promise<void> {
  const { mapping, qualifier, source_id, target_id, situation, action, outcome, source_rev } = state;
  await sql`
    insert into sync_state (mapping, qualifier, source_id, target_id, situation, action, outcome, error, assignments,
      provenance, deliveries, source_rev, transaction_id, mapping_print)
    values (${mapping}, ${qualifier}, ${source_id}, ${target_id}, ${situation}, ${action}, ${outcome},
      ${written(state.error)}::jsonb, ${written(state.assignments)}::jsonb, ${written(state.provenance)}::jsonb,
      ${written(state.deliveries)}::jsonb, ${source_rev}, ${state.transaction_id}, ${state.mapping_print})
    on conflict (mapping, qualifier, source_id) do update
    set target_id = excluded.target_id, situation = excluded.situation, action = excluded.action,
      outcome = excluded.outcome, error = excluded.error, assignments = excluded.assignments,
      provenance = excluded.provenance, deliveries = excluded.deliveries, source_rev = excluded.source_rev, transaction_id = excluded.transaction_id,
      mapping_print = excluded.mapping_print, delivered_at = clock_timestamp()`.execute(db);
}

/** What failed leaves of an earlier delivery what that has remembered. */
export async function storeFailure(
  db: Db,
  failure: Pick<
    StateRow,
    'mapping' | 'qualifier' | 'source_id' | 'situation' | 'action' | 'error' | 'transaction_id'
  >,
): Promise<void> {
  const { mapping, qualifier, source_id, situation, action, error, transaction_id } = failure;
  await sql`
    insert into sync_state (mapping, qualifier, source_id, situation, action, outcome, error, transaction_id)
    values (${mapping}, ${qualifier}, ${source_id}, ${situation}, ${action}, 'failed', ${written(error)}::jsonb,
      ${transaction_id})
    on conflict (mapping, qualifier, source_id) do update
    set situation = excluded.situation, action = excluded.action, outcome = 'failed', error = excluded.error,
      transaction_id = excluded.transaction_id, delivered_at = clock_timestamp()`.execute(db);
}

export async function forgetState(
  db: Db,
  { mapping, qualifier, sourceId }: { mapping: string; qualifier: string; sourceId: string },
): Promise<void> {
  await sql`delete from sync_state
    where mapping = ${mapping} and qualifier = ${qualifier} and source_id = ${sourceId}`.execute(db);
}

function written(value: JsonValue | Provenance | readonly DeliveryNote[] | null): string | null {
  return value === null ? null : JSON.stringify(value);
}
