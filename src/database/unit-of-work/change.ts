import type { JsonValue } from '#json/index.ts';

/** One stored change, for the report of a dry run and for the audit. */
export interface Change {
  readonly resource: string;
  readonly operation: 'create' | 'update' | 'delete';
  /** An update that was asked for as a patch. */
  readonly isPatch?: boolean;
  readonly before: JsonValue;
  readonly after: JsonValue;
  /** Members of both that are shown to nobody outside. */
  readonly privates?: ReadonlySet<string>;
  /** The only one whom it belongs to, as `component/id`; nobody else takes it back. */
  readonly owner?: string;
  /** Paths of others whom a rehearsed change is about, by what it means to them. It is told, and not recorded. */
  readonly concerns?: Readonly<Record<string, readonly string[]>>;
  /** Default: that of the unit of work. */
  readonly actor?: Actor;
}

/** The user and the request for whom a unit of work changes things. */
export interface Actor {
  readonly userId: string;
  /**
   * The id of the request's transaction, with what is appended to it on the way down to the request that changes
   * something.
   */
  readonly transactionId: string;
}
