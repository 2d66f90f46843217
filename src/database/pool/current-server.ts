import { BroadcastChannel } from 'node:worker_threads';
import pg from 'pg';
import { oneRow } from '../one-row.ts';
import { dropConnection } from '../wire/pg-client.ts';
import { timelineOf } from './log-position.ts';

/** There is none to go to now; counts as a connection that could not be opened. */
export class NoTarget extends Error {
  readonly code = 'ECONNREFUSED';
}

/** What a server says of itself, asked with whatever else a session asks first. */
export interface Place {
  readonly is_standby: boolean;
  /** When it began, in epoch seconds by its own clock. */
  readonly server_since: string;
  /** What tells a cluster from others, whose servers are copies of each other; null where it does not say. */
  readonly cluster: string | null;
  /** Grows with each promotion; null of a standby, and where it does not say. */
  readonly timeline: number | null;
  /** How far its log is written; null of a standby, and where it does not say. */
  readonly lsn: string | null;
}

const BRIEF = `pg_is_in_recovery() as is_standby, extract(epoch from pg_postmaster_start_time())::text as server_since`;
const WHOLE = `${BRIEF}, (select system_identifier::text from pg_control_system()) as cluster,
  case when not pg_is_in_recovery() then ${timelineOf('pg_current_wal_insert_lsn()')} end as timeline,
  case when not pg_is_in_recovery() then pg_current_wal_insert_lsn()::text end as lsn`;
const NOT_TOLD = `${BRIEF}, null::text as cluster, null::int as timeline, null::text as lsn`;
const UNTOLD_STATES = /^(?:0A000|42883|42501)$/;

/** Not supported, no such function, not allowed: as of services that are like Postgres and have no log of that kind. */
export function isUntold(error: unknown): boolean {
  return error instanceof pg.DatabaseError && UNTOLD_STATES.test(error.code ?? '');
}

/**
 * Asks a session for its server's place, and for more in the same statement.
 *
 * @param more columns behind those of the place
 */
export async function askPlace<More extends object = object>(
  client: pg.ClientBase,
  more = '',
  parameters: readonly unknown[] = [],
): Promise<Place & More> {
  const ask = async (place: string) =>
    oneRow((await client.query<Place & More>(`select ${place}${more}`, [...parameters])).rows);
  try {
    return await ask(WHOLE);
  } catch (error) {
    if (!isUntold(error)) throw error;
    return ask(NOT_TOLD);
  }
}

/** What a thread tells the others of the process. */
interface News extends Pick<Place, 'server_since' | 'cluster' | 'timeline'> {
  readonly url: string;
}

/**
 * The server that a URL leads to at the moment, as the newest session has found it. Behind a name, a proxy or a list of hosts it
 * may become another one. Sessions of the one before are dropped then, at work or not: it was promoted over, and
 * whatever it still says, nothing of that is so. A server of another cluster is none of ours, and one of a lower timeline is
 * a primary that was replaced and has come back.
 */
class CurrentServer {
  readonly #url: string;
  readonly #sessions = new Map<pg.ClientBase, string>();
  #since: string | undefined;
  #cluster: string | undefined;
  #timeline = 0;

  constructor(url: string) {
    this.#url = url;
  }

  /** @throws NoTarget for a server that may not be written to */
  check({ cluster, timeline }: Pick<Place, 'cluster' | 'timeline'>): void {
    if (cluster !== null && this.#cluster !== undefined && cluster !== this.#cluster)
      throw new NoTarget('it belongs to another cluster than the one before');
    if (timeline !== null && timeline < this.#timeline)
      throw new NoTarget(`it is a primary that was replaced: on timeline ${timeline}, not ${this.#timeline}`);
  }

  /**
   * Counts a session among those that end with the server.
   *
   * @throws NoTarget for a server that may not be written to
   */
  admit(client: pg.ClientBase, place: Place): void {
    this.check(place);
    this.#sessions.set(client, place.server_since);
    client.once('end', () => this.#sessions.delete(client));
    // A standby is where a session has strayed to, and takes over from nobody.
    if (!place.is_standby && this.follow(place)) tellOthers({ ...place, url: this.#url });
  }

  /** @returns whether that is news */
  follow({ server_since: since, cluster, timeline }: Omit<News, 'url'>): boolean {
    if (since === this.#since || (timeline ?? this.#timeline) < this.#timeline) return false;
    this.#since = since;
    this.#cluster ??= cluster ?? undefined;
    this.#timeline = timeline ?? this.#timeline;
    for (const [client, of] of this.#sessions) if (of !== since) dropConnection(client, new ReplacedServer());
    return true;
  }
}

class ReplacedServer extends Error {
  readonly code = 'ECONNRESET';
  constructor() {
    super('Connection terminated: another server has taken over');
  }
}

/** By URL: as few as the settings name. */
const servers = new Map<string, CurrentServer>();
let others: BroadcastChannel | undefined;

export function currentServerOf(url: string): CurrentServer {
  others ??= listenToOthers();
  const known = servers.get(url) ?? new CurrentServer(url);
  servers.set(url, known);
  return known;
}

function listenToOthers(): BroadcastChannel {
  const channel = new BroadcastChannel('svc:server');
  channel.onmessage = ({ data }: { data: News }) => void servers.get(data.url)?.follow(data);
  channel.unref();
  return channel;
}

function tellOthers({ url, server_since, cluster, timeline }: News): void {
  others?.postMessage({ url, server_since, cluster, timeline });
}
