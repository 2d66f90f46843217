import { createRequire } from 'node:module';
import { type DestinationStream, type Logger, pino } from 'pino';
import { DOOR_LINES } from './lines/door-lines.ts';
import type { Line } from './lines/line.ts';
import { SERVER_LINES } from './lines/server-lines.ts';
import { WORK_LINES } from './lines/work-lines.ts';
import { WORKFLOW_LINES } from './lines/workflow-lines.ts';
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
  const { level, message, ...facts } = lineOf(observation);
  logger[level]({ kind: observation.kind, ...facts, ...(leftOut > 0 ? { leftOut } : {}) }, message);
}

/** What each observation looks like in the log. */
const LINES: { readonly [Kind in ObservationKind]: (said: Extract<Observation, { kind: Kind }>) => Line } = {
  ...SERVER_LINES,
  ...DOOR_LINES,
  ...WORK_LINES,
  ...WORKFLOW_LINES,
};

function lineOf(said: Observation): Line {
  return (LINES[said.kind] as (said: Observation) => Line)(said);
}
