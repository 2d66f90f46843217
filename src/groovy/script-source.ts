/** A script, or a part of the library that a script needs. */
export interface ScriptSource {
  /** What messages and traces call it. */
  readonly name: string;
  readonly source: string;
}

/** A place in a script: its name, and the line and column of its text, from 1. */
export interface ScriptPosition {
  readonly fileName: string;
  readonly line: number;
  readonly column: number;
}
