import { join } from 'node:path';
import { ConfigAgreement } from '#administration/index.ts';
import { lockGauges, Membership, nodeReporter, seenMarkerKeeper } from '#cluster/index.ts';
import {
  auditConfig,
  clusterConfig,
  type Environment,
  type Settings,
  withoutSecrets,
} from '#config/index.ts';
import { KeyRing } from '#crypto/index.ts';
import { clockService, RefusedWrites, readMigrations } from '#database/index.ts';
import type { EventFeature } from '#events/index.ts';
import { requireFreePort } from '#http/index.ts';
import { beatHealth, Quarantine, startAll, stopAll } from '#lifecycle/index.ts';
import { createMetrics, LogRing, type Observe, observeAll, processGauges } from '#observability/index.ts';
import { listenerNode, type NodeGround, type NodePart, queueNode, WAKE_UP } from '#platform/index.ts';
import type { RequestSink } from '#resource/index.ts';
import { noScripts, type OpenThread, ScriptThreads } from '#script/index.ts';
import { AuditSealer, AuditTrail, augmentIn } from '#security/index.ts';
import { buildCore, type Core } from './app/core.ts';
import { type Doors, httpRates, openDoors } from './app/doors.ts';
import { type Foundation, openFoundation } from './app/foundation.ts';
import type { OpenHttpThread } from './app/http-thread.ts';
import { databaseHealth, drainHealth, keysHealth, scriptHealth } from './app/node-health.ts';
import { openConfig } from './app/open-config.ts';
import { readableGauges } from './app/readable-gauges.ts';
import { replicaGauges, replicaServices } from './app/replica-part.ts';
import { entranceOf } from './app/road.ts';
import type { ThreadData, ThreadFoundation } from './app/thread-data.ts';
import { versionOf } from './app/version.ts';

const HEARTBEAT_SILENCE_MS = 5_000;

export interface ServerOptions {
  readonly settings: Settings;
  /** The environment with the command line's flags laid over it. */
  readonly environment: Environment;
  readonly observe: Observe;
  /** Upgrade an existing schema; an empty database and the embedded one are always brought up to date. */
  readonly migrate: boolean;
  /** Take a restored or copied database for what it is. */
  readonly asItIs?: boolean;
  /** How often the directory of process files is looked at. Default 2 s, which clients rely on. */
  readonly deploymentIntervalMs?: number;
  /** How script threads are had; whoever makes one node after the other may keep them. Default: each is made anew. */
  readonly openThread?: OpenThread;
  /** The same of HTTP threads. */
  readonly openHttpThread?: OpenHttpThread;
}

export interface Server {
  readonly url: string;
  readonly databaseUrl: string;
  readonly nodeName: string;
  stop(reason: string): Promise<void>;
}

/** Builds and starts one node. When a part fails to start, what has started is stopped again. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { settings, environment } = options;
  const startedAt = performance.now();
  const metrics = createMetrics();
  let audit: AuditTrail | undefined;
  let events: EventFeature | undefined;
  const listening = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  let settling = Promise.resolve();
  let settle = () => {};
  const refused = new RefusedWrites();
  const log = new LogRing(settings.nodeId);
  const observe = observeAll(options.observe, metrics.observe, refused.observe, log.observe, (said) => {
    audit?.observe(said);
    events?.observe(said);
    if (said.kind === 'config.written') settle();
  });
  const config = await openConfig(settings, { settings, environment, report: observe });
  const nodeName = config.get(clusterConfig).instanceId;
  observe({ kind: 'node.named', node: nodeName });

  await requireFreePort(settings.host, settings.port);
  await using scope = new AsyncDisposableStack();
  const threads = prepareThreads({ ...options, observe }, listening);
  scope.defer(() => threads.stop());
  const foundation = await openFoundation({
    ...options,
    nodeName,
    observe,
    roleNames: config.properties.roles,
  });
  scope.defer(() => foundation.close());
  const { access, keyRing, database, databaseUrl } = foundation;
  threads.found({ access, keyRing } satisfies ThreadFoundation);

  const version = versionOf(settings.installLocation);
  let started = false;
  const rates = httpRates();
  let resources: RequestSink | undefined;
  const entrance: RequestSink = { handle: (...asked) => resources!.handle(...asked) };
  const core = buildCore({
    database,
    replica: foundation.replica,
    config,
    observe,
    keyRing,
    listening,
    entrance,
    users: entrance,
    augment: augmentIn(() => threads),
    comingIn: { rates },
    scripts: () => noScripts,
    state: () =>
      started
        ? { state: 'ACTIVE_READY', shortDesc: 'The server is ready' }
        : { state: 'STARTING', shortDesc: 'The server is starting or stopping' },
    answerLimitBytes: settings.answerLimitBytes,
    bodyLimitBytes: settings.bodyLimitBytes,
    version,
    log,
    allowedNetworks: settings.allowedNetworks,
    onlyDestinations: settings.onlyDestinations,
  });
  events = core.events;
  const agreement = new ConfigAgreement(database, core.overrides, foundation.nodeId);
  await agreement.follow();
  settle = () => {
    settling = agreement
      .follow()
      .catch((error: unknown) => observe({ kind: 'loop.failed', loop: 'configuration watcher', error }));
  };
  const { keys, sign } = core.audit;
  const sealer = new AuditSealer({ database, keys, observe });
  const trail = new AuditTrail({ database, config: () => config.get(auditConfig), sign, observe });
  audit = trail;

  resources = entranceOf({
    router: core.router,
    threads,
    agreement,
    settled: () => settling,
    settings,
  });
  const parts = async () => (await Promise.all(node.parts.map((part) => part.health?.() ?? []))).flat();
  const doors = openDoors({
    settings,
    environment,
    listening,
    foundation,
    core,
    agreement,
    resources,
    threads,
    settled: () => settling,
    isStarted: () => started,
    parts,
    metrics,
    log,
    rates,
    open: options.openHttpThread,
  });
  scope.defer(() => doors.service.stop());
  const node = assembleNode({ options, core, agreement, foundation, threads, doors, nodeName, refused });
  const gauges = readableGauges([
    gauge('svc_audit_waiting', 'Entries of the audit that are not stored yet', () => trail.waiting),
    gauge('svc_audit_lost', 'Entries of the audit that were given up since the start', () => trail.lost),
    gauge(
      'svc_http_bodies_bytes',
      'What bodies of requests under way take, or may take that have not been read',
      doors.bodyBytes,
    ),
    ...node.parts.flatMap((part) => part.gauges ?? []),
  ]);
  for (const { name, help, read } of gauges) metrics.gauge(name, help, read);
  const reporter = nodeReporter({
    database,
    membership: node.membership,
    version,
    migration: (await readMigrations(join(settings.installLocation, 'migrations'))).at(-1)!.name,
    gauges: () => gauges,
    parts,
    clockSkewMs: () => core.clock.skewMs,
    config,
    observe,
  });
  // The door opens last and closes first; the audit outlives all that it tells of.
  const services = [
    sealer,
    trail,
    ...node.parts.flatMap((part) => part.services ?? []),
    reporter,
    doors.service,
  ];
  await core.clock.measure();
  await startAll(services);
  started = true;
  doors.note(true);
  observe({
    kind: 'server.started',
    url: doors.url(),
    project: settings.projectLocation,
    roles: settings.roles,
    took: performance.now() - startedAt,
  });

  const opened = scope.move();
  let stopping: Promise<void> | undefined;
  return {
    url: doors.url(),
    databaseUrl,
    nodeName,
    stop(reason) {
      stopping ??= (async () => {
        observe({ kind: 'server.stopping', reason });
        started = false;
        doors.note(false);
        await stopAll(services);
        await opened.disposeAsync();
        observe({ kind: 'server.stopped' });
      })();
      return stopping;
    },
  };
}

/** The first one loads while Postgres starts. */
function prepareThreads(
  { settings, environment, observe, openThread }: ServerOptions,
  listening: SharedArrayBuffer,
): ScriptThreads {
  const { adminPassword, ...shared } = settings;
  const threads = new ScriptThreads({
    count: settings.scriptThreads,
    entry: new URL('../workers/script-thread.ts', import.meta.url),
    data: { settings: shared, environment: withoutSecrets(environment), listening } satisfies ThreadData,
    observe,
    open: openThread,
  });
  threads.prepare();
  return threads;
}

/** The parts of a node in the order in which they start. */
function assembleNode(given: {
  options: ServerOptions;
  core: Core;
  agreement: ConfigAgreement;
  foundation: Foundation;
  threads: ScriptThreads;
  doors: Doors;
  nodeName: string;
  refused: RefusedWrites;
}): { membership: Membership; parts: readonly NodePart[] } {
  const { core, foundation, threads, doors, nodeName, refused } = given;
  const { settings } = given.options;
  const { config, database, observe } = core;
  const { sessionUrl, applicationName, replica } = foundation;
  for (const pool of [foundation.lookups, foundation.claims]) core.clock.hear(pool);
  config.watch(async () => void (await Promise.all([threads.reload(), doors.reload()])));
  const membership = new Membership({
    database,
    sessionUrl,
    nodeName,
    nodeId: foundation.nodeId,
    roles: settings.roles,
    keys: new KeyRing(foundation.keyRing).ids,
    observe,
    admit: foundation.requireSharedRing,
  });
  const checks = [
    databaseHealth(database, () => refused.reason),
    keysHealth(database, foundation.keyRing, foundation.nodeId),
  ];
  const ground: NodePart = {
    services: [
      clockService(core.clock, observe),
      ...replicaServices(replica, observe),
      threads,
      membership,
      seenMarkerKeeper(settings.dataDirectory, foundation.history, () => membership.heartbeat.seen),
    ],
    onWakeUp: { [WAKE_UP.cluster]: () => membership.wake() },
    gauges: [
      gauge('svc_db_pool_size', 'Connections of this process', () => database.pool.totalCount),
      gauge('svc_db_pool_waiting', 'Requests that wait for a connection', () => database.pool.waitingCount),
      gauge(
        'svc_script_threads',
        'Script threads, of which there are more when one is not enough',
        () => threads.health.length,
      ),
      gauge('svc_script_threads_busy', 'Requests inside script threads', () => threads.busy),
      gauge('svc_script_waiting', 'Requests and jobs that wait for a script thread', () => threads.waiting),
      gauge('svc_script_sandboxes_busy', 'Sandboxes in which a script runs', () => threads.sandboxes),
      ...replicaGauges(replica, doors.reads),
      ...lockGauges(database, applicationName),
      ...processGauges,
    ],
    health: async () => [
      ...(await Promise.all(checks.map((check) => check()))),
      beatHealth('heartbeat', membership.lastBeatAt, HEARTBEAT_SILENCE_MS),
      ...drainHealth(membership.drainedAt),
      scriptHealth(threads, config),
    ],
  };
  const node: NodeGround = {
    name: nodeName,
    settings,
    isWorker: settings.roles.includes('worker'),
    membership,
    isWoken: sessionUrl !== undefined,
    threads: {
      run: (work) => threads.run(work),
      replaceFoundation: async (part) =>
        void (await Promise.all([threads.replaceFoundation(part), doors.replaceFoundation(part)])),
    },
    // Runs and jobs are suspects alike of what ends the node that they share.
    quarantine: new Quarantine({ mark: (subject) => membership.noteAlone(subject) }),
    lookups: foundation.lookups,
    claims: foundation.claims,
    followConfiguration: () => given.agreement.follow(),
    deploymentIntervalMs: given.options.deploymentIntervalMs,
  };
  const features = [queueNode(core, node), ...core.features.map((feature) => feature.node?.(node) ?? {})];
  const listener = listenerNode({
    sessionUrl,
    applicationName,
    parts: [ground, doors.part, ...features],
    observe,
  });
  return { membership, parts: [ground, doors.part, listener, ...features] };
}

function gauge(name: string, help: string, read: () => number) {
  return { name, help, read };
}
