import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ConfigOverrides,
  configResource,
  healthResource,
  infoResource,
  protectSecrets,
} from '#administration/index.ts';
import { clusterResource, Membership, sessionName } from '#cluster/index.ts';
import {
  ConfigStore,
  ConfigWatcher,
  clusterConfig,
  type Environment,
  managedConfig,
  policyConfig,
  repoConfig,
  type Settings,
  scheduleConfig,
  schedulerConfig,
  scriptConfig,
} from '#config/index.ts';
import { type Crypto, type KeyRingText, openCrypto, openKeyRing } from '#crypto/index.ts';
import {
  type Database,
  DatabaseClock,
  Listener,
  Notifier,
  openDatabase,
  superviseEmbeddedServer,
} from '#database/index.ts';
import { Endpoints } from '#endpoint/index.ts';
import { HttpServer } from '#http/index.ts';
import { isObject, type JsonObject } from '#json/index.ts';
import { type Service, startAll, stopAll, Ticker } from '#lifecycle/index.ts';
import {
  ManagedTypes,
  managedObjectResource,
  noMappings,
  PolicyBook,
  type PolicySettings,
  policyResource,
} from '#managed/index.ts';
import { createMetrics, type Observe, observeAll } from '#observability/index.ts';
import { compileQueries, IndexKeeper, repoResource, type WantedIndex, wantedIndexes } from '#repo/index.ts';
import { contextData, isWrite, type RequestSink, Router } from '#resource/index.ts';
import {
  CustomServices,
  type DaylightSaving,
  FileSchedules,
  type Firing,
  type FiringResult,
  fireTrigger,
  firingResource,
  type JobStore,
  jobResource,
  LedgerKeeper,
  MemoryJobStore,
  type MemorySchedules,
  persistentJobStore,
  provisionerScheduledService,
  recordFirings,
  releaseRuns,
  ScheduledServices,
  schedulerResource,
  scriptScheduledService,
  serveMemorySchedules,
  syncScheduledService,
  TriggerPoller,
  triggerListResource,
  triggerResource,
} from '#scheduler/index.ts';
import {
  noScripts,
  parseScriptReference,
  ScriptSources,
  type Scripts,
  ScriptThreads,
  scriptResource,
  scriptsInactive,
} from '#script/index.ts';
import { authorize, createAdministrator, InternalUsers } from '#security/index.ts';
import { prepareSchema } from './schema.ts';

/** Everything a request needs, built in floor order; the same in the main thread and in script threads. */
export interface Core {
  readonly router: Router;
  readonly database: Database;
  readonly config: ConfigStore;
  readonly clock: DatabaseClock;
  readonly notifier: Notifier;
  readonly services: ScheduledServices;
  readonly crypto: Crypto;
  readonly endpoints: Endpoints;
  readonly overrides: ConfigOverrides;
  /** The indexes on properties that the configuration asks for. */
  readonly wantedIndexes: () => readonly WantedIndex[];
}

export interface CoreOptions {
  readonly database: Database;
  readonly config: ConfigStore;
  readonly observe: Observe;
  readonly crypto: Crypto;
  /** What runs scripts here; `noScripts` outside script threads. */
  readonly scripts: (parts: { config: ConfigStore; crypto: Crypto; resources: RequestSink }) => Scripts;
  /** What `/info/ping` says. */
  readonly state: () => { readonly state: string; readonly shortDesc: string };
  readonly version: string;
  /** The schedules in memory of this process. */
  readonly memory: (clock: DatabaseClock) => MemorySchedules;
  /** Where the project's own scheduled services are; only where they may run. */
  readonly serviceDirectory?: string;
}

const CHANNEL = 'svc';
const SCHEDULER_TOPIC = 'scheduler';
const CONFIG_TOPIC = 'config';
const CLOCK_INTERVAL_MS = 10_000;
const SCRIPT_RECHECK_MS = 1_000;

export function buildCore(options: CoreOptions): Core {
  const { database, config, observe, crypto, scripts: makeScripts } = options;
  const clock = new DatabaseClock(database.db);
  const notifier = new Notifier(database, CHANNEL, (error) =>
    observe({ kind: 'loop.failed', loop: 'notifier', error }),
  );
  const router = new Router({ database, observe, filters: [authorize] });
  const scripts = makeScripts({ config, crypto, resources: router });

  const types = new ManagedTypes();
  const readTypes = () => types.replace(config.get(managedConfig).objects as unknown as JsonObject[]);
  readTypes();
  config.watchOnly(managedConfig, readTypes);

  let queries = compileQueries(config.get(repoConfig).queries);
  config.addCheck(repoConfig, (value) => void compileQueries(value.queries));
  config.watchOnly(repoConfig, () => {
    queries = compileQueries(config.get(repoConfig).queries);
  });
  config.addCheck(managedConfig, ({ objects }) =>
    new ManagedTypes().replace(objects as unknown as JsonObject[]),
  );

  const services = new ScheduledServices();
  services.register(scriptScheduledService(scripts));
  services.register(syncScheduledService);
  services.register(provisionerScheduledService);
  if (options.serviceDirectory !== undefined) {
    services.addSource(new CustomServices(options.serviceDirectory, router, observe));
  }

  const readPolicies = () => new PolicyBook(types, config.get(policyConfig) as unknown as PolicySettings);
  let policies = readPolicies();
  config.watchOnly(policyConfig, () => {
    policies = readPolicies();
  });
  const sources = Object.entries(config.get(scriptConfig).sources);
  const scriptFiles = new ScriptSources(
    sources.map(([name, { directory }]) => ({ name, directory })),
    SCRIPT_RECHECK_MS,
  );
  const managed = {
    database,
    scripts,
    readScript: async (path: string) => (await scriptFiles.get(path)).text,
    crypto,
    types,
    queries: () => queries,
    policies: () => policies,
    enforcesPolicies: () => config.properties.get('svc.policy.enforcement.enabled') !== 'false',
    resources: router,
    synchronizer: noMappings,
  };
  router.mount('managed*', managedObjectResource(managed));
  router.mount('policy*', policyResource(managed));
  router.mount(
    'repo*',
    repoResource(database, () => queries),
  );
  router.mount('script*', scriptResource(scripts));
  const endpoints = new Endpoints({ router, config, scripts, crypto, observe });
  router.mount('cluster*', clusterResource(database));
  router.mount('scheduler', schedulerResource());
  router.mount(
    'scheduler/job*',
    jobResource({
      database,
      clock,
      memory: options.memory(clock),
      dst: () => daylightSaving(config),
      wake: () => notifier.notify(SCHEDULER_TOPIC),
    }),
  );
  router.mount('scheduler/firing*', firingResource(database));
  router.mount('scheduler/trigger*', triggerResource(database));
  router.mount('scheduler/waitingTriggers', triggerListResource(database, 'waitingTriggers'));
  router.mount('scheduler/acquiredTriggers', triggerListResource(database, 'acquiredTriggers'));
  router.mount('repo/scheduler/triggers*', triggerResource(database));
  const overrides = new ConfigOverrides(config, database, observe);
  router.mount(
    'config*',
    configResource({
      store: config,
      protect: (id, content) => protectSecrets(crypto, id, content),
      transform: (context) => async (value, current) => {
        const reference = parseScriptReference(
          isObject(value) ? value['script'] : undefined,
          '/value/script',
        );
        const call = { reference, label: 'transform', bindings: { content: current } };
        return (await scripts.evaluate(context, call)).value;
      },
      async activate() {
        await overrides.refresh();
        notifier.notify(CONFIG_TOPIC);
      },
    }),
  );
  router.mount('info*', infoResource(options));
  router.mount('health*', healthResource(database));
  const wanted = () => wantedIndexes(types.current().values(), queries);
  return {
    router,
    database,
    config,
    clock,
    notifier,
    services,
    crypto,
    endpoints,
    overrides,
    wantedIndexes: wanted,
  };
}

/** Measures the database's clock from time to time. */
export function clockService(clock: DatabaseClock, observe: Observe): Service {
  return new Ticker({
    name: 'database clock',
    intervalMs: CLOCK_INTERVAL_MS,
    async runOnce() {
      await clock.measure();
      if (Math.abs(clock.skewMs) > 250) observe({ kind: 'node.clockSkew', ms: clock.skewMs });
    },
    onError: (error) => observe({ kind: 'loop.failed', loop: 'database clock', error }),
  });
}

export interface ServerOptions {
  readonly settings: Settings;
  /** The environment with the command line's flags laid over it. */
  readonly environment: Environment;
  readonly observe: Observe;
  /** Upgrade an existing schema; an empty database and the embedded one are always brought up to date. */
  readonly migrate: boolean;
}

export interface Server {
  readonly url: string;
  readonly databaseUrl: string;
  readonly nodeName: string;
  stop(reason: string): Promise<void>;
}

/** What a script thread is started with; see `workers/script-thread.ts`. */
export interface ThreadData {
  readonly settings: Settings;
  readonly environment: Environment;
  readonly databaseUrl: string;
  readonly applicationName: string;
  readonly keyRing: KeyRingText;
  /** By which the threads of this process reach its schedules in memory. */
  readonly memoryChannel: string;
}

/** Builds and starts one node. When a part fails to start, what has started is stopped again. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { settings, environment } = options;
  const startedAt = performance.now();
  const metrics = createMetrics();
  const observe = observeAll(options.observe, metrics.observe);
  const config = await ConfigStore.open({ settings, environment, report: observe });
  const nodeName = config.get(clusterConfig).instanceId;

  const embedded = settings.databaseUrl === undefined ? await startEmbedded(settings, observe) : undefined;
  const databaseUrl = settings.databaseUrl ?? embedded!.url;
  const cleanUp: (() => Promise<void>)[] = [];
  if (embedded !== undefined) cleanUp.push(() => embedded.stop());

  try {
    await prepareSchema({
      databaseUrl,
      migrations: join(settings.installLocation, 'migrations'),
      upgrade: options.migrate || embedded !== undefined,
      observe,
    });
    const keys = await openKeyRing({
      variable: environment['SVC_KEYS'],
      dataDirectory: settings.dataDirectory,
    });
    if (keys.madeFile !== undefined) observe({ kind: 'crypto.keysCreated', file: keys.madeFile });
    if (keys.missing !== undefined) observe({ kind: 'crypto.keysMissing', reason: keys.missing });
    const { nodeId, applicationName } = await identify(databaseUrl, nodeName);
    const database = openDatabase({
      url: databaseUrl,
      poolSize: settings.databasePoolSize,
      applicationName,
      onError: (error) => observe({ kind: 'database.connectionLost', error }),
    });
    cleanUp.push(() => database.close());
    const password = await createAdministrator(database, settings.adminPassword);
    if (password !== undefined) observe({ kind: 'admin.created', username: 'svc-admin', password });

    let started = false;
    let inMemory: MemoryJobStore | undefined;
    const core = buildCore({
      database,
      config,
      observe,
      crypto: openCrypto({ keyRing: keys.text }),
      scripts: () => noScripts,
      state: () =>
        started
          ? { state: 'ACTIVE_READY', shortDesc: 'The server is ready' }
          : { state: 'STARTING', shortDesc: 'The server is starting or stopping' },
      version: versionOf(settings.installLocation),
      memory: (clock) => {
        inMemory ??= memoryStore({ clock, config, database, nodeName, observe });
        return inMemory;
      },
    });
    const memory = inMemory!;
    const memoryChannel = randomUUID();
    await core.overrides.refresh();
    const threads = new ScriptThreads({
      count: settings.scriptThreads,
      entry: new URL('../workers/script-thread.ts', import.meta.url),
      data: {
        settings,
        environment,
        databaseUrl,
        applicationName,
        keyRing: keys.text,
        memoryChannel,
      } satisfies ThreadData,
      observe,
    });
    config.watch(() => threads.reload());
    const membership = new Membership({
      database,
      directUrl: databaseUrl,
      nodeName,
      nodeId,
      roles: settings.roles,
      observe,
    });
    const parts = { core, membership, threads, nodeName, observe };
    const poller = buildPoller({ ...parts, store: persistentJobStore(database.db) });
    // In memory there is one life only, which nobody fences out.
    const memoryPoller = buildPoller({ ...parts, store: memory });
    memory.onChange = () => memoryPoller.wake();
    releaseWithNodes({ core, membership, poller, nodeName, observe });
    const schedules = new FileSchedules({
      database,
      memory,
      dst: () => daylightSaving(config),
      now: () => core.clock.now(),
      wake: () => core.notifier.notify(SCHEDULER_TOPIC),
      observe,
      isCurrent: (db, alias) => core.overrides.isCurrent(db, `schedule/${alias}`),
    });
    config.watchOnly(scheduleConfig, async ({ id, current }) => {
      const alias = id.slice('schedule/'.length);
      if (current === undefined) await schedules.remove(alias);
      else await schedules.activate({ id: alias, content: current as unknown as JsonObject });
    });
    const configError = (error: unknown) =>
      observe({ kind: 'loop.failed', loop: 'configuration watcher', error });
    const refreshConfig = () => void core.overrides.refresh().catch(configError);
    const listener = new Listener({
      url: databaseUrl,
      channel: CHANNEL,
      applicationName,
      onMessage: (topics) => {
        const topic = new Set(topics.split(' '));
        if (topic.has(SCHEDULER_TOPIC)) poller.wake();
        if (topic.has(CONFIG_TOPIC)) refreshConfig();
      },
      onConnected: () => observe({ kind: 'listen.connected' }),
      onLost: (error) => observe({ kind: 'listen.lost', error }),
    });
    const isWorker =
      settings.roles.includes('worker') && config.get(schedulerConfig).scheduler.executePersistentSchedules;
    const http = new HttpServer({
      host: settings.host,
      port: settings.port,
      bodyLimitBytes: settings.bodyLimitBytes,
      resources: settings.roles.includes('api') ? inTheRightThread(core.router, threads) : undefined,
      authenticate: authenticator(database),
      health: {
        started: () => started,
        parts: () => healthParts({ database, membership, listener, poller, isWorker, threads, config }),
      },
      metrics,
      observe,
      describe: () => core.router.describe(),
      version: versionOf(settings.installLocation),
    });
    metrics.gauge('svc_db_pool_size', 'Connections of this process', () => database.pool.totalCount);
    metrics.gauge(
      'svc_db_pool_waiting',
      'Requests that wait for a connection',
      () => database.pool.waitingCount,
    );
    metrics.gauge(
      'svc_firings_running',
      'Firings that run on this node',
      () => poller.active + memoryPoller.active,
    );
    metrics.gauge('svc_script_threads_busy', 'Requests inside script threads', () => threads.busy);

    const indexes = new IndexKeeper({
      database,
      directUrl: databaseUrl,
      wanted: core.wantedIndexes,
      observe,
    });
    config.watch(() => indexes.wake());

    const services: Service[] = [
      clockService(core.clock, observe),
      threads,
      membership,
      listener,
      serveMemorySchedules(memoryChannel, memory),
      fileSchedulesService(schedules, config),
      new LedgerKeeper({ database, keepDays: () => ledgerDays(config), observe }),
      indexes,
      memoryPoller,
      ...(isWorker ? [poller] : []),
      http,
      new ConfigWatcher({
        store: { properties: config.properties, reload: () => core.overrides.refresh() },
        onError: configError,
      }),
    ];
    await core.clock.measure();
    await startAll(services);
    started = true;
    observe({
      kind: 'server.started',
      url: http.url,
      project: settings.projectLocation,
      roles: settings.roles,
      took: performance.now() - startedAt,
    });

    let stopping: Promise<void> | undefined;
    return {
      url: http.url,
      databaseUrl,
      nodeName,
      stop(reason) {
        stopping ??= (async () => {
          observe({ kind: 'server.stopping', reason });
          started = false;
          await stopAll(services);
          await runAll(cleanUp);
          observe({ kind: 'server.stopped' });
        })();
        return stopping;
      },
    };
  } catch (error) {
    await runAll(cleanUp);
    throw error;
  }
}

/** Requests that may run a script go to a script thread, all others are handled here. */
function inTheRightThread(router: Router, threads: ScriptThreads): RequestSink {
  return {
    async handle(context, request) {
      if (!router.runsScripts(request)) return router.handle(context, request);
      const answer = await threads.run({
        kind: 'request',
        payload: { context: contextData(context), request },
        repeatable: !isWrite(request),
      });
      return answer as Awaited<ReturnType<RequestSink['handle']>>;
    },
  };
}

function buildPoller(parts: {
  core: Core;
  membership: Membership;
  threads: ScriptThreads;
  store: JobStore;
  nodeName: string;
  observe: Observe;
}): TriggerPoller {
  const { core, membership, threads, store, nodeName, observe } = parts;
  const { database, clock, services, config } = core;
  const { threadPool } = config.get(schedulerConfig);
  const threshold = schedulerNumber(config, 'org.quartz.jobStore.misfireThreshold');
  const idleWaitMs = schedulerNumber(config, 'org.quartz.scheduler.idleWaitTime');
  const maxBatch = schedulerNumber(config, 'org.quartz.scheduler.batchTriggerAcquisitionMaxCount');
  return new TriggerPoller({
    store,
    clock,
    nodeName,
    holder: () =>
      store.kind === 'memory'
        ? { nodeId: membership.nodeId, epoch: 0 }
        : { nodeId: membership.nodeId, epoch: membership.epoch },
    threadCount: schedulerNumber(config, 'org.quartz.threadPool.threadCount') ?? threadPool.threadCount,
    dst: daylightSaving(config),
    ...(threshold === undefined ? {} : { misfireThresholdMs: threshold }),
    ...(idleWaitMs === undefined ? {} : { idleWaitMs }),
    ...(maxBatch === undefined ? {} : { maxBatch }),
    observe,
    async fire(firing: Firing): Promise<FiringResult> {
      const service = services.find(firing.run.definition.invokeService);
      if (service?.runsScripts === false) return fireTrigger({ database, services }, firing);
      // Also what nobody here knows: the threads look for it among the project's own services.
      return (await threads.run({ kind: 'firing', payload: firing, repeatable: false })) as FiringResult;
    },
  });
}

/** What a lost node had claimed goes to others; what this node had claimed when it was given up is not its own. */
function releaseWithNodes(parts: {
  core: Core;
  membership: Membership;
  poller: TriggerPoller;
  nodeName: string;
  observe: Observe;
}): void {
  const { core, membership, poller, nodeName, observe } = parts;
  membership.onFenced(() => poller.abandon());
  membership.onNodeLost(async (nodeId, epoch) => {
    const { released, parked } = await releaseRuns(core.database.db, { nodeId, epoch }, nodeName);
    for (const { jobId, attempts } of parked) observe({ kind: 'trigger.parked', schedule: jobId, attempts });
    if (released > 0) core.notifier.notify(SCHEDULER_TOPIC);
    return released;
  });
}

function memoryStore(parts: {
  clock: DatabaseClock;
  config: ConfigStore;
  database: Database;
  nodeName: string;
  observe: Observe;
}): MemoryJobStore {
  const { clock, config, database, nodeName, observe } = parts;
  return new MemoryJobStore({
    nodeName,
    now: () => clock.now(),
    dst: daylightSaving(config),
    record: (completions) =>
      recordFirings(database.db, completions).catch((error: unknown) =>
        observe({ kind: 'loop.failed', loop: 'ledger of schedules in memory', error }),
      ),
  });
}

/** A number among the advanced properties; anything that is none counts as absent. */
function schedulerNumber(config: ConfigStore, property: string): number | undefined {
  const number = Number(config.get(schedulerConfig).advancedProperties[property]);
  return number > 0 ? number : undefined;
}

function daylightSaving(config: ConfigStore): DaylightSaving {
  return config.get(schedulerConfig).advancedProperties['svc.cron.dst'] === 'smooth' ? 'smooth' : 'quartz';
}

const LEDGER_DAYS = 90;

function ledgerDays(config: ConfigStore): number {
  return schedulerNumber(config, 'svc.ledger.keepDays') ?? LEDGER_DAYS;
}

function fileSchedulesService(schedules: FileSchedules, config: ConfigStore): Service {
  return {
    name: 'file schedules',
    start: () =>
      schedules.activateAll(
        config
          .list(scheduleConfig)
          .map(({ alias, value }) => ({ id: alias, content: value as unknown as JsonObject })),
      ),
    stop: async () => {},
  };
}

async function identify(databaseUrl: string, nodeName: string) {
  await using scope = new AsyncDisposableStack();
  const database = openDatabase({ url: databaseUrl, poolSize: 1 });
  scope.defer(() => database.close());
  const nodeId = await Membership.identify(database.db, nodeName);
  return { nodeId, applicationName: sessionName(nodeId) };
}

function startEmbedded(settings: Settings, observe: Observe) {
  return superviseEmbeddedServer({
    dataDir: settings.dataDirectory,
    observe: (message) => observe({ kind: 'database.embedded', message }),
  });
}

function authenticator(database: Database) {
  const users = new InternalUsers(database);
  return (credentials: { username: string; password: string }) => users.authenticate(credentials);
}

async function healthParts(parts: {
  database: Database;
  membership: Membership;
  listener: Listener;
  poller: TriggerPoller;
  isWorker: boolean;
  threads: ScriptThreads;
  config: ConfigStore;
}) {
  const { database, membership, listener, poller, isWorker, threads, config } = parts;
  const age = (beatAt: number) => (beatAt === 0 ? Number.POSITIVE_INFINITY : Date.now() - beatAt);
  const loop = (name: string, beatAt: number, limitMs: number) => ({
    name,
    ok: age(beatAt) < limitMs,
    detail: beatAt === 0 ? 'has not beaten yet' : `beat ${Math.round(age(beatAt))} ms ago`,
  });
  const reachable = await database.pool.query('select 1').then(
    () => true,
    () => false,
  );
  return [
    { name: 'database', ok: reachable },
    loop('heartbeat', membership.lastBeatAt, 5_000),
    ...(isWorker ? [loop('triggerPoller', poller.lastBeatAt, 10_000)] : []),
    scriptsPart(threads, config),
    // Wake-ups only save time: without them polling goes on.
    { name: 'listener', ok: true, detail: listener.connected ? 'connected' : 'polling only' },
  ];
}

/** Scripts are well while they are configured and one thread at least can take them. */
function scriptsPart(threads: ScriptThreads, config: ConfigStore) {
  const inactive = scriptsInactive(config);
  if (inactive !== undefined) return { name: 'scripts', ok: false, detail: inactive };
  const told = threads.health.map(({ thread, ok, busy, beatAgeMs }) => {
    const state = ok ? 'up' : beatAgeMs === null ? 'starting' : `silent for ${beatAgeMs} ms`;
    return `thread ${thread} ${state}, ${busy} busy`;
  });
  return {
    name: 'scripts',
    ok: threads.health.some(({ ok }) => ok),
    detail: told.length === 0 ? 'no thread is running' : told.join('; '),
  };
}

async function runAll(steps: readonly (() => Promise<void>)[]): Promise<void> {
  for (const step of steps.toReversed()) await step();
}

/** The version in package.json. */
export function versionOf(installLocation: string): string {
  const text = readFileSync(join(installLocation, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
