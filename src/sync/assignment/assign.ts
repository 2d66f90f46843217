import { cloneJson, isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { keyOfValue } from '../value-key.ts';
import { operationNamed } from './operation.ts';

/** An assignment as it is in effect for a source object, with what it says of attributes of the target. */
export type Assignment = JsonObject;

export interface Attribute {
  readonly name: string;
  readonly value: JsonValue;
  readonly assignmentOperation: string;
  readonly unassignmentOperation: string;
}

/** The target in work, and a copy of what is stored of it; both are changed in place. */
export interface Targets {
  readonly target: JsonObject;
  readonly existing: JsonObject;
}

/** The assignments that are in effect for a mapping and a link qualifier. */
export function assignmentsFor(
  effective: JsonValue | undefined,
  mapping: string,
  qualifier: string,
): readonly Assignment[] {
  if (!Array.isArray(effective)) return [];
  return effective.filter(isObject).filter((assignment) => {
    const { linkQualifiers } = assignment;
    const isFor = !Array.isArray(linkQualifiers) || linkQualifiers.length === 0;
    return assignment['mapping'] === mapping && (isFor || linkQualifiers.includes(qualifier));
  });
}

export function attributesOf({ attributes }: Assignment): readonly Attribute[] {
  if (!Array.isArray(attributes)) return [];
  return attributes.filter(isObject).map(({ name, value, assignmentOperation, unassignmentOperation }) => ({
    name: String(name),
    value: value ?? null,
    assignmentOperation: String(assignmentOperation ?? 'replaceTarget'),
    unassignmentOperation: String(unassignmentOperation ?? 'removeFromTarget'),
  }));
}

/** What is taken back of an assignment: that is gone, or has attributes that have changed. */
export interface Unassignment {
  readonly assignment: Assignment;
  readonly attributes: readonly Attribute[];
  /** Whether the assignment itself is not in effect any more. */
  readonly isGone: boolean;
}

/** @param before those that were in effect when the target was written last */
export function unassignments(
  before: readonly Assignment[],
  now: readonly Assignment[],
): readonly Unassignment[] {
  const byIdentity = new Map(now.map((assignment) => [identityOf(assignment), assignment]));
  return before.flatMap((assignment) => {
    const identity = identityOf(assignment);
    const current = identity === null ? undefined : byIdentity.get(identity);
    const kept = new Set(current === undefined ? [] : attributesOf(current).map(keyOfAttribute));
    const attributes = attributesOf(assignment).filter((attribute) => !kept.has(keyOfAttribute(attribute)));
    const isGone = current === undefined;
    return attributes.length === 0 && !isGone ? [] : [{ assignment, attributes, isGone }];
  });
}

/** Takes attributes back. @returns the names of those that it was about */
export function unassign({ target, existing }: Targets, attributes: readonly Attribute[]): readonly string[] {
  for (const { name, value, unassignmentOperation } of attributes) {
    const operation = operationNamed(unassignmentOperation);
    for (const side of [target, existing]) {
      const held = side[name] ?? null;
      side[name] = operation({ target: held, existing: held, value, isFollowing: false });
    }
  }
  return attributes.map(({ name }) => name);
}

/**
 * Gives attributes.
 *
 * @param given names of attributes that assignments have given before in this mapping; grows
 */
export function assign(
  { target, existing }: Targets,
  attributes: readonly Attribute[],
  given: Set<string>,
): void {
  for (const { name, value, assignmentOperation } of attributes) {
    const operation = operationNamed(assignmentOperation);
    const operands = { target: target[name] ?? null, existing: existing[name] ?? null };
    target[name] = operation({ ...operands, value: cloneJson(value), isFollowing: given.has(name) });
    given.add(name);
  }
}

function identityOf(assignment: Assignment): string | null {
  const identity = assignment['_id'] ?? assignment['name'] ?? null;
  return identity === null ? null : keyOfValue(identity);
}

function keyOfAttribute(attribute: Attribute): string {
  return keyOfValue({ ...attribute });
}
