import type { Db, UnitOfWork } from '#database/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import type { Context } from '#resource/index.ts';

/** What a rule says that was not met. */
export type FailedRequirement = JsonObject & { readonly policyRequirement: string };

/** What a policy looks at. */
export interface PolicyInput {
  /** The value of the property; undefined when it is absent. */
  readonly value: JsonValue | undefined;
  readonly params: JsonObject;
  readonly property: string;
  readonly object: JsonObject;
  /** Requirements of this property that failed so far. */
  readonly failed: readonly string[];
  readonly place: PolicyPlace;
  /** The context of whoever brings the value. */
  readonly context: Context;
}

/** Where the object stands that is validated. */
export interface PolicyPlace {
  /** Such as `managed/user`. */
  readonly collection: string;
  /** Null for an object that is not stored yet. */
  readonly id: string | null;
  readonly db: () => Promise<Db>;
  /** Where what is found may be asked for again at the commit instead of being locked until then. */
  readonly unitOfWork?: UnitOfWork;
  /** The stored object, decrypted; null when there is none. */
  readonly stored: () => Promise<JsonObject | null>;
  /** Whether a finding must stay true until the end of the transaction. */
  readonly isBinding: boolean;
  /** Whether the text is the one that a stored value keeps, as a hash or encrypted. */
  readonly matches: (text: string, stored: JsonValue) => Promise<boolean>;
  /** Whether a property keeps what its caller is not shown, and must not find out; none when absent. */
  readonly isSecret?: (property: string) => boolean;
  /** Whether the caller may be told which other objects there are. */
  readonly tellsOfOthers: boolean;
  /** Names of the mappings there are. */
  readonly mappings: () => readonly string[];
}

/** A policy of the catalogue; an empty answer means that it is met. */
export interface Policy {
  readonly id: string;
  readonly requirements: readonly string[];
  /** What it is given besides the value, each by a schema; `required` where it means nothing without. */
  readonly params?: Readonly<Record<string, JsonObject>>;
  /** Absent properties need not be asked about. */
  readonly skipsAbsent: boolean;
  /** It depends on nothing that other policies do, and is asked together with others. */
  readonly asksDatabase?: true;
  check(input: PolicyInput): FailedRequirement[] | Promise<FailedRequirement[]>;
}

export const wholeNumber = (description: string): JsonObject => ({
  type: 'integer',
  required: true,
  description,
});
export const listOfTexts = (description: string): JsonObject => ({
  type: 'array',
  items: { type: 'string' },
  description,
});

export const MET: FailedRequirement[] = [];

export function unmet(
  policyRequirement: string,
  params?: JsonObject,
  top: JsonObject = {},
): FailedRequirement[] {
  return [{ policyRequirement, ...top, ...(params === undefined ? {} : { params }) }];
}
