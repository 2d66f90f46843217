import { createRequire } from 'node:module';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogLevel } from './catalogue/row.ts';
import { type Observation, type Observe, rowOf } from './observation.ts';
import { Repetition } from './repetition.ts';

interface LogOptions {
  readonly level: LogLevel;
  /** The id of the node, until `node.named` says otherwise. */
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
  const lines = pretty || options.destination !== undefined ? undefined : waitingLines();
  const destination = options.destination ?? lines?.destination ?? prettyLines();
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
  const observe: Observe = (said) => {
    if (said.kind === 'node.named') node = said.node;
    log({ logger, repetition, pretty }, said);
  };
  lines?.tellOfLost((lost) => observe({ kind: 'log.lost', lines: lost }));
  return {
    observe,
    flush: () => (lines === undefined ? logger.flush() : lines.flush()),
  };
}

/** What waits for whoever reads the log. */
const MOST_WAITING_BYTES = 8 * 1024 * 1024;
/** At the end of the process somebody may still read so long. */
const LAST_READING_MS = 1_000;

/** A line waits for nobody: who does not read the log, as a full pipe, holds up no request. */
function waitingLines() {
  let until = Number.POSITIVE_INFINITY;
  const destination = pino.destination({
    dest: 1,
    sync: false,
    maxLength: MOST_WAITING_BYTES,
    retryEAGAIN: () => performance.now() < until,
  });
  return {
    destination,
    flush() {
      until = performance.now() + LAST_READING_MS;
      try {
        destination.flushSync();
      } catch {
        destination.destroy();
      }
    },
    tellOfLost(tell: (lines: number) => void) {
      let lost = 0;
      destination.on('drop', () => (lost += 1));
      destination.on('drain', () => {
        if (lost > 0) tell(lost);
        lost = 0;
      });
    },
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

interface Writing {
  readonly logger: Logger;
  readonly repetition: Repetition;
  readonly pretty: boolean;
}

function log({ logger, repetition, pretty }: Writing, said: Observation): void {
  const { level, text, facts, sameAs } = rowOf(said);
  const at = typeof level === 'string' ? level : level(said);
  if (!logger.isLevelEnabled(at)) return;
  const leftOut = sameAs === undefined ? 0 : repetition.admit(`${said.kind}: ${sameAs(said)}`);
  if (leftOut === undefined) return;
  const line = { kind: said.kind, ...facts?.(said), ...(leftOut > 0 ? { leftOut } : {}) };
  logger[at](line, pretty ? forTerminal(text(said)) : text(said));
}

/** A terminal obeys control characters, whoever has put them into a name; a further line looks like none of ours. */
function forTerminal(words: string): string {
  return words.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, (one) =>
    one === '\n' ? '\n    ' : `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
