import type { ConfigOverrides } from '#administration/index.ts';
import type { ConfigStore } from '#config/index.ts';
import type { Crypto } from '#crypto/index.ts';
import { type Database, DatabaseClock, Notifier } from '#database/index.ts';
import { Endpoints } from '#endpoint/index.ts';
import type { Observe } from '#observability/index.ts';
import { Queue } from '#queue/index.ts';
import { type RequestSink, Router } from '#resource/index.ts';
import type { MemorySchedules, ScheduledServices } from '#scheduler/index.ts';
import { type Scripts, scriptResource } from '#script/index.ts';
import { authorize } from '#security/index.ts';
import type { WorkflowPlatform } from '#workflow/index.ts';
import { addAdministration, type ServerState } from './administration-feature.ts';
import { addManaged, type ManagedFeature } from './managed-feature.ts';
import { CHANNEL, type Platform, TOPIC } from './platform.ts';
import { addScheduler } from './scheduler-feature.ts';
import { addTaskScanner } from './taskscanner-feature.ts';
import { addWorkflow } from './workflow-feature.ts';

/** Everything a request needs; the same in the main thread and in script threads. */
export interface Core extends Platform {
  readonly managed: ManagedFeature;
  readonly services: ScheduledServices;
  readonly endpoints: Endpoints;
  readonly overrides: ConfigOverrides;
  readonly workflow: WorkflowPlatform;
}

export interface CoreOptions extends ServerState {
  readonly database: Database;
  readonly config: ConfigStore;
  readonly observe: Observe;
  readonly crypto: Crypto;
  /** What runs scripts here; `noScripts` outside script threads. */
  readonly scripts: (parts: { config: ConfigStore; crypto: Crypto; resources: RequestSink }) => Scripts;
  readonly memory: (clock: DatabaseClock) => MemorySchedules;
  readonly serviceDirectory?: string;
}

/** Builds the platform, then every feature on it; each mounts its resources on the router. */
export function buildCore(options: CoreOptions): Core {
  const { database, config, observe, crypto } = options;
  const clock = new DatabaseClock(database.db);
  const notifier = new Notifier(database, CHANNEL, (error) =>
    observe({ kind: 'loop.failed', loop: 'notifier', error }),
  );
  const router = new Router({ database, observe, filters: [authorize] });
  const scripts = options.scripts({ config, crypto, resources: router });
  const queue = new Queue({
    database,
    notify: () => notifier.notify(TOPIC.queue),
    onWarning: (message) => observe({ kind: 'queue.warned', message }),
  });
  const platform: Platform = { database, config, observe, crypto, clock, notifier, router, queue, scripts };

  const managed = addManaged(platform);
  router.mount('script*', scriptResource(scripts));
  const endpoints = new Endpoints({ router, config, scripts, crypto, observe });
  const { serviceDirectory } = options;
  const services = addScheduler(platform, {
    memory: options.memory(clock),
    ...(serviceDirectory === undefined ? {} : { serviceDirectory }),
  });
  addTaskScanner(platform, services);
  const workflow = addWorkflow(platform);
  const { overrides } = addAdministration(platform, options);
  return { ...platform, managed, services, endpoints, overrides, workflow };
}
