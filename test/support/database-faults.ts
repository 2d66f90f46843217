import { writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import pg from 'pg';

/**
 * Faults at chosen statements, put in by replacing the driver's `query`: the product has no seam for it and pays
 * nothing. A test uses it in its own process, or preloads it into a node with `faultyEnvironment`.
 */
export interface Fault {
  /** Part of a regular expression that the statement's text must match. */
  readonly statement?: string;
  /** Only connections of this application name. */
  readonly application?: string;
  /** Which of the matching statements, from 1. */
  readonly nth?: number;
  /** For a fault after execution: only if the statement gave at least so many rows. */
  readonly minRows?: number;
  /** Only after a statement of the same transaction, or of the same connection outside of one, that matches this. */
  readonly armedBy?: string;
  readonly when: 'before' | 'after';
  /**
   * `conflict`: a serialization failure is reported. `unable`: the database takes no changes. `disconnect`: the
   * connection breaks. `kill`, `stop`: the process gets SIGKILL or SIGSTOP.
   */
  readonly what: 'conflict' | 'unable' | 'disconnect' | 'kill' | 'stop';
}

type Query = (this: pg.Client, ...args: unknown[]) => unknown;

export interface FaultControl {
  /** The fault that comes next; null for none. Counting starts anew. */
  set(fault: Fault | null): void;
  /** Matching statements since the last `set`. */
  readonly seen: number;
  readonly happened: boolean;
}

export function installFaults(): FaultControl {
  const prototype = pg.Client.prototype as unknown as { query: Query };
  const original = prototype.query;
  let fault: Fault | null = null;
  let seen = 0;
  let happened = false;
  const armed = new WeakSet<pg.Client>();

  prototype.query = function query(...args) {
    const text = typeof args[0] === 'string' ? args[0] : String((args[0] as { text?: string })?.text ?? '');
    const callback = args.at(-1);
    const current = fault;
    if (current?.armedBy !== undefined) {
      if (new RegExp(current.armedBy, 'i').test(text)) armed.add(this);
      else if (/^(begin|start transaction|rollback$)/i.test(text)) armed.delete(this);
      if (!armed.has(this)) return original.apply(this, args);
    }
    if (current === null || happened || typeof callback === 'function' || !matches(this, current, text)) {
      return original.apply(this, args);
    }
    if (current.when === 'before') {
      seen += 1;
      if (seen !== (current.nth ?? 1)) return original.apply(this, args);
      happened = true;
      return Promise.reject(strike(this, current));
    }
    return (original.apply(this, args) as Promise<pg.QueryResult>).then((result) => {
      if (fault !== current || happened || (result.rowCount ?? 0) < (current.minRows ?? 0)) return result;
      seen += 1;
      if (seen !== (current.nth ?? 1)) return result;
      happened = true;
      throw strike(this, current);
    });
  };

  return {
    set(next) {
      fault = next;
      seen = 0;
      happened = false;
    },
    get seen() {
      return seen;
    },
    get happened() {
      return happened;
    },
  };
}

function matches(client: pg.Client, { statement, application }: Fault, text: string): boolean {
  const { connectionParameters } = client as unknown as {
    connectionParameters: { application_name?: string };
  };
  if (application !== undefined && connectionParameters.application_name !== application) return false;
  return statement === undefined || new RegExp(statement, 'i').test(text);
}

function strike(client: pg.Client, { what, when, statement }: Fault): Error {
  if (what === 'kill' || what === 'stop') {
    writeSync(1, `${JSON.stringify({ kind: 'test.fault', msg: `${what} ${when} ${statement}` })}\n`);
    process.kill(process.pid, what === 'kill' ? 'SIGKILL' : 'SIGSTOP');
  }
  if (what === 'conflict') {
    return Object.assign(new Error('could not serialize access (injected)'), { code: '40001' });
  }
  if (what === 'unable') {
    const message = 'cannot execute INSERT in a read-only transaction (injected)';
    return Object.assign(new Error(message), { code: '25006' });
  }
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } };
  connection.stream.destroy();
  return new Error('Connection terminated unexpectedly');
}

const VARIABLE = 'SVC_TEST_FAULT';
const CLOCK_VARIABLE = 'SVC_TEST_CLOCK_OFFSETS_MS';
const RATE_VARIABLE = 'SVC_TEST_CLOCK_RATE';
/** Sets the wall clock of a node to its next offset; it says so with a line `test.jump`. */
export const JUMP_SIGNAL = 'SIGWINCH';

/** The environment of a node process in which a fault will happen, or whose wall clock is wrong, or runs too fast. */
export function faultyEnvironment(
  fault: Fault | null,
  options: { readonly clockOffsetsMs?: readonly number[]; readonly clockRate?: number } = {},
): Record<string, string> {
  return {
    NODE_OPTIONS: `--import=${import.meta.url}`,
    ...(fault === null ? {} : { [VARIABLE]: JSON.stringify(fault) }),
    ...(options.clockOffsetsMs === undefined
      ? {}
      : { [CLOCK_VARIABLE]: JSON.stringify(options.clockOffsetsMs) }),
    ...(options.clockRate === undefined ? {} : { [RATE_VARIABLE]: String(options.clockRate) }),
  };
}

const preloaded = process.env[VARIABLE];
if (preloaded !== undefined) installFaults().set(JSON.parse(preloaded) as Fault);

const offsets = process.env[CLOCK_VARIABLE];
if (offsets !== undefined) shiftClock(JSON.parse(offsets) as number[]);

function shiftClock([first = 0, ...later]: number[]): void {
  let offset = first;
  let count = 0;
  const RealDate = Date;
  const rate = Number(process.env[RATE_VARIABLE] ?? 1);
  const startedAt = RealDate.now();
  const shiftedNow = () => Math.floor(startedAt + (RealDate.now() - startedAt) * rate + offset);
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args: unknown[], newTarget) =>
      Reflect.construct(target, args.length === 0 ? [shiftedNow()] : args, newTarget) as object,
    apply: () => new RealDate(shiftedNow()).toString(),
    get: (target, name, receiver) => (name === 'now' ? shiftedNow : Reflect.get(target, name, receiver)),
  });
  if (later.length === 0 || !isMainThread) return;
  process.on(JUMP_SIGNAL, () => {
    offset = later.shift() ?? offset;
    count += 1;
    writeSync(1, `${JSON.stringify({ kind: 'test.jump', msg: `clock set by ${offset} ms`, count })}\n`);
  });
}
