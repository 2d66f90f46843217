import type { Sample } from './metric.ts';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';
type Facts = Readonly<Record<string, unknown>>;

/** What can be said, and what each sink makes of it. `T` is what is said beside the kind. */
export interface Row<T> {
  readonly level: LogLevel | ((said: T) => LogLevel);
  /** The line of the log. */
  readonly text: (said: T) => string;
  /** What stands beside the line. */
  readonly facts?: (said: T) => Facts;
  /** What is counted or measured. */
  readonly counts?: (said: T) => Sample | readonly Sample[];
  /** For news that come in floods: two with the same words count as the same, and the second is left out for a while. */
  readonly sameAs?: (said: T) => string;
}

export function said<T>(row: Row<T>): Row<T> {
  return row;
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
