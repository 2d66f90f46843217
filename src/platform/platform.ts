import type { ConfigStore } from '#config/index.ts';
import type { Crypto } from '#crypto/index.ts';
import type { Database, DatabaseClock, Notifier } from '#database/index.ts';
import type { Observe } from '#observability/index.ts';
import type { Queue } from '#queue/index.ts';
import type { Router } from '#resource/index.ts';
import type { ScriptSources, Scripts } from '#script/index.ts';

/** What every feature stands on, in the main thread and in script threads alike. */
export interface Platform {
  readonly database: Database;
  readonly config: ConfigStore;
  readonly observe: Observe;
  readonly crypto: Crypto;
  readonly clock: DatabaseClock;
  /** Tells other nodes of a topic, after the commit. */
  readonly notifier: Notifier;
  readonly router: Router;
  /** Work for later; features register here what they do with it. */
  readonly queue: Queue;
  /** What runs scripts here; outside script threads it refuses. */
  readonly scripts: Scripts;
  /** Script files as text, for those who only look at them. */
  readonly scriptFiles: ScriptSources;
}

/** What one node tells the others about, as words on one channel. */
export const CHANNEL = 'svc';
export const WAKE_UP = {
  scheduler: 'scheduler',
  config: 'config',
  queue: 'queue',
  queueBehind: 'queue-behind',
  cluster: 'cluster',
  events: 'events',
  workflow: 'workflow',
} as const;
