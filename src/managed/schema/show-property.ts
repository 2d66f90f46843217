import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { isTrue } from '../declared.ts';
import type { ManagedProperty } from '../managed-property.ts';
import { isUnique } from '../name-by-query.ts';
import { edgePropertiesOf, type Relationship, targetsOf } from '../relationship/relationship.ts';

/** What is shown of a property as it is declared. */
const WORDS = [
  'title',
  'description',
  'format',
  'enum',
  'enumTitles',
  'titles',
  'group',
  'placeholder',
  'default',
  'minLength',
  'maxLength',
  'pattern',
  'minimum',
  'maximum',
] as const;

/** One that is left out is false. */
const FLAGS = ['searchable', 'userEditable', 'isVirtual', 'isProtected', 'returnByDefault'] as const;

export interface PropertyFacts {
  readonly isRequired: boolean;
  /** Undefined where the property needs no index. */
  readonly index: 'ready' | 'building' | undefined;
  readonly rules: JsonObject;
  /** Whether the caller may list the objects of a collection. */
  readonly mayList: (collection: string) => boolean;
}

export function showProperty(property: ManagedProperty, facts: PropertyFacts): JsonObject {
  const { definition, relationship, isPrivate, encryption, hashAlgorithm } = property;
  const { isRequired, index, rules, mayList } = facts;
  return {
    ...(relationship === null ? shapeOf(definition) : wordsOf(definition)),
    ...(isRequired ? { required: true } : {}),
    ...(isHidden(definition) ? { viewable: false } : {}),
    ...Object.fromEntries(FLAGS.filter((flag) => isTrue(definition[flag])).map((flag) => [flag, true])),
    ...(isPrivate ? { private: true } : {}),
    ...(isUnique(definition) ? { unique: true } : {}),
    ...(encryption === null ? {} : { stored: 'encrypted' }),
    ...(hashAlgorithm === null ? {} : { stored: 'hash' }),
    ...(index === undefined ? {} : { index }),
    ...(relationship === null ? {} : { relationship: showRelationship(relationship, definition, mayList) }),
    ...rules,
  };
}

/** Whether users are not meant to see it in forms and lists. */
export function isHidden({ viewable }: JsonObject): boolean {
  return viewable === false || viewable === 'false';
}

/** A value with all that is in it. */
function shapeOf(definition: JsonObject): JsonObject {
  const { type, items, properties, required } = definition;
  return {
    ...(type === undefined ? {} : { type }),
    ...wordsOf(definition),
    ...(isObject(items) ? { items: shapeOf(items) } : {}),
    ...(isObject(properties) ? { properties: shapesOf(properties) } : {}),
    // Whether the property itself is required stands beside it; this is about what is in it.
    ...(Array.isArray(required) ? { requiredProperties: required } : {}),
  };
}

function shapesOf(properties: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, each]) => [name, isObject(each) ? shapeOf(each) : {}]),
  );
}

function wordsOf(definition: JsonObject): JsonObject {
  const said = WORDS.map((word) => [word, definition[word]] as const);
  return Object.fromEntries(
    said.filter((pair): pair is [(typeof pair)[0], JsonValue] => pair[1] !== undefined),
  );
}

function showRelationship(
  { isArray, reverseProperty, conditionField, temporalField }: Relationship,
  definition: JsonObject,
  mayList: (collection: string) => boolean,
): JsonObject {
  return {
    many: isArray,
    reverse: reverseProperty,
    // How the objects are listed is told to those who may list them.
    targets: targetsOf(definition).map(({ path, label, query }) => ({
      path,
      label,
      ...(mayList(path)
        ? {
            fields: query['fields'] ?? [],
            sortKeys: query['sortKeys'] ?? [],
            filter: query['queryFilter'] ?? 'true',
          }
        : {}),
    })),
    refProperties: shapesOf(edgePropertiesOf(definition)),
    ...(conditionField === null ? {} : { conditional: conditionField }),
    ...(temporalField === null ? {} : { temporal: temporalField }),
  };
}
