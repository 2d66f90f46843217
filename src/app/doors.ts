import type { ConfigAgreement } from '#administration/index.ts';
import { type Environment, type Settings, withoutSecrets } from '#config/index.ts';
import { serveEventDesk } from '#events/index.ts';
import { BodyRoom, type Bounds, serveBounds, UnsentAnswers } from '#http/index.ts';
import type { HealthPart, Service } from '#lifecycle/index.ts';
import type { LogRing, Metrics } from '#observability/index.ts';
import { type NodePart, WAKE_UP } from '#platform/index.ts';
import type { RequestSink } from '#resource/index.ts';
import { type ScriptWork, serveScriptWork } from '#script/index.ts';
import { RateLimit, rateWords, serveDesk } from '#security/index.ts';
import type { Line } from '#thread/index.ts';
import type { Core } from './core.ts';
import type { Foundation } from './foundation.ts';
import { MAIN_THREAD, OBSERVED, READ_BY } from './http-line.ts';
import type { OpenHttpThread } from './http-thread.ts';
import { HttpThreads } from './http-threads.ts';
import { openDoor } from './open-door.ts';
import type { HttpFoundation, HttpRates, HttpThreadData } from './thread-data.ts';

/** What answers HTTP on a node: a door in its main thread, or threads that have one each. */
export interface Doors {
  /** Opens last, and closes first. */
  readonly service: Service;
  readonly url: () => string;
  /** What bodies of requests under way take, or may take that have not been read. */
  readonly bodyBytes: () => number;
  readonly part: NodePart;
  /** Statements of reads by where they were answered, beside those of the main thread. */
  readonly reads: Readonly<Record<(typeof READ_BY)[number], () => number>>;
  /** Resolves when the configuration is in force behind each of them. */
  reload(): Promise<void>;
  /** Resolves when each of them stands on that. */
  replaceFoundation(part: Partial<HttpFoundation>): Promise<void>;
  /** Whether the node has started, and is not stopping. */
  note(isUp: boolean): void;
}

export interface DoorsOptions {
  readonly settings: Settings;
  readonly environment: Environment;
  readonly listening: SharedArrayBuffer;
  readonly foundation: Foundation;
  readonly core: Core;
  readonly agreement: ConfigAgreement;
  readonly resources: RequestSink;
  readonly threads: ScriptWork;
  /** Resolves when what a script thread has changed of the configuration is in force in all threads. */
  readonly settled: () => Promise<void>;
  readonly isStarted: () => boolean;
  readonly parts: () => Promise<readonly HealthPart[]>;
  readonly metrics: Metrics;
  readonly log: LogRing;
  readonly rates: HttpRates;
  readonly open?: OpenHttpThread | undefined;
}

export function httpRates(): HttpRates {
  return { requests: rateWords(), guesses: rateWords(), failures: rateWords(), comings: rateWords() };
}

export function openDoors(options: DoorsOptions): Doors {
  const { settings } = options;
  const bodies = new BodyRoom(settings.bodyLimitBytes);
  const bounds = { bodies, unsent: new UnsentAnswers(settings.answerLimitBytes) };
  const bodyBytes = () => bodies.total;
  // A node that only works answers probes, which needs no threads.
  return settings.httpThreads === 0 || !settings.roles.includes('api')
    ? { ...doorHere(options, bounds), bodyBytes }
    : { ...doorsInThreads(options, bounds), bodyBytes };
}

function doorHere(
  { settings, core, agreement, resources, foundation, metrics, rates, isStarted, parts }: DoorsOptions,
  bounds: Bounds,
): Omit<Doors, 'bodyBytes'> {
  const { requestsPerMinute } = settings;
  const http = openDoor({
    settings,
    config: core.config,
    core,
    agreement,
    resources,
    port: settings.port,
    ...bounds,
    rateLimit: requestsPerMinute === undefined ? undefined : new RateLimit(requestsPerMinute, rates.requests),
    events: core.events.desk,
    commits: foundation.replica,
    health: { live: async () => true, started: async () => isStarted(), parts },
    metrics,
    observe: core.observe,
  });
  return {
    service: http,
    url: () => http.url,
    part: { gauges: [threadsGauge(() => 0)] },
    reads: { replica: () => 0, primary: () => 0 },
    reload: async () => {},
    replaceFoundation: async () => {},
    note: () => {},
  };
}

function doorsInThreads(options: DoorsOptions, bounds: Bounds): Omit<Doors, 'bodyBytes'> {
  const { settings, environment, listening, foundation, core, rates, open } = options;
  const { access, keyRing, nodeId } = foundation;
  const { adminPassword, ...shared } = settings;
  const reads = new BigInt64Array(new SharedArrayBuffer(READ_BY.length * BigInt64Array.BYTES_PER_ELEMENT));
  const http = new HttpThreads({
    count: settings.httpThreads,
    host: settings.host,
    port: settings.port,
    entry: new URL('../../workers/http-thread.ts', import.meta.url),
    data: {
      settings: shared,
      environment: withoutSecrets(environment),
      listening,
      rates,
      reads,
    } satisfies HttpThreadData,
    observe: core.observe,
    serve: (line) => serve(line, options, bounds),
    open,
  });
  http.found({ access, keyRing, nodeId });
  http.prepare();
  const readsBy = (at: number) => () => Number(Atomics.load(reads, at));
  return {
    service: http,
    url: () => http.url,
    part: {
      onWakeUp: { [WAKE_UP.workflow]: () => http.runEnded() },
      gauges: [threadsGauge(() => http.size)],
      health: () => [http.health],
    },
    reads: { replica: readsBy(0), primary: readsBy(1) },
    reload: () => http.reload(),
    replaceFoundation: (part) => http.replaceFoundation(part),
    note: (isUp) => http.note(isUp),
  };
}

function threadsGauge(read: () => number) {
  return {
    name: 'svc_http_threads',
    help: 'Threads that listen for HTTP and are well; 0 where the main thread does',
    read,
  };
}

/** What an HTTP thread has of the node. */
function serve(line: Line, options: DoorsOptions, bounds: Bounds): void {
  const { settings, core, threads, settled, agreement, isStarted, parts, metrics, log } = options;
  line.hear(OBSERVED, (told) => {
    for (const said of told) core.observe(said);
  });
  line.answer(MAIN_THREAD.isStarted, isStarted);
  line.answer(MAIN_THREAD.health, parts);
  line.answer(MAIN_THREAD.metrics, () => metrics.render());
  line.answer(MAIN_THREAD.log, () => [...log.lines]);
  line.answer(MAIN_THREAD.follow, () => agreement.follow());
  serveScriptWork(line, threads, settled);
  serveDesk(line, core.authentication.desk, settings.requestDeadlineMs);
  serveEventDesk(line, core.events.desk);
  serveBounds(line, bounds);
}
