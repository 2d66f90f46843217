import { hasEnvelope, withSeals } from '#crypto/index.ts';
import { firstOf, type JsonObject, type Pointer, setMember } from '#json/index.ts';
import { placeFields } from '#resource/index.ts';
import type { ManagedType } from '../managed-type.ts';

/** What is asked of a relationship: its edges, and perhaps fields of what they lead to. */
export interface ReferenceFields {
  /** Pointers into the referenced object; empty for the edge alone. */
  readonly fields: readonly Pointer[];
  /** The place of the only element that is wanted, for `roles/0`. */
  readonly index: number | null;
}

/** `_fields`, understood for a type. */
export interface FieldPlan {
  /** All that is shown without being asked for. */
  readonly hasDefaults: boolean;
  /** Fields asked for by name; their values stand under the last token of the pointer. */
  readonly named: readonly Pointer[];
  readonly references: ReadonlyMap<string, ReferenceFields>;
}

/** Members of an edge itself: asking for them asks for no referenced object. */
const OF_THE_EDGE: ReadonlySet<string> = new Set(['_ref', '_refProperties']);

/**
 * `*` and no fields at all mean the defaults, `*_ref` all relationships, `roles/*` the roles with the default fields
 * of what they refer to, `roles/0/name` and `manager/mail` with the named ones.
 */
export function planFields(type: ManagedType, pointers: readonly Pointer[]): FieldPlan {
  const asked = pointers.length === 0 ? NO_FIELDS : pointers;
  const ofType = plans.get(type) ?? new WeakMap<readonly Pointer[], FieldPlan>();
  plans.set(type, ofType);
  const plan = ofType.get(asked) ?? compilePlan(type, asked);
  ofType.set(asked, plan);
  return plan;
}

const NO_FIELDS: readonly Pointer[] = [];
/** One request plans its fields more than once, and most requests ask for nothing in particular. */
const plans = new WeakMap<ManagedType, WeakMap<readonly Pointer[], FieldPlan>>();

function compilePlan(type: ManagedType, pointers: readonly Pointer[]): FieldPlan {
  const named: Pointer[] = [];
  const references = new Map<string, ReferenceFields>();
  const ask = (property: string, fields: readonly Pointer[], index: number | null = null) => {
    const before = references.get(property);
    references.set(property, {
      fields: [...(before?.fields ?? []), ...fields],
      index: before === undefined || before.index === index ? index : null,
    });
  };
  const hasDefaults =
    pointers.length === 0 || pointers.some((pointer) => pointer.length === 0 || pointer[0] === '*');
  for (const pointer of pointers) {
    const [name, ...rest] = pointer;
    if (name === undefined || name === '*') continue;
    const relationship = type.relationships.get(name);
    if (name === '*_ref') {
      for (const property of type.relationships.keys()) ask(property, []);
    } else if (relationship === undefined) {
      named.push(pointer);
    } else if (relationship.isArray) {
      askArray(ask, name, rest);
    } else {
      ask(name, ofTheTarget(rest));
    }
  }
  if (hasDefaults) {
    for (const property of type.relationships.keys()) {
      if (!type.hidden.has(property)) ask(property, []);
    }
  }
  return { hasDefaults, named, references };
}

function askArray(
  ask: (property: string, fields: readonly Pointer[], index?: number | null) => void,
  name: string,
  rest: Pointer,
): void {
  const [element, ...below] = rest;
  const index = element !== undefined && /^\d+$/.test(element) ? Number(element) : null;
  // `roles/*` means the default fields of each, and so does a longer form.
  if (element === '*' && below.length === 0) ask(name, [['*']]);
  else if (element === '*' || index !== null) ask(name, ofTheTarget(below), index);
  else ask(name, ofTheTarget(rest));
}

function ofTheTarget(pointer: Pointer): readonly Pointer[] {
  return pointer.length === 0 || OF_THE_EDGE.has(firstOf(pointer)) ? [] : [pointer];
}

/** Whether the plan shows a property, so that it has to be calculated. */
export function shows(plan: FieldPlan, name: string, isDefault: boolean): boolean {
  return (plan.hasDefaults && isDefault) || plan.named.some((pointer) => pointer[0] === name);
}

/** Whether objects beyond the edges are read. */
export function followsReferences(type: ManagedType, pointers: readonly Pointer[]): boolean {
  return [...planFields(type, pointers).references.values()].some(({ fields }) => fields.length > 0);
}

interface Form {
  /** Private properties are left out. */
  readonly isExternal: boolean;
  /** Whether seals stand in place of what is encrypted or hashed. */
  readonly isSealed: boolean;
  readonly isNested: boolean;
}

/** The members of an object that a plan shows; references stand under the name of their property. */
export function selectPlanned(
  type: ManagedType,
  plan: FieldPlan,
  object: JsonObject,
  { isExternal, isSealed, isNested }: Form,
): JsonObject {
  const hidesNothing =
    type.hidden.size === 0 && !(isExternal && type.privates.size > 0) && !(isSealed && hasEnvelope(object));
  if (hidesNothing && plan.hasDefaults && plan.named.length === 0 && plan.references.size === 0)
    return object;
  const visible: JsonObject = {};
  for (const [name, value] of Object.entries(object)) {
    if (isExternal && type.privates.has(name)) continue;
    setMember(visible, name, isSealed && hasEnvelope(value) ? withSeals(value) : value);
  }
  const selected: JsonObject = {};
  if (plan.hasDefaults) {
    for (const [name, value] of Object.entries(visible)) {
      if (!type.hidden.has(name) || plan.references.has(name)) setMember(selected, name, value);
    }
  }
  placeFields(selected, visible, plan.named, isNested);
  for (const name of plan.references.keys()) {
    const value = visible[name];
    if (value !== undefined) setMember(selected, name, value);
  }
  return selected;
}
