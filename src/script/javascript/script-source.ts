/** A script as its owner keeps it. Two with the same source share the work of parsing, whatever their names. */
export interface ScriptSource {
  /** What error messages and stack traces call it, such as a file path. */
  readonly name: string;
  readonly source: string;
  readonly revision?: string;
}
