/** A script as its owner keeps it. Two with the same source share the work of parsing, whatever their names. */
export interface ScriptSource {
  /** What error messages and stack traces call it, such as a file path. */
  readonly name: string;
  readonly source: string;
  readonly revision?: string;
}

export interface ModuleSource extends ScriptSource {
  /**
   * A library that asks the host for nothing and sees no bindings: an instance evaluates it once and keeps it, so
   * that the runs which require it find it ready.
   */
  readonly isShared?: boolean;
}
