import { readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { EmbeddedServer } from '#database/embedded/embedded-server.ts';
import { startEmbeddedServer } from '#database/index.ts';

/** What happens in an hour elsewhere happens here in minutes, so autovacuum looks more often. */
const SETTINGS = { wal_level: 'logical', autovacuum_naptime: '5s' };

/** A Postgres that can be stopped, killed, frozen and started again. */
export class SoakPostgres implements AsyncDisposable {
  readonly #dataDir: string;
  readonly #settings: Readonly<Record<string, string>>;
  #server: EmbeddedServer;
  #isKept = false;

  private constructor(dataDir: string, settings: Readonly<Record<string, string>>, server: EmbeddedServer) {
    this.#dataDir = dataDir;
    this.#settings = settings;
    this.#server = server;
  }

  /** @param sessions how many it has room for */
  static async open(sessions: number): Promise<SoakPostgres> {
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-soak-postgres-'));
    // Postgres may run as another user than we do, and has to pass through.
    await chmod(dataDir, 0o711);
    const settings = { ...SETTINGS, max_connections: String(sessions) };
    return new SoakPostgres(dataDir, settings, await startEmbeddedServer({ dataDir, settings }));
  }

  get url(): string {
    return this.#server.url;
  }

  get address(): { host: string; port: number } {
    const { hostname, port } = new URL(this.url);
    return { host: hostname, port: Number(port) };
  }

  /** Stops in the end without a trace being lost. @returns its data folder */
  keep(): string {
    this.#isKept = true;
    return this.#dataDir;
  }

  /** A planned restart: sessions are ended, transactions are rolled back. @returns when it serves again, epoch ms */
  async restart(downMs: number): Promise<number> {
    await this.#server.stop();
    await delay(downMs);
    return this.#start();
  }

  /** The postmaster and its sessions end without a word; the next start has to recover. */
  async crash(signal: 'SIGKILL' | 'SIGQUIT', downMs: number): Promise<number> {
    const { ended, pid } = this.#server;
    process.kill(pid, signal);
    await ended;
    await delay(downMs);
    return this.#start();
  }

  /** Every process of it stands still. */
  async freeze(ms: number): Promise<void> {
    const pids = [this.#server.pid, ...childrenOf(this.#server.pid)];
    for (const pid of pids) signal(pid, 'SIGSTOP');
    try {
      await delay(ms);
    } finally {
      for (const pid of pids) signal(pid, 'SIGCONT');
    }
  }

  async #start(): Promise<number> {
    const before = this.url;
    this.#server = await startEmbeddedServer({ dataDir: this.#dataDir, settings: this.#settings });
    if (this.url !== before) throw new Error('Postgres came back under another address');
    await this.#ready();
    return Date.now();
  }

  async #ready(): Promise<void> {
    for (;;) {
      const client = new pg.Client({ connectionString: this.url });
      client.on('error', () => {});
      try {
        await client.connect();
        await client.end();
        return;
      } catch {
        await delay(20);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop();
    if (!this.#isKept) await rm(this.#dataDir, { recursive: true, force: true });
  }
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent;
      } catch {
        return false;
      }
    });
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}
