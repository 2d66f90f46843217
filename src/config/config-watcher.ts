import { type Service, Ticker, type TickerOptions } from '#lifecycle/index.ts';
import type { ConfigStore } from './config-store.ts';
import type { PropertySource } from './property-source.ts';

const POLL_MS = 2000;
const SHORTEST_POLL_MS = 100;

export interface ConfigWatcherOptions {
  readonly store: Pick<ConfigStore, 'reload' | 'properties'>;
  /** Told of rounds that failed as a whole; the next one comes anyway. */
  readonly observe: TickerOptions['observe'];
}

/**
 * Looks for changed configuration files every `svc.fileinstall.poll` milliseconds, unless
 * `svc.fileinstall.enabled` is false.
 */
export class ConfigWatcher implements Service {
  readonly name = 'configuration watcher';
  readonly enabled: boolean;
  readonly intervalMs: number;
  readonly #store: ConfigWatcherOptions['store'];
  readonly #ticker: Ticker;

  constructor({ store, observe }: ConfigWatcherOptions) {
    this.#store = store;
    this.enabled = isEnabled(store.properties);
    this.intervalMs = pollMs(store.properties);
    this.#ticker = new Ticker({
      name: this.name,
      intervalMs: this.intervalMs,
      runOnce: () => this.runOnce(),
      observe,
    });
  }

  async start(): Promise<void> {
    if (this.enabled) await this.#ticker.start();
  }

  runOnce(): Promise<void> {
    return this.#store.reload();
  }

  stop(): Promise<void> {
    return this.#ticker.stop();
  }
}

function isEnabled(properties: PropertySource): boolean {
  return String(properties.get('svc.fileinstall.enabled')).trim().toLowerCase() !== 'false';
}

/** A wrong interval falls back to the default: watching is no reason to refuse the start. */
function pollMs(properties: PropertySource): number {
  const poll = Number(properties.get('svc.fileinstall.poll'));
  return Number.isFinite(poll) && poll > 0 ? Math.max(SHORTEST_POLL_MS, poll) : POLL_MS;
}
