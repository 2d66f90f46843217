import { isObject, type JsonObject, type JsonValue, setMember } from '#json/index.ts';
import type { JsonSchema } from './json-schema.ts';

/** A key that the schema does not describe. */
export interface UndescribedKey {
  readonly path: readonly PropertyKey[];
  readonly key: string;
  /** Strict objects refuse it, others keep it. */
  readonly refused: boolean;
  /** Keys that could stand here. */
  readonly candidates: readonly string[];
}

/** Refused ones, and others; each is compared with what it may be a misspelling of. */
const MOST_UNDESCRIBED = 1_000;

/**
 * Takes out of a value what its schema need not see: comments (keys that begin with `#`, and in strict objects
 * `_` and `$schema`) and the unknown keys of strict objects. Maps of free JSON are left alone. Of `undescribed`, the first `MOST_UNDESCRIBED` of each kind.
 */
export function separateKeys(
  value: JsonValue,
  schema: JsonSchema,
): { readonly value: JsonValue; readonly undescribed: readonly UndescribedKey[] } {
  const undescribed: UndescribedKey[] = [];
  const left = { refused: MOST_UNDESCRIBED, kept: MOST_UNDESCRIBED };
  return { value: visit(value, schema, []), undescribed };

  function visit(part: JsonValue, reference: JsonSchema, path: readonly PropertyKey[]): JsonValue {
    const described = dereference(reference);
    if (Array.isArray(part)) {
      const { items } = described;
      return items === undefined
        ? part
        : part.map((element, index) => visit(element, items, [...path, index]));
    }
    return isObject(part) ? visitObject(part, described, path) : part;
  }

  function visitObject(part: JsonObject, described: JsonSchema, path: readonly PropertyKey[]): JsonObject {
    const { properties, additionalProperties: others } = described;
    const mapOfDescribed = typeof others === 'object' && dereference(others).properties !== undefined;
    const kept: JsonObject = {};
    for (const [key, member] of Object.entries(part)) {
      if (key.startsWith('#') && (properties !== undefined || mapOfDescribed)) continue;
      const own = properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined;
      const memberSchema = own ?? (typeof others === 'object' ? others : {});
      if (properties !== undefined && own === undefined) {
        const refused = others === false;
        if (isPrivate(key)) {
          if (refused) continue;
        } else if (refused || isEmpty(memberSchema)) {
          if (left[refused ? 'refused' : 'kept']-- > 0) {
            undescribed.push({ path, key, refused, candidates: Object.keys(properties) });
          }
          if (refused) continue;
        }
      }
      setMember(kept, key, visit(member, memberSchema, [...path, key]));
    }
    return kept;
  }

  function dereference({ $ref, ...rest }: JsonSchema): JsonSchema {
    if ($ref === undefined) return rest;
    return $ref === '#' ? schema : (schema.$defs?.[$ref.replace('#/$defs/', '')] ?? {});
  }
}

function isPrivate(key: string): boolean {
  return key.startsWith('_') || key === '$schema';
}

function isEmpty(schema: JsonSchema): boolean {
  return Object.keys(schema).length === 0;
}
