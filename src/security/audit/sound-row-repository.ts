// What is refused by constraints, too: rows may be older than those, or their owner may have dropped them.
import { type RawBuilder, sql } from 'kysely';

/** A seal covers no more entries, so that whoever checks it holds no more of them at once. */
export const MOST_SEALED = 1_000;
/** Characters of any one column, and far more than nodes write. */
const MOST_CHARACTERS = 4_000;
/** Bytes of an entry as JSON; those of the configuration are the largest, with one before and one after. */
export const MOST_EVENT_BYTES = 32 * 2 ** 20;

/** A time that has a text of its own: there is none of infinity, and years before Christ look like those after. */
export function isSoundTime(time: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`(${time} >= '0001-01-01T00:00:00Z' and ${time} < '9999-01-01T00:00:00Z')`;
}

/** A time as it is signed; others than nodes write as the database shows them. */
export function isoTime(time: RawBuilder<unknown>): RawBuilder<string> {
  return sql`case when ${isSoundTime(time)}
    then to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') else ${time}::text end`;
}

/** The beginning of a text that somebody may have made as long as the database lets them. */
export function shortened(column: string): RawBuilder<string> {
  return sql`left(${sql.ref(column)}, ${sql.lit(MOST_CHARACTERS)})`;
}

/** Whether a row of `audit_seal` is one that a node could have made; any other cannot even be held. */
export const IS_SOUND_SEAL = sql<boolean>`(number between 1 and ${sql.lit(Number.MAX_SAFE_INTEGER)} and part > 0
  and ${isSoundTime(sql`month`)} and ${isSoundTime(sql`sealed_at`)}
  and cardinality(ids) <= ${sql.lit(MOST_SEALED)} and coalesce(array_ndims(ids), 1) = 1
  and coalesce(array_lower(ids, 1), 1) = 1 and array_position(ids, null) is null
  and octet_length(node) <= 400 and octet_length(previous) <= 400 and octet_length(digest) <= 400
  and octet_length(signature) <= 400)`;

/** Whether a row of `audit_unsealed` is one of an entry that a node could have written. */
export const IS_SOUND_ENTRY = sql<boolean>`(${isSoundTime(sql`recorded_at`)}
  and coalesce(octet_length(node), 0) <= 400 and coalesce(octet_length(signature), 0) <= 400)`;
