import type { JsonObject, JsonValue } from '#json/index.ts';
import type { ClientContext } from '#resource/index.ts';

export const ACTS = ['patch', 'delete', 'action', 'export', 'import'] as const;
export type Act = (typeof ACTS)[number];

/** How an export is written: a JSON object, or a row of values, to the line. */
export const FORMATS = ['jsonl', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

/** What an import does with an object that is there already: leaves it alone, or replaces it. */
export const MODES = ['create', 'replace'] as const;
export type Mode = (typeof MODES)[number];

/** What an operation does with each of its objects. */
export interface Operation {
  readonly act: Act;
  /** The name of the action. */
  readonly action: string | null;
  /** JSON pointers of what an export reads; empty for all default fields. */
  readonly fields: readonly string[];
  readonly format: Format;
  readonly mode: Mode;
  /** The property by whose value an import knows an object that has no `_id`. */
  readonly key: string | null;
  /** Where its maker came from: each object is asked for as from there. */
  readonly client: ClientContext;
  /** Ids of the first objects, or of an import its first lines. */
  readonly sample: readonly string[];
  /** The query finds more than the limit. */
  readonly more: boolean;
  /** The operations of a patch, the body of an action; null without. */
  readonly content: JsonValue;
}

/** An operation as it is stored: with the content encrypted, because it may hold passwords. */
export interface StoredOperation extends Omit<Operation, 'content'> {
  readonly content: JsonObject;
}
