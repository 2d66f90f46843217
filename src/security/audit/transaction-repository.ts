import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { AuditTopic } from './audit-event.ts';
import type { AuditRow } from './audit-repository.ts';

/** An entry with its place in the tree of its transaction. */
export interface TransactionRow extends AuditRow {
  readonly transaction: string;
}

/** The entries of a transaction and of all that it caused, oldest first; one more than the most, where there are more. */
export async function listTransaction(
  db: Db,
  id: string,
  most: number,
  topic: AuditTopic | null = null,
): Promise<readonly TransactionRow[]> {
  const ofTopic = topic === null ? sql`true` : sql`topic = ${topic}`;
  const { rows } = await sql<TransactionRow>`
    select id::text as id, topic, transaction_id as transaction, event from audit_event
    where (transaction_id = ${id} or transaction_id ^@ ${`${id}/`}) and ${ofTopic}
    order by audit_event.id limit ${most + 1}`.execute(db);
  return rows;
}
