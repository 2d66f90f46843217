import type pg from 'pg';
import { backoffMs, type Service } from '#lifecycle/index.ts';
import { askPlace } from '../pool/current-server.ts';
import { admitSession, DatabaseClient } from '../pool/database-client.ts';

const PROBE_INTERVAL_MS = 10_000;
const PROBE_TIMEOUT_MS = 5_000;

export interface ListenerOptions {
  /** A direct connection: LISTEN does not pass a pooler in transaction mode. */
  readonly url: string;
  readonly channel: string;
  readonly applicationName: string;
  readonly onMessage: (payload: string) => void;
  readonly onConnected: () => void;
  readonly onLost: (error: unknown) => void;
}

/**
 * Listens for wake-ups on a connection of its own, which it probes and renews. Wake-ups are an optimisation:
 * whoever is woken also polls, so a lost one costs time and nothing else.
 */
export class Listener implements Service {
  readonly name = 'listener';
  readonly #options: ListenerOptions;
  #client: pg.Client | undefined;
  #probe: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #failures = 0;
  #stopped = true;
  connected = false;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#stopped = false;
    await this.#connect();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#retry);
    clearInterval(this.#probe);
    const client = this.#client;
    this.#client = undefined;
    this.connected = false;
    await client?.end().catch(() => undefined);
  }

  async #connect(): Promise<void> {
    const client = new DatabaseClient({
      connectionString: this.#options.url,
      application_name: this.#options.applicationName,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    });
    let lost = false;
    const lose = (error: unknown) => {
      if (lost) return;
      lost = true;
      this.#lose(client, error);
    };
    client.on('error', lose);
    client.on('end', () => lose(new Error('Connection ended')));
    client.on('notification', (message) => {
      if (message.payload !== undefined) this.#options.onMessage(message.payload);
    });
    try {
      await client.connect();
      admitSession(client, this.#options.url, await askPlace(client));
      await client.query(`listen ${client.escapeIdentifier(this.#options.channel)}`);
    } catch (error) {
      lose(error);
      return;
    }
    this.#client = client;
    this.#failures = 0;
    this.connected = true;
    this.#options.onConnected();
    this.#probe = setInterval(() => void this.#ask(client, lose), PROBE_INTERVAL_MS);
  }

  /** A half-open connection looks alive until it is asked something. */
  async #ask(client: pg.Client, lose: (error: unknown) => void): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new Error('The listening connection does not answer')),
        PROBE_TIMEOUT_MS,
      );
    });
    try {
      await Promise.race([client.query('select 1'), timeout]);
    } catch (error) {
      lose(error);
    } finally {
      clearTimeout(timer);
    }
  }

  #lose(client: pg.Client, error: unknown): void {
    clearInterval(this.#probe);
    void client.end().catch(() => undefined);
    this.#client = undefined;
    this.connected = false;
    if (this.#stopped) return;
    this.#options.onLost(error);
    this.#failures += 1;
    this.#retry = setTimeout(() => void this.#connect(), backoffMs(this.#failures, 50, 2_000));
  }
}
