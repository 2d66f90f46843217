import type { ParseArgsConfig } from 'node:util';

/** The ways a command ends: fine, with a finding, called wrongly; and what else a node may have to say to a request. */
export const EXIT = {
  OK: 0,
  FINDING: 1,
  USAGE: 2,
  NOT_ALLOWED: 3,
  NOT_FOUND: 4,
  CONFLICT: 5,
  UNREACHABLE: 6,
} as const;

/** What completion has to know of a verb. */
export interface Spoken {
  readonly takes?: readonly string[];
  readonly flags?: Readonly<Record<string, unknown>>;
}

export interface Command {
  readonly name: string;
  /** One line for the overview. */
  readonly summary: string;
  /** What stands below the usage line of its `--help`, with at least one example. */
  readonly help: string;
  readonly options: NonNullable<ParseArgsConfig['options']>;
  /** What it takes besides options, as its usage line names it. Default: nothing. */
  readonly arguments?: readonly string[];
  /** By verb, or '' where the command has none: what it takes and which flags it knows. Completion asks for it. */
  readonly verbs?: Readonly<Record<string, Spoken>>;
  /** @returns the exit code */
  run(
    flags: Readonly<Record<string, string | boolean | undefined>>,
    positionals: readonly string[],
  ): Promise<number>;
}
