import { sql } from 'kysely';
import type { Db } from '#database/index.ts';

export interface Subscriber {
  readonly instance_id: string | null;
  readonly execution: number | null;
  readonly element: string;
  readonly definition_id: string | null;
}

/** The subscribers that wait for the event: executions of instances, oldest first, then start events. */
export async function listSubscribers(
  db: Db,
  event: 'message' | 'signal',
  name: string,
): Promise<Subscriber[]> {
  const { rows } = await sql<Subscriber>`
    select instance_id, execution, element, definition_id from workflow_subscription
    where event = ${event} and name = ${name}
    order by instance_id nulls last, execution`.execute(db);
  return rows;
}
