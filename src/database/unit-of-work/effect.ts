import type { RawBuilder } from 'kysely';

/** An effect outside the database that waits for the commit; a dry run lists it and does not cause it. */
export interface Effect {
  readonly what: string;
  readonly run: () => void | Promise<void>;
  /** Whoever asked for the work is told of its failure, though what was stored stays. */
  readonly isTold?: boolean;
  /** Set where all that it does is to wake somebody. */
  readonly wake?: Wake;
}

/** Wakes whoever waits for what is committed: behind the commit, in flight with it, or after its answer. */
export interface Wake {
  /** What the effect wakes; a commit wakes each topic once. */
  readonly topic: string;
  /** Asked as the commit leaves; undefined where it is left to `run`. */
  readonly statement: () => RawBuilder<unknown> | undefined;
  readonly run: () => void;
}

/** A line that a script logged, as a dry run reports it. */
export interface LogEntry {
  readonly script: string;
  readonly level: string;
  readonly message: string;
  /** The step of the trace in which it was said. */
  readonly step?: number;
}

/** Sends what wakes somebody, as far as it goes so, and takes that off the list. */
export function sendWakes(effects: Effect[], send: (statement: RawBuilder<unknown>) => void): void {
  const isSent = new Map<string, boolean>();
  const left = effects.filter(({ wake }) => {
    if (wake === undefined) return true;
    if (!isSent.has(wake.topic)) {
      const statement = wake.statement();
      if (statement !== undefined) send(statement);
      isSent.set(wake.topic, statement !== undefined);
    }
    return isSent.get(wake.topic) === false;
  });
  effects.splice(0, effects.length, ...left);
}
