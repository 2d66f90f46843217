import { sql } from 'kysely';
import { oneRow } from '../one-row.ts';
import type { Db } from './database.ts';

/** Why Postgres would take no changes, in words; undefined when it would. A full disk is not told. */
export async function findReadOnly(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ isStandby: boolean; isReadOnly: boolean }>`
    select pg_is_in_recovery() as "isStandby",
           current_setting('default_transaction_read_only')::boolean as "isReadOnly"`.execute(db);
  const { isStandby, isReadOnly } = oneRow(rows);
  if (isStandby) return 'it is a standby (pg_is_in_recovery), perhaps in the middle of a failover';
  return isReadOnly ? 'default_transaction_read_only is on' : undefined;
}
