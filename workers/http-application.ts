import type { MessagePort } from 'node:worker_threads';
import { ConfigAgreement } from '../src/administration/index.ts';
import { addChecks } from '../src/app/checks.ts';
import { buildCore } from '../src/app/core.ts';
import { openReplica } from '../src/app/foundation.ts';
import { heard } from '../src/app/heard.ts';
import {
  BEATEN,
  HTTP_THREAD,
  IS_UP,
  MAIN_THREAD,
  OBSERVED,
  READ_BY,
  RUN_ENDED,
} from '../src/app/http-line.ts';
import { openDoor } from '../src/app/open-door.ts';
import { replicaServices } from '../src/app/replica-part.ts';
import { entranceOf } from '../src/app/road.ts';
import type { HttpFoundation, HttpThreadData } from '../src/app/thread-data.ts';
import { versionOf } from '../src/app/version.ts';
import { auditConfig, ConfigStore } from '../src/config/index.ts';
import { clockService, openDatabase } from '../src/database/index.ts';
import { wordsOf } from '../src/errors/index.ts';
import { distantEventDesk } from '../src/events/index.ts';
import { distantBounds, type Health, type HttpServer } from '../src/http/index.ts';
import { startAll, stopAll } from '../src/lifecycle/index.ts';
import { METRICS_TYPE, type Observe } from '../src/observability/index.ts';
import type { RequestSink } from '../src/resource/index.ts';
import { distantThreads, noScripts } from '../src/script/index.ts';
import { augmentIn, distantDesk, isRecorded, RateLimit } from '../src/security/index.ts';
import { type Line, Outbox, openLine } from '../src/thread/index.ts';

const BEAT_INTERVAL_MS = 500;

interface Place {
  readonly data: HttpThreadData;
  readonly config: ConfigStore;
  readonly line: Line;
  readonly observe: Observe;
  readonly isUp: () => boolean;
}

/**
 * An HTTP thread: the application with a door and without a place in the cluster.
 *
 * @returns when its node has stopped it
 */
export async function runHttpThread(data: HttpThreadData, port: MessagePort): Promise<void> {
  const outbox = new Outbox(port, (told) => ({ type: 'told', name: OBSERVED.name, told }));
  const line = openLine({
    postMessage: (message) => outbox.postMessage(message),
    on: (event, listener) => port.on(event, listener),
  });
  const opened = openConfig(data);
  // Whoever builds on it hears of it.
  opened.catch(() => undefined);
  let building: Promise<Application> | undefined;
  let application: Application | undefined;
  let door: HttpServer | undefined;
  let isUp = false;
  const stopped = Promise.withResolvers<void>();
  line.hear(IS_UP, (told) => {
    isUp = told;
  });
  line.hear(RUN_ENDED, () => application?.runEnded());
  line.answer(HTTP_THREAD.build, async (foundation) => {
    building = opened.then((config) =>
      build({ data, config, line, observe: tellingOf(outbox, config), isUp: () => isUp }, foundation),
    );
    application = await building;
  });
  // What is not built yet will be built on what there is then.
  line.answer(HTTP_THREAD.reload, async () => void (await (await building)?.reload()));
  line.answer(HTTP_THREAD.found, async (part) => void (await building)?.found(part));
  line.answer(HTTP_THREAD.listen, async (at) => {
    if (application === undefined) throw new Error('Nothing is built that could listen');
    door = application.open(at);
    await door.start();
    return door.port;
  });
  line.answer(HTTP_THREAD.drain, async () => void (await door?.stop()));
  line.answer(HTTP_THREAD.stop, async () => {
    await (await building)?.stop();
    // Behind the answer.
    setImmediate(() => stopped.resolve());
  });
  const beat = setInterval(() => {
    line.tell(BEATEN, null);
    application?.tally();
  }, BEAT_INTERVAL_MS);
  await stopped.promise;
  clearInterval(beat);
  outbox.flush();
}

interface Application {
  /** The door at a port. */
  open(port: number): HttpServer;
  reload(): Promise<void>;
  found(part: Partial<HttpFoundation>): void;
  /** A run of a process has ended for which somebody waits. */
  runEnded(): void;
  /** Counts the reads since the last time with those of the other threads. */
  tally(): void;
  stop(): Promise<void>;
}

async function openConfig({ settings, environment }: HttpThreadData): Promise<ConfigStore> {
  const config = await ConfigStore.open({ settings, environment, report: () => {} });
  addChecks(config, settings.projectLocation);
  return config;
}

/** What the audit shows of a message is a function, which cannot be sent: it is made of those that are recorded. */
function tellingOf(outbox: Outbox, config: ConfigStore): Observe {
  return (said) => {
    if (said.kind !== 'http.answered' || said.request === undefined) return outbox.observe(said);
    const { message, ...request } = said.request;
    const isShown = typeof message === 'function' && isRecorded(said, config.get(auditConfig).eventTopics);
    outbox.observe({ ...said, request: { ...request, message: isShown ? message() : {} } });
  };
}

async function build(place: Place, foundation: HttpFoundation): Promise<Application> {
  const { data, config, line, observe, isUp } = place;
  const { settings, listening, rates } = data;
  const { access, keyRing, nodeId } = foundation;
  const onError = (error: unknown) => observe({ kind: 'database.connectionLost', error });
  const database = openDatabase({ ...access, onError });
  const replica = openReplica(settings, access, database, onError);
  const threads = distantThreads(line);
  let resources: RequestSink | undefined;
  const entrance: RequestSink = {
    handle: (...asked) => {
      if (resources === undefined) throw new Error('Nothing is asked before all is built');
      return resources.handle(...asked);
    },
  };
  const core = buildCore({
    database,
    replica: replica?.reads,
    config,
    observe,
    keyRing,
    listening,
    entrance,
    users: entrance,
    augment: augmentIn(() => threads),
    comingIn: { desk: distantDesk(line), rates },
    scripts: () => noScripts,
    state: () =>
      isUp()
        ? { state: 'ACTIVE_READY', shortDesc: 'The server is ready' }
        : { state: 'STARTING', shortDesc: 'The server is starting or stopping' },
    answerLimitBytes: settings.answerLimitBytes,
    bodyLimitBytes: settings.bodyLimitBytes,
    version: versionOf(settings.installLocation),
    log: {
      get lines() {
        return line.ask(MAIN_THREAD.log, null);
      },
    },
    allowedNetworks: settings.allowedNetworks,
    onlyDestinations: settings.onlyDestinations,
  });
  await core.overrides.refresh();
  const found = ({ rules }: Partial<HttpFoundation>) => {
    if (rules !== undefined) core.access.replace(rules);
  };
  found(foundation);
  const agreement = new ConfigAgreement(database, core.overrides, nodeId, () =>
    line.ask(MAIN_THREAD.follow, null),
  );
  resources = entranceOf({ router: core.router, threads, agreement, settled: async () => {}, settings });
  const services = [clockService(core.clock, observe), ...replicaServices(replica?.reads, observe)];
  await core.clock.measure();
  await startAll(services);
  const { requestsPerMinute } = settings;
  const tallied: Partial<Record<(typeof READ_BY)[number], number>> = {};
  return {
    open: (port) =>
      openDoor({
        settings,
        config,
        core,
        agreement,
        resources: entrance,
        port,
        sharedBy: settings.httpThreads,
        ...distantBounds(line),
        rateLimit:
          requestsPerMinute === undefined ? undefined : new RateLimit(requestsPerMinute, rates.requests),
        events: distantEventDesk(line),
        commits: replica?.reads,
        health: healthOf(line),
        metrics: { render: () => heard(line.ask(MAIN_THREAD.metrics, null)), contentType: METRICS_TYPE },
        observe,
      }),
    reload: () => core.overrides.refresh(),
    found,
    runEnded: () => core.workflow.runEnded.wake(),
    tally() {
      for (const [at, where] of READ_BY.entries()) {
        const counted = replica?.reads.counts[where] ?? 0;
        Atomics.add(data.reads, at, BigInt(counted - (tallied[where] ?? 0)));
        tallied[where] = counted;
      }
    },
    async stop() {
      await stopAll(services);
      await replica?.close();
      await database.close();
    },
  };
}

/** What the database takes long for is no silence of the main thread, which answers the first question by itself. */
function healthOf(line: Line): Health {
  const isStarted = () => heard(line.ask(MAIN_THREAD.isStarted, null));
  return {
    live: () =>
      isStarted().then(
        () => true,
        () => false,
      ),
    started: () => isStarted().catch(() => false),
    async parts() {
      try {
        await isStarted();
      } catch (error) {
        return [{ name: 'main thread', ok: false, detail: wordsOf(error) }];
      }
      return line.ask(MAIN_THREAD.health, null);
    },
  };
}
