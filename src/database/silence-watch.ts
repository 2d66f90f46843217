import pg from 'pg';

const LOOK_INTERVAL_MS = 1_000;
/** An answer may take so long before the server is asked whether it is still at work. */
const SILENT_MS = 3_000;
const ASK_TIMEOUT_MS = 3_000;

interface Watched {
  readonly client: Inner;
  /** The session in Postgres; null when a pooler stands between. */
  session: number | null;
  bytesRead: number;
  /** When something came from it last. */
  heardAt: number;
  /** Since when an answer is waited for; null when none is. */
  waitsFrom: number | null;
}

/** What we need to see of a client and its types do not show. */
type Inner = pg.ClientBase & {
  readonly readyForQuery: boolean;
  readonly connection: { readonly stream: { readonly bytesRead: number; destroy(error?: Error): void } };
};

/**
 * Finds the connections of a pool that are open and dead: a firewall has forgotten them, or the other machine is gone
 * without a word, and the kernel would wait for a quarter of an hour. Where an answer stays away, Postgres is asked over
 * a new connection whether that session is at work. If it is, the statement takes its time; if it is not, the answer
 * will never come: the connection is dropped, and so are all others that were silent as long.
 */
export class SilenceWatch {
  readonly #url: string;
  readonly #watched = new Map<pg.ClientBase, Watched>();
  #timer: NodeJS.Timeout | undefined;
  #asking = false;

  constructor(url: string) {
    this.#url = url;
  }

  /** @param session as Postgres numbers it; null when a pooler stands between */
  add(client: pg.ClientBase, session: number | null): void {
    const inner = client as Inner;
    const { bytesRead } = inner.connection.stream;
    this.#watched.set(client, {
      client: inner,
      session,
      bytesRead,
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
      if (watched.waitsFrom !== null && now - watched.waitsFrom >= SILENT_MS && watched.session !== null) {
        silent.push(watched);
      }
    }
    if (silent.length === 0 || this.#asking) return;
    this.#asking = true;
    const working = await this.#listWorking(silent).catch(() => undefined);
    this.#asking = false;
    // A server that cannot be asked may be well, and out of reach: then waiting is all there is to do.
    if (working === undefined) return;
    for (const watched of silent) note(watched, performance.now());
    const dead = silent.filter(
      ({ session, waitsFrom }) => waitsFrom !== null && waitsFrom < now && !working.has(session!),
    );
    if (dead.length > 0) this.#drop(dead);
  }

  async #listWorking(silent: readonly Watched[]): Promise<Set<number>> {
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: 'svc:silence-watch',
      connectionTimeoutMillis: ASK_TIMEOUT_MS,
      query_timeout: ASK_TIMEOUT_MS,
    });
    client.on('error', () => {});
    try {
      await client.connect();
      const { rows } = await client.query<{ pid: number }>(
        `select pid from pg_stat_activity where pid = any($1) and (state = 'active' or state_change > now() - interval '1 second')`,
        [silent.map(({ session }) => session)],
      );
      return new Set(rows.map(({ pid }) => pid));
    } finally {
      void client.end().catch(() => undefined);
    }
  }

  /** Idle ones of which nothing was heard since are as suspect, and cost little to open anew. */
  #drop(dead: readonly Watched[]): void {
    const since = Math.min(...dead.map(({ waitsFrom }) => waitsFrom!));
    for (const watched of [...this.#watched.values()]) {
      const isSuspect = watched.waitsFrom === null && watched.heardAt <= since;
      if (isSuspect || dead.includes(watched))
        watched.client.connection.stream.destroy(new SilentConnection());
    }
  }
}

class SilentConnection extends Error {
  readonly code = 'ECONNRESET';
  constructor() {
    super('Connection terminated: it is silent, and the database does not work for it any more');
  }
}

function note(watched: Watched, now: number): void {
  const { bytesRead } = watched.client.connection.stream;
  const { readyForQuery } = watched.client;
  const hasSpoken = bytesRead !== watched.bytesRead;
  if (hasSpoken) watched.heardAt = now;
  watched.bytesRead = bytesRead;
  if (readyForQuery) watched.waitsFrom = null;
  else if (hasSpoken || watched.waitsFrom === null) watched.waitsFrom = now;
}
