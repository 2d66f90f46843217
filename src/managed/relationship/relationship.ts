import { BadRequestError } from '#errors/index.ts';
import { isObject, type JsonObject } from '#json/index.ts';
import { formatPath, parsePath } from '#resource/index.ts';
import { isTrue, textOf } from '../declared.ts';

/** A property whose values are edges to other objects, compiled. */
export interface Relationship {
  readonly property: string;
  /** False: at most one edge. */
  readonly isArray: boolean;
  /** The property by which the other end knows the edge; null for a one-way relationship. */
  readonly reverseProperty: string | null;
  /** References must lead to objects that exist, and whose reverse property has room. */
  readonly validate: boolean;
  /** Collections it is declared for, such as `managed/role`. Not a limit: references may lead elsewhere. */
  readonly collections: readonly string[];
  /**
   * A property of the targets that holds a query filter: who matches it has an edge to the target, made and taken
   * away by the server.
   */
  readonly conditionField: string | null;
  /** A property of the targets that says when an edge to them is in effect; edges may say so, too. */
  readonly temporalField: string | null;
}

/** The relationship that a property declares; null for any other property. */
export function compileRelationship(property: string, definition: JsonObject): Relationship | null {
  const declared = holderOf(definition);
  const isArray = declared !== definition;
  if (!includesType(declared, 'relationship')) return null;
  const isTwoWay = isTrue(declared['reverseRelationship']);
  const reverse = declared['reversePropertyName'];
  const isNamed = typeof reverse === 'string' && reverse !== '';
  if (isTwoWay && !isNamed) {
    throw new BadRequestError(`The two-way relationship '${property}' does not name its reverse property`, {
      id: 'MANAGED_NO_REVERSE_PROPERTY',
      hint: "Give 'reversePropertyName', or set 'reverseRelationship' to false",
    });
  }
  return {
    property,
    isArray,
    reverseProperty: isTwoWay && isNamed ? reverse : null,
    validate: isTrue(declared['validate']),
    collections: collectionsOf(declared),
    conditionField: conditionFieldOf(declared),
    temporalField: textOf(declared, 'temporalConstraintsField') ?? enforcedField(declared),
  };
}

/** Newer files say it of each collection. */
function conditionFieldOf(declared: JsonObject): string | null {
  const own = textOf(declared, 'conditionalAssociationField');
  const fields = entriesOf(declared).map((entry) => textOf(entry, 'conditionalAssociationField'));
  return own ?? fields.find((field) => field !== null) ?? null;
}

/** Where newer files have time spans enforced, the targets call them so. */
function enforcedField(declared: JsonObject): string | null {
  return isTrue(declared['relationshipGrantTemporalConstraintsEnforced']) ? 'temporalConstraints' : null;
}

function collectionsOf(declared: JsonObject): string[] {
  return entriesOf(declared).map(pathOf);
}

function pathOf({ path }: JsonObject): string {
  return formatPath(parsePath(String(path)));
}

/** A collection that a relationship is declared for, with how its objects are listed where one is chosen. */
export interface RelationshipTarget {
  readonly path: string;
  readonly label: string | null;
  readonly query: JsonObject;
}

/** @param definition of the property, as declared */
export function targetsOf(definition: JsonObject): RelationshipTarget[] {
  const holder = holderOf(definition);
  return entriesOf(holder).map((entry) => {
    const { query } = entry;
    return { path: pathOf(entry), label: textOf(entry, 'label'), query: isObject(query) ? query : {} };
  });
}

/** What edges may say of themselves, as declared. */
export function edgePropertiesOf(definition: JsonObject): JsonObject {
  const { properties } = holderOf(definition);
  const own = isObject(properties) ? properties['_refProperties'] : undefined;
  const declared = isObject(own) && isObject(own['properties']) ? own['properties'] : {};
  const { _id, _rev, ...further } = declared;
  return further;
}

/** The items of a list declare what a single relationship declares itself. */
function holderOf(definition: JsonObject): JsonObject {
  const items = isObject(definition['items']) ? definition['items'] : {};
  const isList = includesType(definition, 'array') && includesType(items, 'relationship');
  return isList ? { ...definition, ...items } : definition;
}

/** Older files have one of them without the array. */
function entriesOf({ resourceCollection }: JsonObject): JsonObject[] {
  const entries = Array.isArray(resourceCollection) ? resourceCollection : [resourceCollection];
  return entries.filter((entry): entry is JsonObject => isObject(entry ?? null));
}

function includesType(definition: JsonObject, type: string): boolean {
  const declared = definition['type'];
  return declared === type || (Array.isArray(declared) && declared.includes(type));
}
