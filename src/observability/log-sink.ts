import { createRequire } from 'node:module';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogLevel, Observation, ObservationKind, Observe } from './observation.ts';
import { Repetition } from './repetition.ts';

export interface LogOptions {
  readonly level: LogLevel;
  /** Until `node.named` says otherwise. */
  readonly nodeId: string;
  /** Default: pretty lines on a terminal, JSON lines elsewhere. */
  readonly pretty?: boolean;
  readonly destination?: DestinationStream;
  /** Milliseconds on a clock that never goes back; a test's own. */
  readonly now?: () => number;
}

/** Turns observations into log lines: message first, then the subject, then facts. */
export function createLogSink(options: LogOptions): { observe: Observe; flush: () => void } {
  const pretty = options.pretty ?? process.stdout.isTTY === true;
  const destination =
    options.destination ?? (pretty ? prettyLines() : pino.destination({ dest: 1, sync: true }));
  let node = options.nodeId;
  const logger = pino(
    {
      level: options.level,
      base: null,
      mixin: () => ({ node }),
      formatters: { level: (label) => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: ['password', '*.password', 'authorization', '*.authorization'], censor: '[hidden]' },
    },
    destination,
  );
  const repetition = new Repetition(options.now);
  return {
    observe(said) {
      if (said.kind === 'node.named') node = said.node;
      log(logger, repetition, said);
    },
    flush: () => logger.flush(),
  };
}

function prettyLines(): DestinationStream {
  // Only for a terminal: other nodes would load its thirty modules for nothing.
  const { PinoPretty } = createRequire(import.meta.url)('pino-pretty') as typeof import('pino-pretty');
  return PinoPretty({
    colorize: process.stdout.isTTY === true,
    ignore: 'pid,hostname,node,kind',
    translateTime: 'SYS:HH:MM:ss.l',
    singleLine: true,
    sync: true,
  });
}

/** What is said most often, and at which level: its line is not even made when nobody would read it. */
const FREQUENT: Readonly<Partial<Record<ObservationKind, LogLevel>>> = {
  'http.answered': 'debug',
  'script.evaluated': 'trace',
  'trigger.fired': 'debug',
  'job.completed': 'debug',
};

function log(logger: Logger, repetition: Repetition, observation: Observation): void {
  const frequent = FREQUENT[observation.kind];
  if (frequent !== undefined && !logger.isLevelEnabled(frequent)) return;
  const leftOut = repetition.admit(observation);
  if (leftOut === undefined) return;
  const line = describe(observation);
  if (line === undefined) return;
  const { level, message, ...facts } = line;
  logger[level]({ kind: observation.kind, ...facts, ...(leftOut > 0 ? { leftOut } : {}) }, message);
}

interface Line {
  readonly level: LogLevel;
  readonly message: string;
  readonly [fact: string]: unknown;
}

/** What each observation looks like in the log. The switch is exhaustive: a new kind does not compile without its line. */
function describe(said: Observation): Line | undefined {
  switch (said.kind) {
    case 'server.started':
      return {
        level: 'info',
        message: `listening on ${said.url}`,
        project: said.project,
        roles: said.roles.join(','),
        took: ms(said.took),
      };
    case 'server.stopping':
      return { level: 'info', message: 'stopping', reason: said.reason };
    case 'server.stopped':
      return { level: 'info', message: 'stopped' };
    case 'server.failed':
      return { level: 'error', message: `${said.part} failed`, ...errorFacts(said.error) };
    case 'admin.created':
      return said.password === null
        ? { level: 'info', message: `user ${said.username} created with the password of SVC_ADMIN_PASSWORD` }
        : {
            level: 'warn',
            message: `user ${said.username} created; its password is shown this once: ${said.password}`,
          };
    case 'crypto.keysCreated':
      return {
        level: 'warn',
        message: `a new key ring was made in ${said.file}; back it up, and give every other node on this database a copy`,
      };
    case 'audit.sealsMissing':
      return {
        level: 'error',
        message: `the audit trail was cut: its last seal was number ${said.expected}, and is ${said.found} now. See svc audit verify`,
      };
    case 'audit.sealingHeldUp':
      return {
        level: 'error',
        message: `entries of the audit wait for their seal for ${Math.round(said.seconds)} s, because somebody else holds the lock for sealing (see pg_locks, 'advisory')`,
      };
    case 'crypto.keysDiffer':
      return {
        level: 'error',
        message: `the keys of '${said.alias}' are others than those of node ${said.node}: neither reads what the other encrypts. Give all nodes the same SVC_KEYS`,
      };
    case 'crypto.keysMissing':
      return {
        level: 'warn',
        message: `no key ring, so nothing can be encrypted: SVC_KEYS is not set and ${said.reason}`,
      };
    case 'database.embedded':
      return { level: 'info', message: said.message };
    case 'database.migrated':
      return { level: 'info', message: 'database schema is up to date', applied: said.migrations };
    case 'database.pooled':
      return said.hasSessions
        ? {
            level: 'info',
            message: 'transactions go through a connection pooler, wake-ups and locks past it',
          }
        : {
            level: 'warn',
            message:
              'the database is behind a connection pooler: without SVC_DATABASE_DIRECT_URL nodes poll, and a killed one is noticed after 3 s',
          };
    case 'database.retried':
      return {
        level: 'debug',
        message: 'unit of work run again',
        reason: said.reason,
        attempt: said.attempt,
      };
    case 'database.connectionLost':
      return { level: 'warn', message: 'database connection lost', ...errorFacts(said.error) };
    case 'index.created':
      return { level: 'info', message: `index on ${said.type}${said.property} created` };
    case 'config.changed':
      return { level: 'info', message: `configuration ${said.id} ${said.change}` };
    case 'config.written':
      return { level: 'debug', message: 'configuration written' };
    case 'config.refused':
      return {
        level: 'error',
        message: `configuration ${said.id} has errors; the old one stays in force`,
        findings: said.findings,
      };
    case 'config.warned':
      return { level: 'warn', message: said.message };
    case 'config.note':
      return { level: 'debug', message: said.message };
    case 'http.answered':
      return {
        level: 'debug',
        message: `${said.method} ${said.path} ${said.status}`,
        took: ms(said.ms),
        requestId: said.requestId,
      };
    case 'http.refused':
      return {
        level: 'warn',
        message: `message from ${said.address} refused: ${said.status} ${said.why}`,
        address: said.address,
      };
    case 'http.failed':
      return {
        level: 'error',
        message: `${said.method} ${said.path} failed unexpectedly`,
        requestId: said.requestId,
        ...errorFacts(said.error),
      };
    case 'login.attempted':
      return {
        level: said.result === 'FAILED' ? 'warn' : 'info',
        message: `login of '${said.principal}' from ${said.address}: ${said.result.toLowerCase()}`,
        principal: said.principal,
        address: said.address,
      };
    case 'login.refused':
      return {
        level: 'debug',
        message: `login from ${said.address} refused: ${said.why}`,
        address: said.address,
      };
    case 'issuer.unreachable':
      return {
        level: 'warn',
        message: 'an issuer of tokens cannot be asked for its keys',
        ...errorFacts(said.error),
      };
    case 'login.denied':
      return {
        level: said.how === 'failed' ? 'error' : 'info',
        message: `augmentSecurityContext of ${said.module} ${said.how === 'failed' ? 'failed, so nobody comes in by it' : 'refused a login'}: '${said.principal}'`,
        principal: said.principal,
        requestId: said.requestId,
        ...errorFacts(said.error),
      };
    case 'loop.failed':
      return {
        level: 'warn',
        message: `${said.loop}: round failed, will try again`,
        ...errorFacts(said.error),
      };
    case 'loop.recovered':
      return {
        level: 'info',
        message: `${said.loop}: works again after ${said.failures} failed ${said.failures === 1 ? 'round' : 'rounds'}`,
        took: ms(said.ms),
      };
    case 'listen.connected':
      return { level: 'debug', message: 'listening for wake-ups' };
    case 'listen.lost':
      return { level: 'warn', message: 'wake-ups lost, polling goes on', ...errorFacts(said.error) };
    case 'node.named':
      return { level: 'debug', message: `this node is ${said.node}` };
    case 'node.joined':
      return { level: 'info', message: `node ${said.node} joined the cluster`, epoch: said.epoch };
    case 'node.left':
      return { level: 'info', message: `node ${said.node} left the cluster` };
    case 'node.lost':
      return {
        level: 'warn',
        message: `node ${said.node} lost, its runs released`,
        epoch: said.epoch,
        by: said.how,
        runs: said.runs,
        took: ms(said.ms),
      };
    case 'node.fenced':
      return {
        level: 'error',
        message: `this node was declared lost by another one; it starts again with a new epoch`,
        lostNode: said.node,
        epoch: said.epoch,
      };
    case 'node.clockSkew':
      return { level: 'warn', message: `clock differs from the database's by ${ms(said.ms)}` };
    case 'schedule.registered':
      return { level: 'info', message: `schedule ${said.schedule} registered`, next: iso(said.next) };
    case 'schedule.removed':
      return { level: 'info', message: `schedule ${said.schedule} removed` };
    case 'trigger.fired':
      return {
        level: 'debug',
        message: `trigger fired       ${said.schedule}`,
        late: ms(said.lateMs),
        run: said.run,
      };
    case 'trigger.completed':
      return {
        level: said.level,
        message: `schedule ran        ${said.schedule}`,
        took: ms(said.ms),
        run: said.run,
        next: iso(said.next),
      };
    case 'trigger.failed':
      return {
        level: 'warn',
        message: `schedule failed     ${said.schedule}: ${said.error}`,
        took: ms(said.ms),
        run: said.run,
      };
    case 'trigger.misfired':
      return {
        level: 'warn',
        message: `trigger misfired    ${said.schedule}`,
        planned: iso(said.plannedAt),
        late: ms(said.lateMs),
        policy: said.policy,
      };
    case 'trigger.fencedOut':
      return {
        level: 'warn',
        message: `run of ${said.schedule} rolled back: it belongs to another node now`,
        run: said.run,
      };
    case 'trigger.parked':
      return {
        level: 'error',
        message: `schedule ${said.schedule} parked: its run was interrupted ${said.attempts} times`,
      };
    case 'job.completed':
      return {
        level: 'debug',
        message: `job done            ${said.queue}`,
        took: ms(said.ms),
        job: said.job,
      };
    case 'job.failed':
      return {
        level: said.dead ? 'error' : 'warn',
        message: `job failed          ${said.queue}: ${said.error}`,
        took: ms(said.ms),
        job: said.job,
        next: said.dead ? 'dead letter' : 'another attempt',
      };
    case 'job.fencedOut':
      return {
        level: 'warn',
        message: `job of ${said.queue} rolled back: it belongs to another node now`,
        job: said.job,
      };
    case 'scan.ended':
      return {
        level: said.error !== null || said.failures > 0 ? 'warn' : 'info',
        message: `scan ${said.state.toLowerCase().padEnd(15)}${said.scan}${said.error === null ? '' : `: ${said.error}`}`,
        took: ms(said.ms),
        total: said.total,
        successes: said.successes,
        failures: said.failures,
        skipped: said.skipped,
        run: said.run,
      };
    case 'workflow.mailRejected':
      return {
        level: 'warn',
        message: `mail ${said.job} was refused for ${said.recipients} of its recipients`,
      };
    case 'sync.failed':
      return { level: 'warn', message: `synchronization of ${said.resource} failed`, details: said.details };
    case 'script.logged':
      return {
        level: said.level,
        message: said.message,
        script: said.script,
        ...(said.requestId === undefined ? {} : { requestId: said.requestId }),
      };
    case 'script.evaluated':
      return {
        level: 'trace',
        message: `script ${said.script} ${said.outcome}`,
        took: ms(said.ms),
      };
    case 'script.threadStarted':
      return { level: 'debug', message: `script thread ${said.thread} started` };
    case 'script.threadKilled':
      return { level: 'warn', message: `script thread ${said.thread} ended: ${said.reason}` };
    case 'workflow.deployed':
      return {
        level: said.findings.length === 0 ? 'info' : 'warn',
        message: `workflow ${said.file} deployed`,
        definitions: said.definitions,
        ...(said.findings.length === 0 ? {} : { findings: said.findings }),
      };
    case 'workflow.undeployed':
      return said.outcome === 'undeployed'
        ? { level: 'info', message: `workflow ${said.file} undeployed` }
        : {
            level: 'warn',
            message: `workflow ${said.file} is gone but in use: no new instances start, running ones go on`,
          };
    case 'workflow.deployFailed':
      return {
        level: 'error',
        message: `workflow ${said.file} cannot be deployed`,
        ...errorFacts(said.error),
      };
    case 'workflow.passedOver':
      return { level: 'warn', message: `workflow ${said.file}: ${said.message}`, hint: said.hint };
    case 'workflow.stuck':
      return {
        level: 'warn',
        message: `process instance ${said.instance} can never go on`,
        elements: said.elements,
      };
    case 'workflow.messageLost':
      return {
        level: 'warn',
        message: `nobody waits for message ${said.name} of process instance ${said.instance}`,
      };
    case 'workflow.deadLetter':
      return {
        level: 'warn',
        message: `workflow job ${said.job} is a dead letter`,
        instance: said.instance,
        element: said.element,
        error: said.error,
      };
    case 'workflow.pruned':
      return { level: 'info', message: `history of ${said.instances} process instances pruned` };
    default:
      return said satisfies never;
  }
}

function ms(span: number): string {
  return `${Math.round(span * 10) / 10}ms`;
}

function iso(instant: number | null): string | null {
  return instant === null ? null : new Date(instant).toISOString();
}

function errorFacts(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error) };
  const cause = error.cause instanceof Error ? { cause: error.cause.stack } : {};
  return { error: error.message, stack: error.stack, ...cause };
}
