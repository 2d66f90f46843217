import { BadRequestError, didYouMean, NotFoundError } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { bodyOf, formatPath, parsePath, textMember, type WhyLink, whyOf } from '#resource/index.ts';
import { waysOf } from '../derive/derivation.ts';
import { followPath } from '../derive/derivation-repository.ts';
import { areInEffect } from '../derive/derive-properties.ts';
import { isInEffect } from '../grant/temporal-constraint.ts';
import { type DerivedProperty, isDerived } from '../managed-property.ts';
import type { ManagedType } from '../managed-type.ts';
import { formatRef } from '../relationship/edge.ts';
import type { Relationship } from '../relationship/relationship.ts';
import { listObjects } from '../relationship/target-repository.ts';
import { explainCondition, type ToldCondition } from './explain-condition.ts';
import { explainGrants, type Grant, governing, type Inquiry, seenIn } from './explain-grants.ts';

/** What is asked: a property that is read off relationships, and perhaps why one object is, or is not, behind it. */
export interface Question {
  readonly property: DerivedProperty;
  readonly relationship: Relationship;
  /** The path of the object, such as `managed/role/engineer`. */
  readonly target: string | null;
}

/** As it is sent. */
export const QUESTION = bodyOf({
  property: textMember('The property, such as effectiveRoles'),
  role: textMember('Why this one is not there: its id, or its path'),
});

/** @throws BadRequestError for what is no property that is read off relationships, or one that nobody is shown */
export function parseQuestion(type: ManagedType, content: JsonValue): Question {
  const { property: name = null, role = null }: JsonObject = isObject(content) ? content : {};
  const explained = explainedOf(type);
  const names = explained.map((one) => one.name);
  const asked = name === null && role !== null ? names[0] : name;
  const property = explained.find((one) => one.name === asked);
  const relationship = type.relationships.get(property?.derivation.path[0] ?? '');
  if (property === undefined || relationship === undefined) {
    throw new BadRequestError(`${JSON.stringify(asked)} of '${type.name}' cannot be explained`, {
      id: 'EXPLAIN_UNKNOWN_PROPERTY',
      field: '/property',
      hint:
        (typeof asked === 'string' ? didYouMean(asked, names) : undefined) ??
        (names.length === 0
          ? 'It has no property that is read off relationships'
          : `It explains ${names.join(', ')}`),
    });
  }
  if (role === null) return { property, relationship, target: null };
  if (typeof role !== 'string' || role === '') {
    throw new BadRequestError(`${JSON.stringify(role)} is not the id of a role`, {
      id: 'EXPLAIN_UNKNOWN_ROLE',
      field: '/role',
      hint: 'Such as "engineer", or "managed/role/engineer"',
    });
  }
  const [collection = ''] = relationship.collections;
  return { property, relationship, target: role.includes('/') ? role : `${collection}/${role}` };
}

/** Whether the type has something that can be explained. */
export function isExplained(type: ManagedType): boolean {
  return explainedOf(type).length > 0;
}

function explainedOf(type: ManagedType): readonly DerivedProperty[] {
  return [...type.compiled.values()]
    .filter(isDerived)
    .filter((one) => !one.isPrivate && !type.privates.has(one.derivation.path[0] ?? ''));
}

/** Where the values of the property come from, or why one object is, or is not, among those that they are read off. */
export async function explainDerived(inquiry: Inquiry, question: Question): Promise<JsonObject> {
  const { grants, isTruncated } = await explainGrants(inquiry, question.relationship);
  if (question.target !== null) return explainOne(inquiry, question, question.target, grants);
  const { name, derivation } = question.property;
  const [first] = derivation.path;
  const more: JsonObject = isTruncated ? { truncated: true } : {};
  if (derivation.path.length === 1) return { [name]: await left(inquiry, name, grants), ...more };
  const shown = new Set(grants.map(({ _ref }) => _ref));
  const ends = await left(inquiry, name, await listEnds(inquiry, question.property, String(first), shown));
  return { [name]: ends, [String(first)]: [...grants], ...more };
}

/** The references that a read of the property would leave. */
async function left<T extends { readonly _ref: string }>(
  inquiry: Inquiry,
  property: string,
  told: readonly T[],
): Promise<T[]> {
  const kept = await inquiry.keeps(
    property,
    told.map(({ _ref }) => ({ _ref })),
  );
  return told.filter(({ _ref }) => kept.has(_ref));
}

/** The ends of the paths, each with the first steps that lead to it: those that are shown. */
async function listEnds(
  inquiry: Inquiry,
  { derivation }: DerivedProperty,
  first: string,
  shown: ReadonlySet<string>,
) {
  const { db, type, object, types, now } = inquiry;
  const ends = new Map<string, { inEffect: boolean; by: Map<string, boolean> }>();
  for (const way of waysOf(derivation)) {
    const path = { properties: way.path, least: way.path.length };
    const found = await followPath(db, `managed/${type.name}`, [object.id], path);
    for (const steps of found.get(object.id) ?? []) {
      const [start, last] = [steps[0], steps.at(-1)];
      if (start === undefined || last === undefined) continue;
      const ref = formatRef(last.target);
      const end = ends.get(ref) ?? { inEffect: false, by: new Map<string, boolean>() };
      const isValid = areInEffect({ types }, type, way, steps, now);
      const from = formatRef(start.target);
      if (!shown.has(from)) continue;
      end.inEffect ||= isValid;
      end.by.set(from, (end.by.get(from) ?? false) || isValid);
      ends.set(ref, end);
    }
  }
  return [...ends].map(([_ref, { inEffect, by }]) => ({
    _ref,
    inEffect,
    [first]: [...by].map(([from, isValid]) => ({ _ref: from, inEffect: isValid })),
  }));
}

async function explainOne(
  inquiry: Inquiry,
  { relationship }: Question,
  target: string,
  grants: readonly Grant[],
): Promise<JsonObject> {
  const own = grants.filter(({ _ref }) => _ref === target);
  const path = parsePath(target);
  const [id = '', collection] = [path.at(-1), formatPath(path.slice(0, -1))];
  const { conditionField, temporalField } = relationship;
  const [stored] = await listObjects(inquiry.db, collection, [id]);
  const found =
    stored === undefined ? undefined : await inquiry.shown(target, governing(relationship), stored.data);
  // What may not be read is not told from what is not there.
  if (found === undefined && own.length === 0) throw new NotFoundError(`Resource '${target}' not found`);
  const condition =
    conditionField === null
      ? null
      : await explainCondition(found?.[conditionField], conditionField, seenIn(inquiry), inquiry.shows);
  const span = temporalField === null ? undefined : found?.[temporalField];
  const has = own.some(({ inEffect }) => inEffect);
  const why = has ? whyHas(own) : whyNot(own, condition, inquiry.now);
  return {
    _ref: target,
    has,
    ...whyOf(has ? 'granted' : own.length > 0 ? 'notInEffect' : 'notGranted', why, own.map(linkOf)),
    grants: [...own],
    ...(condition === null ? {} : { condition: condition.condition, clauses: condition.clauses }),
    ...(Array.isArray(span) && span.length > 0 ? { window: { role: span } } : {}),
  };
}

const MADE = {
  manual: 'granted by hand',
  temporal: 'granted by hand for a time',
  conditional: 'granted because its condition held',
} as const;

function linkOf({ via, at, by, audit, process, condition, window }: Grant): WhyLink {
  const spans = isObject(window)
    ? Object.values(window).flatMap((span) => (Array.isArray(span) ? span : []))
    : [];
  const times = spans.flatMap((span) =>
    isObject(span) && typeof span['duration'] === 'string' ? span['duration'] : [],
  );
  const text = [
    MADE[via],
    typeof by === 'string' ? ` by ${by}` : '',
    typeof process === 'string' ? ` through ${process}` : '',
    typeof condition === 'string' ? `: ${condition}` : '',
    times.length === 0 ? '' : `, in effect ${times.join(' and ')}`,
  ].join('');
  return { at, text, ...(typeof audit === 'string' ? { ref: `audit/activity/${audit}` } : {}) };
}

function whyHas(own: readonly Grant[]): string {
  const via = own.find(({ inEffect }) => inEffect)?.via;
  if (via === 'conditional') return 'Its condition holds';
  return via === 'temporal' ? 'It is granted by hand, for a time that is now' : 'It is granted by hand';
}

function whyNot(own: readonly Grant[], condition: ToldCondition | null, now: number): string {
  if (own.length > 0) {
    return own.some(({ window }) => isInEffect(isObject(window) ? window['grant'] : undefined, now))
      ? 'It is granted, and is itself not in effect now'
      : 'It is granted for a time that is not now';
  }
  if (condition === null) return 'Nobody has granted it, and it has no condition that you are shown';
  const { clauses, holds } = condition;
  const failing = clauses.find(({ result }) => result === false);
  if (failing !== undefined) {
    return `Nobody has granted it, and its condition does not hold: ${failing.text} is false`;
  }
  if (clauses.some(({ result }) => result === null)) {
    return 'Nobody has granted it, and its condition looks at what you are not shown';
  }
  return holds
    ? 'Its condition holds for what is stored, and has not been looked at since: triggerSyncCheck does that'
    : 'Nobody has granted it, and its condition cannot be read';
}
