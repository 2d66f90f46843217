import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../pool/database.ts';

/** A transaction that is open for so long is waited for without asking for its lock: all who come behind who asks wait, too. */
const LONG_MS = 1_000;
/** Whoever is not seen to hold what is wanted, or holds what is not, keeps nobody from trying for longer. */
const PATIENCE_MS = 3_000;
const LOOK_MS = 100;

/** A session that holds a table which a migration may want. */
export interface InTheWay {
  readonly pid: number;
  readonly who: string;
  readonly table: string;
  /** null of a role that does not show it. */
  readonly seconds: number | null;
}

/** Sessions whose transactions have been open for long with tables that the texts name; one table for each that holds several. */
export async function findInTheWay(db: Db, texts: readonly string[]): Promise<readonly InTheWay[]> {
  const words = [...new Set(texts.flatMap((text) => text.match(/[a-z_][a-z0-9_]*/g) ?? []))];
  const { rows } = await sql<InTheWay>`
    select distinct on (a.pid) a.pid, concat_ws(' ', a.usename, nullif(a.application_name, '')) as who, c.relname as table,
           round(extract(epoch from clock_timestamp() - a.xact_start))::int as seconds
    from pg_locks l
    join pg_class c on c.oid = l.relation and c.relkind in ('r', 'p')
    join pg_stat_activity a on a.pid = l.pid
    where l.granted and l.database = (select oid from pg_database where datname = current_database())
      and c.relname = any(${words}) and a.pid <> pg_backend_pid()
      and coalesce(a.xact_start, '-infinity') < clock_timestamp() - ${LONG_MS}::float8 * interval '1 ms'
    order by a.pid, c.relname limit 20`.execute(db);
  return rows;
}

/** Waits for them, for a while. @returns who was there at last */
export async function waitForThose(
  db: Db,
  texts: readonly string[],
  tell: (first: InTheWay) => void,
): Promise<readonly InTheWay[]> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await findInTheWay(db, texts);
    const [first] = found;
    if (first === undefined || performance.now() > until) return found;
    tell(first);
    await delay(LOOK_MS);
  }
}

export function inWords({ pid, who, table, seconds }: InTheWay): string {
  const since = seconds === null ? '' : `, for ${seconds} s`;
  return `process ${pid} (${who}) has '${table}' in a transaction that is open${since}`;
}
