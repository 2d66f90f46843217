import type { ConfigOverrides } from '#administration/index.ts';
import { type ConfigStore, clusterConfig, scriptConfig } from '#config/index.ts';
import { type Crypto, type KeyRingText, noteUseIn, openCrypto } from '#crypto/index.ts';
import { type Database, DatabaseClock, Notifier } from '#database/index.ts';
import { AddressGuard, type Destination, type Network } from '#egress/index.ts';
import { Endpoints } from '#endpoint/index.ts';
import type { Observe } from '#observability/index.ts';
import { Queue } from '#queue/index.ts';
import { type RequestSink, Router } from '#resource/index.ts';
import type { ScheduledServices } from '#scheduler/index.ts';
import { ScriptSources, type Scripts, scriptResource } from '#script/index.ts';
import type { AccessRules, Augment } from '#security/index.ts';
import type { WorkflowPlatform } from '#workflow/index.ts';
import { addAdministration, type ServerState } from './administration-feature.ts';
import { augmentHere } from './augment-security.ts';
import { addManaged, type ManagedFeature } from './managed-feature.ts';
import { CHANNEL, type Platform, TOPIC } from './platform.ts';
import { roadOf } from './road.ts';
import { addScheduler } from './scheduler-feature.ts';
import {
  type AuditFeature,
  type AuthenticationFeature,
  accessRules,
  addAudit,
  addAuthentication,
  userDirectory,
} from './security-feature.ts';
import { addTaskScanner } from './taskscanner-feature.ts';
import { addWorkflow } from './workflow-feature.ts';

/** Everything a request needs; the same in the main thread and in script threads. */
export interface Core extends Platform {
  readonly managed: ManagedFeature;
  readonly services: ScheduledServices;
  readonly endpoints: Endpoints;
  readonly overrides: ConfigOverrides;
  readonly workflow: WorkflowPlatform;
  readonly access: AccessRules;
  readonly authentication: AuthenticationFeature;
  readonly audit: AuditFeature;
}

export interface CoreOptions extends ServerState {
  readonly database: Database;
  readonly config: ConfigStore;
  readonly observe: Observe;
  readonly keyRing: KeyRingText;
  /** Asked for users who log in; default: the router. */
  readonly users?: RequestSink;
  /** What runs scripts here; `noScripts` outside script threads. */
  readonly scripts: (parts: { config: ConfigStore; crypto: Crypto; resources: RequestSink }) => Scripts;
  /** What runs the scripts of authentication modules; default: `scripts`. */
  readonly augment?: Augment;
  readonly serviceDirectory?: string;
  /** Where requests of the server may go besides public addresses. */
  readonly allowedNetworks: readonly Network[];
  /** Where they may go at all; undefined: wherever an address is open. */
  readonly onlyDestinations?: readonly Destination[] | undefined;
}

/** Builds the platform, then every feature on it; each mounts its resources on the router. */
export function buildCore(options: CoreOptions): Core {
  const { database, config, observe, keyRing } = options;
  const noteUse = noteUseIn(database, keyRing, config.get(clusterConfig).instanceId);
  const crypto = openCrypto({ keyRing, noteUse });
  const clock = new DatabaseClock(database.db);
  const notifier = new Notifier(database, CHANNEL, (error) =>
    observe({ kind: 'loop.failed', loop: 'notifier', error }),
  );
  const access = accessRules(config, () => platform);
  const router = new Router(roadOf({ database, config, observe, access, scripts: () => platform.scripts }));
  const scripts = options.scripts({ config, crypto, resources: router });
  const scriptFiles = openScriptFiles(config);
  const queue = new Queue({
    database,
    notify: ({ isBehind }) => notifier.notify(isBehind ? TOPIC.queueBehind : TOPIC.queue),
  });
  const platform: Platform = {
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
  const audit = addAudit(platform, keyRing);
  const managed = addManaged(platform);
  router.mount('script*', scriptResource(scripts));
  const endpoints = new Endpoints({ router, config, scripts, crypto, observe });
  const { serviceDirectory } = options;
  const services = addScheduler(platform, {
    ...(serviceDirectory === undefined ? {} : { serviceDirectory }),
  });
  addTaskScanner(platform, services);
  const workflow = addWorkflow(platform, {
    allowedNetworks: options.allowedNetworks,
    onlyDestinations: options.onlyDestinations,
    ...(serviceDirectory === undefined ? {} : { serviceDirectory }),
  });
  const { overrides } = addAdministration(platform, options);
  // Last, so that what its watcher is told of is in force everywhere.
  const users = userDirectory(platform, options.users ?? router);
  const guard = new AddressGuard(options.allowedNetworks, { only: options.onlyDestinations });
  // Whoever logs in here may be waited for by a script.
  const { augment = augmentHere(() => scripts, 1) } = options;
  const authentication = addAuthentication(platform, { keyRing, users, guard, augment });
  return { ...platform, managed, services, endpoints, overrides, workflow, access, authentication, audit };
}

const SCRIPT_RECHECK_MS = 1_000;

function openScriptFiles(config: ConfigStore): ScriptSources {
  const sources = Object.entries(config.get(scriptConfig).sources);
  return new ScriptSources(
    sources.map(([name, { directory }]) => ({ name, directory })),
    SCRIPT_RECHECK_MS,
  );
}
