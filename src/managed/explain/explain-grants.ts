import type { Db } from '#database/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import type { StoredObject } from '#repo/index.ts';
import { type Cause, findCauses } from '#security/index.ts';
import { asStored, isConditional } from '../grant/conditional-grant.ts';
import { isInEffect } from '../grant/temporal-constraint.ts';
import type { ManagedType } from '../managed-type.ts';
import type { ManagedTypes } from '../managed-types.ts';
import { formatRef, type Target } from '../relationship/edge.ts';
import type { Relationship } from '../relationship/relationship.ts';
import { explainCondition } from './explain-condition.ts';
import { type GrantRow, listGrants } from './grant-repository.ts';

/** What an explanation is read off, and what of that whoever asks may know. */
export interface Inquiry {
  readonly db: Db;
  readonly types: ManagedTypes;
  /**
   * What whoever asks is shown of some properties of what stands at a path, all of it that is shown by default for none;
   * undefined for what they may not read. `stored` is what is known of it.
   */
  readonly shown: (
    path: string,
    properties: readonly string[],
    stored: JsonObject,
  ) => Promise<JsonObject | undefined>;
  /** Whether they are shown a property of the object as it is stored. */
  readonly shows: (property: string) => Promise<boolean>;
  /** Tells which of some references in a property of the object they are shown there. */
  readonly keeps: (property: string, references: readonly Reference[]) => Promise<ReadonlySet<string>>;
  /** Epoch ms. */
  readonly now: number;
  readonly type: ManagedType;
  readonly object: StoredObject;
}

/** A reference as a read shows it; what is derived has no `_refProperties`. */
export interface Reference extends JsonObject {
  readonly _ref: string;
}

/** Why an object has an edge. What whoever asks may not read is left out. */
export interface Grant extends JsonObject {
  readonly _ref: string;
  /** `conditional`: while its condition holds; `temporal`: by hand, for a time; `manual`: by hand. */
  readonly via: 'manual' | 'conditional' | 'temporal';
  readonly inEffect: boolean;
  readonly edge: string;
  /** When it was made. */
  readonly at: string;
}

/** How many edges of one property of one object are explained; whoever has more is told so. */
export const MOST_GRANTS = 1_000;

/** The edges that an object has in a property, each with its reason. */
export async function explainGrants(
  inquiry: Inquiry,
  relationship: Relationship,
): Promise<{ readonly grants: readonly Grant[]; readonly isTruncated: boolean }> {
  const { db, type, object } = inquiry;
  const { property } = relationship;
  const owner = { collection: `managed/${type.name}`, id: object.id, property };
  const all = await listGrants(db, owner, MOST_GRANTS);
  const references = all.slice(0, MOST_GRANTS).map((row) => ({ row, reference: referenceOf(row) }));
  const kept = await inquiry.keeps(
    property,
    references.map(({ reference }) => reference),
  );
  const rows = references.flatMap(({ row, reference }) => (kept.has(reference._ref) ? [row] : []));
  const made = rows.map((row) => ({ paths: pathsOf(owner, row), at: row.madeAt }));
  const causes = await findCauses(db, made);
  const grants: Grant[] = [];
  for (const [at, row] of rows.entries()) {
    grants.push(await explain(inquiry, relationship, row, causes[at]));
  }
  return { grants, isTruncated: all.length > MOST_GRANTS };
}

function referenceOf({ id, target, properties }: GrantRow): Reference {
  return { _ref: formatRef(target), _refProperties: { _id: id, ...properties } };
}

/** Where the trail tells of an edge: at the end that wrote it, or of many at once at the end that has the condition. */
function pathsOf(owner: Target & { readonly property: string }, { id, target, reverse }: GrantRow) {
  const own = `${formatRef(owner)}/${owner.property}/${id}`;
  if (reverse === null) return [own];
  const other = `${formatRef(target)}/${reverse}`;
  return [own, `${other}/${id}`, other];
}

async function explain(
  inquiry: Inquiry,
  relationship: Relationship,
  { id, properties, madeAt, target, data }: GrantRow,
  cause: Cause | undefined,
): Promise<Grant> {
  const { conditionField, temporalField } = relationship;
  const own = properties['temporalConstraints'];
  const shared = temporalField === null ? undefined : data?.[temporalField];
  const byCondition = isConditional({ properties });
  const told =
    data !== null && (byCondition || isLimited(shared))
      ? await inquiry.shown(formatRef(target), governing(relationship), data)
      : undefined;
  const condition =
    byCondition && conditionField !== null
      ? await explainCondition(told?.[conditionField], conditionField, seenIn(inquiry), inquiry.shows)
      : null;
  return {
    _ref: formatRef(target),
    via: byCondition ? 'conditional' : isLimited(own) ? 'temporal' : 'manual',
    inEffect: data !== null && isInEffect(own, inquiry.now) && isInEffect(shared, inquiry.now),
    edge: id,
    at: madeAt.toISOString(),
    ...(await causeShown(inquiry, cause)),
    ...(condition === null ? {} : { condition: condition.condition, clauses: condition.clauses }),
    ...window(own, temporalField === null ? undefined : told?.[temporalField]),
  };
}

/** The properties of what a relationship leads to that say who has it, and when. */
export function governing({ conditionField, temporalField }: Relationship): readonly string[] {
  return [conditionField, temporalField].filter((name) => name !== null);
}

async function causeShown(inquiry: Inquiry, cause: Cause | undefined): Promise<JsonObject> {
  if (cause === undefined) return {};
  const { entry, by, transaction, process } = cause;
  const stored = { userId: by, transactionId: transaction };
  const told = await inquiry.shown(`audit/activity/${entry}`, [], stored);
  if (told === undefined) return {};
  const { userId, transactionId } = told;
  return {
    ...(userId === undefined ? {} : { by: userId }),
    ...(transactionId === undefined ? {} : { transaction: transactionId }),
    audit: entry,
    ...(process !== null && (await inquiry.shown(process, [], {})) !== undefined ? { process } : {}),
  };
}

/** The object as conditions see it. */
export function seenIn({ type, object }: Pick<Inquiry, 'type' | 'object'>): JsonObject {
  return asStored(type, object.data, object.id);
}

function isLimited(constraints: JsonValue | undefined): constraints is JsonValue[] {
  return Array.isArray(constraints) && constraints.length > 0;
}

/** Time spans of the edge, and of where it leads. */
function window(own: JsonValue | undefined, shared: JsonValue | undefined): JsonObject {
  const spans = {
    ...(isLimited(own) ? { grant: own } : {}),
    ...(isLimited(shared) ? { role: shared } : {}),
  };
  return Object.keys(spans).length === 0 ? {} : { window: spans };
}
