import pg from 'pg';
import { oneRow } from '../one-row.ts';
import { CONNECT_MS, SILENCE_MS } from '../patience.ts';
import { awaitsAnswer, bytesRead, dropConnection, sessionOf } from '../wire/pg-client.ts';
import { DatabaseClient } from './database-client.ts';

const LOOK_INTERVAL_MS = 1_000;
/** An answer may take so long before the server is asked whether it is still at work. */
const SILENT_MS = 3_000;

interface Watched {
  readonly client: pg.ClientBase;
  /** When the server of the session began: after a fail-over another one answers, whose sessions have the same numbers. */
  readonly serverSince: string;
  bytesRead: number;
  /** When something came from it last. */
  heardAt: number;
  /** Since when an answer is waited for; null when none is. */
  waitsFrom: number | null;
}

/**
 * Finds the connections of a pool that are open and dead: a firewall has forgotten them, or the other machine is gone
 * without a word, and the kernel would wait for a quarter of an hour. Where an answer stays away, Postgres is asked over
 * a new connection whether that session is at work. If it is, the statement takes its time; if it is not, the answer
 * will never come: the connection is dropped, and so are all others that were silent as long. Postgres, which nobody told
 * either, is asked to end their sessions: their transactions would hold their locks. Where it cannot be asked, the database is
 * out of reach, and what waits for it is given up after a while.
 */
export class SilenceWatch {
  readonly #url: string;
  readonly #applicationName: string;
  readonly #watched = new Map<pg.ClientBase, Watched>();
  #timer: NodeJS.Timeout | undefined;
  #asking = false;

  /** @param applicationName of the connections that are watched */
  constructor(url: string, applicationName: string) {
    this.#url = url;
    this.#applicationName = applicationName;
  }

  /** @param serverSince when the server began, by its clock, in seconds */
  add(client: pg.ClientBase, serverSince: string): void {
    this.#watched.set(client, {
      client,
      serverSince,
      bytesRead: bytesRead(client),
      heardAt: performance.now(),
      waitsFrom: null,
    });
    client.once('end', () => this.#forget(client));
    this.#timer ??= setInterval(() => void this.#look(), LOOK_INTERVAL_MS).unref();
  }

  #forget(client: pg.ClientBase): void {
    this.#watched.delete(client);
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #look(): Promise<void> {
    const now = performance.now();
    const silent: Watched[] = [];
    for (const watched of this.#watched.values()) {
      note(watched, now);
      const { client, waitsFrom } = watched;
      if (waitsFrom !== null && now - waitsFrom >= SILENT_MS && sessionOf(client) !== null)
        silent.push(watched);
    }
    if (silent.length === 0 || this.#asking) return;
    this.#asking = true;
    await this.#judge(silent, now).catch((error: unknown) => {
      if (!isServerAnswer(error)) this.#giveUp(silent);
    });
    this.#asking = false;
  }

  /**
   * Drops the connections that have waited for too long. Nothing that they sent since is carried out, unless it was a
   * commit.
   */
  #giveUp(silent: readonly Watched[]): void {
    const now = performance.now();
    for (const watched of silent) {
      note(watched, now);
      const { client, waitsFrom } = watched;
      if (waitsFrom !== null && now - waitsFrom >= SILENCE_MS) dropConnection(client, new SilentConnection());
    }
  }

  async #judge(silent: readonly Watched[], since: number): Promise<void> {
    const client = new DatabaseClient({
      connectionString: this.#url,
      application_name: 'svc:silence-watch',
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: CONNECT_MS,
    });
    client.on('error', () => {});
    try {
      await client.connect();
      const { rows } = await client.query<{ server_since: string; working: number[] }>(
        `select extract(epoch from pg_postmaster_start_time())::text as server_since, array(
           select pid from pg_stat_activity
           where pid = any($1) and (state = 'active' or state_change > now() - interval '1 second')) as working`,
        [silent.map(({ client }) => sessionOf(client))],
      );
      const { server_since: serverSince, working } = oneRow(rows);
      const isWorking = (watched: Watched) =>
        watched.serverSince === serverSince && working.includes(sessionOf(watched.client) ?? 0);
      for (const watched of silent) note(watched, performance.now());
      const dead = silent.filter(
        (watched) => watched.waitsFrom !== null && watched.waitsFrom < since && !isWorking(watched),
      );
      if (dead.length === 0) return;
      await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where pid = any($1) and application_name = $2 and state like 'idle%' and state_change < now() - interval '1 second'`,
        [this.#drop(dead, serverSince), this.#applicationName],
      );
    } finally {
      void client.end().catch(() => undefined);
    }
  }

  /**
   * Idle ones of which nothing was heard since are as suspect, and cost little to open anew.
   *
   * @returns the sessions that were dropped, of the server that answers now
   */
  #drop(dead: readonly Watched[], serverSince: string): (number | null)[] {
    const since = Math.min(...dead.map(({ waitsFrom }) => waitsFrom!));
    const dropped = [...this.#watched.values()].filter(
      (watched) => dead.includes(watched) || (watched.waitsFrom === null && watched.heardAt <= since),
    );
    for (const { client } of dropped) dropConnection(client, new SilentConnection());
    return dropped
      .filter((watched) => watched.serverSince === serverSince)
      .map(({ client }) => sessionOf(client));
  }
}

/** It refuses to be asked, as where all sessions are taken; so it is there. */
function isServerAnswer(error: unknown): boolean {
  return error instanceof pg.DatabaseError;
}

class SilentConnection extends Error {
  readonly code = 'ECONNRESET';
  constructor() {
    super('Connection terminated: it is silent, and the database does not work for it any more');
  }
}

function note(watched: Watched, now: number): void {
  const read = bytesRead(watched.client);
  const hasSpoken = read !== watched.bytesRead;
  if (hasSpoken) watched.heardAt = now;
  watched.bytesRead = read;
  if (!awaitsAnswer(watched.client)) watched.waitsFrom = null;
  else if (hasSpoken || watched.waitsFrom === null) watched.waitsFrom = now;
}
