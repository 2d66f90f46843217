import type { LogLevel, Observe } from '#observability/index.ts';
import type { Context } from '#resource/index.ts';
import type { ScriptCall, ScriptLogLine } from './scripts.ts';

const MOST_LINES = 1_000;
const LONGEST_LINE = 8_192;

/** What one run logs: told to the log at once, and kept for whoever asked for the run. Bounded. */
export class ScriptLog {
  readonly lines: ScriptLogLine[] = [];
  readonly #script: string;
  readonly #context: Context;
  readonly #observe: Observe;
  readonly #onLog: ScriptCall['onLog'];

  constructor(script: string, context: Context, observe: Observe, onLog: ScriptCall['onLog']) {
    this.#script = script;
    this.#context = context;
    this.#observe = observe;
    this.#onLog = onLog;
  }

  add(level: LogLevel, message: string): void {
    if (this.lines.length > MOST_LINES) return;
    const line =
      this.lines.length === MOST_LINES
        ? ({ level: 'warn', message: `More than ${MOST_LINES} lines; the rest is left out` } as const)
        : { level, message: message.length > LONGEST_LINE ? `${message.slice(0, LONGEST_LINE)}…` : message };
    this.lines.push(line);
    this.#onLog?.(line.level, line.message);
    const { transactionId, rehearsed, unitOfWork } = this.#context;
    if (rehearsed === true && unitOfWork !== null) {
      const step = unitOfWork.trace.current;
      unitOfWork.log.push({ script: this.#script, ...line, ...(step === undefined ? {} : { step }) });
    }
    this.#observe({ kind: 'script.logged', script: this.#script, requestId: transactionId, ...line });
  }
}
