import { sql } from 'kysely';
import { type Db, type GroupWrite, LOCK, lockNamed, oneRow, type UnitOfWork } from '#database/index.ts';

/** Somebody who starts a process, and how many they may have under way. */
interface Start {
  readonly starter: string;
  readonly allowed: number;
}

/** Writes nothing: lets starts be stored with which nobody has too many. */
const rooms: GroupWrite<Start> = {
  isGuarded: true,
  keyOf: ({ starter }) => LOCK.startsOf(starter),
  steps: (starts) => [{ statement: haveRoom(starts), returns: starts.length }],
  async run(db, starts) {
    const { rows } = await sql<{ starter: string }>`${haveRoom(starts)}`.execute(db);
    return starts.map((start) => rows.some(({ starter }) => starter === start.starter));
  },
};

function haveRoom(starts: readonly Start[]) {
  return sql`
    select starter from jsonb_to_recordset(${JSON.stringify(starts)}::jsonb) as s(starter text, allowed int)
    where has_room(starter, 1, allowed)`;
}

/** Asks for room with the commit, where nobody else asks for the same. @returns false when it has to be asked for at once */
export async function reserveRoom(
  unitOfWork: UnitOfWork,
  starter: string,
  allowed: number,
): Promise<boolean> {
  const isFirst = unitOfWork.pending(rooms).length === 0;
  return (
    isFirst &&
    unitOfWork.mayBePending(LOCK.startsOf(starter)) &&
    unitOfWork.write(rooms, { starter, allowed })
  );
}

/** One start of a starter after the other, on all nodes, until the transaction ends. */
export async function lockStarter(db: Db, starter: string): Promise<void> {
  await lockNamed(db, LOCK.startsOf(starter));
}

/** The instances under way that somebody has started, without those that these have called; none is counted beyond `most`. */
export async function countOpenInstances(db: Db, starter: string, most: number): Promise<number> {
  const { rows } = await sql<{ open: number }>`
    select count(*) as open
    from (select from workflow_instance
          where start_user_id = ${starter} and ended_at is null and super_instance_id is null
          limit ${most}) as found`.execute(db);
  return oneRow(rows).open;
}

/**
 * The instances under way that those of a starter have called, without what the transaction itself has made; none is
 * counted beyond `most`.
 */
export async function countCalledInstances(db: Db, starter: string, most: number): Promise<number> {
  const { rows } = await sql<{ open: number }>`
    select count(*) as open
    from (select from workflow_instance
          where start_user_id = ${starter} and ended_at is null and super_instance_id is not null
            and xmin is distinct from pg_current_xact_id_if_assigned()::xid
          limit ${most}) as found`.execute(db);
  return oneRow(rows).open;
}
