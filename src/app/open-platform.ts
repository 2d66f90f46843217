import { type ConfigStore, clusterConfig, scriptConfig } from '#config/index.ts';
import { type Crypto, type KeyRingText, noteUseIn, openCrypto } from '#crypto/index.ts';
import { type Database, DatabaseClock, Notifier, type ReplicaReads } from '#database/index.ts';
import type { Observe } from '#observability/index.ts';
import { CHANNEL, type Platform, WAKE_UP } from '#platform/index.ts';
import { Queue } from '#queue/index.ts';
import { type RequestSink, Router } from '#resource/index.ts';
import { ScriptSources, type Scripts } from '#script/index.ts';
import type { AccessRules } from '#security/index.ts';
import { roadOf } from './road.ts';

export interface PlatformOptions {
  readonly database: Database;
  readonly config: ConfigStore;
  readonly observe: Observe;
  readonly keyRing: KeyRingText;
  /** Bytes of the largest answer. */
  readonly answerLimitBytes: number;
  /** Absent where no standby is asked. */
  readonly replica?: ReplicaReads | undefined;
  /** What runs scripts here; `noScripts` outside script threads. */
  readonly scripts: (parts: { config: ConfigStore; crypto: Crypto; resources: RequestSink }) => Scripts;
}

/** How long a script file counts as what was read. */
const SCRIPT_RECHECK_MS = 1_000;

/** What all features stand on; nothing answers yet. */
export function openPlatform(
  options: PlatformOptions,
  rulesOf: (scripts: () => Scripts) => AccessRules,
): { readonly platform: Platform; readonly access: AccessRules } {
  const { database, config, observe, keyRing } = options;
  const noteUse = noteUseIn(database, keyRing, config.get(clusterConfig).instanceId);
  const crypto = openCrypto({ keyRing, noteUse });
  const notifier = new Notifier(database, CHANNEL, (error) =>
    observe({ kind: 'loop.failed', loop: 'notifier', error }),
  );
  const access = rulesOf(() => scripts);
  const router = new Router(roadOf({ ...options, access, scripts: () => scripts }));
  const scripts = options.scripts({ config, crypto, resources: router });
  const queue = new Queue({
    database,
    wakes: { ahead: notifier.wake(WAKE_UP.queue), behind: notifier.wake(WAKE_UP.queueBehind) },
  });
  const sources = Object.entries(config.get(scriptConfig).sources);
  const scriptFiles = new ScriptSources(
    sources.map(([name, { directory }]) => ({ name, directory })),
    SCRIPT_RECHECK_MS,
    Date.now,
    () => 'utf-8',
    config.scripts,
  );
  const clock = new DatabaseClock(database);
  const platform = {
    database,
    config,
    observe,
    crypto,
    clock,
    notifier,
    router,
    queue,
    scripts,
    scriptFiles,
  };
  return { platform, access };
}
