import { askPlace, bytesAt, type Database, type Place } from '#database/index.ts';
import { ActivationError } from '#errors/index.ts';
import { noteIncident } from './incident-repository.ts';
import { beginHistory, findNotedPlace, listUnstopped, notePlace, type PlaceNow } from './place-repository.ts';
import type { SeenMarker } from './seen-marker.ts';

/** What a server that was recovered to a moment in time has in its settings. */
const RECOVERY_TARGETS = ['', '_lsn', '_name', '_time', '_xid']
  .map((what) => `current_setting('recovery_target${what}', true)`)
  .join();
const MORE = `, (select oid::bigint from pg_database where datname = current_database()) as database,
  concat(${RECOVERY_TARGETS}) <> '' as has_target`;

interface FoundPlace extends PlaceNow, Pick<Place, 'lsn'> {
  /** It was recovered to a moment in time, now or some day. */
  readonly has_target: boolean;
}

export interface KnownDatabaseOptions {
  /** A direct connection, or that of a pooler. */
  readonly database: Database;
  readonly nodeName: string;
  /** What this node, or the one before it with its data folder, has seen last; undefined where nothing is noted. */
  readonly marker: SeenMarker | undefined;
  /** Take it for what it is, whatever it was made of. */
  readonly asItIs: boolean;
}

/**
 * Refuses a database that is a copy of one on which nodes were at work, or has been put back to a moment before what this node
 * has seen: what it takes for undone may have been done since.
 *
 * @returns the name of its history, for markers
 * @throws ActivationError `DB_RESTORED`
 */
export async function requireKnownDatabase(options: KnownDatabaseOptions): Promise<string> {
  const { database, nodeName, marker, asItIs } = options;
  const { db } = database;
  const [noted, now] = [await findNotedPlace(db), await findPlace(database)];
  if (noted === undefined) return notePlace(db, now);
  const unstopped = (await listUnstopped(db)).map(({ name }) => name);
  const isMoved = noted.is_made_anew || noted.database !== now.database || differ(noted.cluster, now.cluster);
  const isPutBack = now.has_target && (now.timeline ?? 0) > (noted.timeline ?? Number.POSITIVE_INFINITY);
  const isBehind =
    marker?.history === noted.history && now.lsn !== null && bytesAt(now.lsn) < bytesAt(marker.lsn);
  const isRestored = isBehind || (unstopped.length > 0 && (isMoved || isPutBack));
  if (!isRestored) return notePlace(db, now);
  if (!asItIs) throw restored(isBehind, unstopped);
  await noteIncident(db, 'takenAsItIs', nodeName, { nodes: unstopped });
  return beginHistory(db, now);
}

/** Where a database is at this moment. */
export async function findPlace({ pool }: Pick<Database, 'pool'>): Promise<FoundPlace> {
  const client = await pool.connect();
  try {
    return await askPlace<FoundPlace>(client, MORE);
  } finally {
    client.release();
  }
}

function differ(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && one !== other;
}

function restored(isBehind: boolean, nodes: readonly string[]): ActivationError {
  const why = isBehind
    ? 'the database lacks what this node has seen in it'
    : `the database was restored, or is a copy of one on which nodes (${nodes.slice(0, 5).join(', ')}) were at work`;
  return new ActivationError([
    {
      id: 'DB_RESTORED',
      where: '',
      message: why,
      hint: "run 'svc restore-fence' before the first node starts; or start with --as-it-is if nothing was done elsewhere since",
    },
  ]);
}
