import type { LogLevel, Observation, ObservationKind } from '../observation.ts';

/** What the log has of an observation: the message first, then facts. */
export interface Line {
  readonly level: LogLevel;
  readonly message: string;
  readonly [fact: string]: unknown;
}

/** The line of each kind whose name begins so; a kind without a line does not compile. */
export type Lines<Family extends string> = {
  readonly [Kind in Extract<ObservationKind, `${Family}.${string}`>]: (
    said: Extract<Observation, { kind: Kind }>,
  ) => Line;
};

type Facts = Readonly<Record<string, unknown>>;

export const trace = (message: string, facts: Facts = {}): Line => at('trace', message, facts);
export const debug = (message: string, facts: Facts = {}): Line => at('debug', message, facts);
export const info = (message: string, facts: Facts = {}): Line => at('info', message, facts);
export const warn = (message: string, facts: Facts = {}): Line => at('warn', message, facts);
export const error = (message: string, facts: Facts = {}): Line => at('error', message, facts);

export function at(level: LogLevel, message: string, facts: Facts = {}): Line {
  return { level, message, ...facts };
}

export function ms(span: number): string {
  return `${Math.round(span * 10) / 10}ms`;
}

export function iso(instant: number | null): string | null {
  return instant === null ? null : new Date(instant).toISOString();
}

export function errorFacts(thrown: unknown): Facts {
  if (!(thrown instanceof Error)) return { error: String(thrown) };
  const cause = thrown.cause instanceof Error ? { cause: thrown.cause.stack } : {};
  return { error: thrown.message, stack: thrown.stack, ...cause };
}
