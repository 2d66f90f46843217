import { type RawBuilder, sql } from 'kysely';
import { type Db, isUntold, oneRow } from '#database/index.ts';

/** Which database this is, as nodes have found it. */
export interface NotedPlace {
  /** The id of the database's history, made anew when a restored database is taken into use. */
  readonly history: string;
  readonly cluster: string | null;
  readonly database: number;
  readonly timeline: number | null;
}

export type PlaceNow = Omit<NotedPlace, 'history'>;

/** @returns also whether its table was made anew since, as by `pg_restore --clean` */
export async function findNotedPlace(
  db: Db,
): Promise<(NotedPlace & { readonly is_made_anew: boolean }) | undefined> {
  const { rows } = await sql<NotedPlace & { readonly is_made_anew: boolean }>`
    select history, cluster, database::bigint as database, timeline, coalesce(home <> tableoid, false) as is_made_anew
    from database_place`.execute(db);
  return rows[0];
}

/** Notes where the first node has found it, and who comes later where it is now. @returns its history */
export function notePlace(db: Db, place: PlaceNow): Promise<string> {
  return storePlace(db, place, sql`place.history`);
}

/** Takes what it is now for the beginning of another history: nothing that was noted before is true of it. */
export function beginHistory(db: Db, place: PlaceNow): Promise<string> {
  return storePlace(db, place, sql`excluded.history`);
}

async function storePlace(
  db: Db,
  { cluster, database, timeline }: PlaceNow,
  history: RawBuilder<unknown>,
): Promise<string> {
  const { rows } = await sql<{ history: string }>`
    insert into database_place as place (cluster, database, timeline, home)
    values (${cluster}, ${database}, ${timeline}, 'database_place'::regclass)
    on conflict (only_one) do update
    set cluster = excluded.cluster, database = excluded.database, timeline = excluded.timeline, home = excluded.home, history = ${history},
        noted_at = clock_timestamp()
    returning history`.execute(db);
  return oneRow(rows).history;
}

/** Notes the timeline after a fail-over. */
export async function noteTimeline(db: Db, timeline: number): Promise<void> {
  await sql`
    update database_place set timeline = ${timeline}, noted_at = clock_timestamp() where timeline < ${timeline}`.execute(
    db,
  );
}

/** A node that has not stopped, as far as the database knows. */
export interface Unstopped {
  readonly name: string;
  readonly isAlive: boolean;
}

export async function listUnstopped(db: Db): Promise<readonly Unstopped[]> {
  const { rows } = await sql<Unstopped>`
    select name, svc_node_state(state, seen_at) = 'running' as "isAlive" from cluster_node
    where state = 'running' order by name`.execute(db);
  return rows;
}

/** Raises the epoch of each node: what an earlier life of it holds is given back, and what it still writes refused. */
export async function fenceNodes(db: Db): Promise<number> {
  const { numAffectedRows } = await sql`
    update cluster_node set epoch = epoch + 1, life = gen_random_uuid()`.execute(db);
  return Number(numAffectedRows);
}

/** Where the last checkpoint of this timeline began, which is at its fork or behind it; undefined where that is not told. */
export async function findForkBound(db: Db, timeline: number): Promise<string | undefined> {
  try {
    const { rows } = await sql<{ lsn: string }>`
      select redo_lsn::text as lsn from pg_control_checkpoint() where timeline_id = ${timeline}`.execute(db);
    return rows[0]?.lsn;
  } catch (error) {
    if (isUntold(error)) return undefined;
    throw error;
  }
}
