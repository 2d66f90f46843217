import { BadRequestError } from '#errors/index.ts';
import { isObject, type JsonValue, type Pointer, parsePointer } from '#json/index.ts';
import { isTrue } from '../declared.ts';

/**
 * A virtual property that is read off relationships (`queryConfig`): the objects at the end of a path of
 * relationships, each once. Edges and objects that are not in effect now are left out.
 */
export interface Derivation {
  /** `referencedRelationshipFields`: such as `roles`, then `assignments` of each role. */
  readonly path: readonly string[];
  /** `referencedObjectFields`: null gives references only, `all` the whole objects. */
  readonly fields: readonly Pointer[] | 'all' | null;
  /** `flattenProperties`: a list of values instead of objects. */
  readonly isFlat: boolean;
}

/** @throws BadRequestError when there is a `queryConfig` that names no relationships */
export function compileDerivation(config: JsonValue | undefined): Derivation | null {
  if (!isObject(config)) return null;
  const path = config['referencedRelationshipFields'];
  if (!Array.isArray(path) || path.length === 0) {
    throw new BadRequestError("A queryConfig needs 'referencedRelationshipFields', a list of relationships", {
      id: 'MANAGED_BAD_QUERY_CONFIG',
    });
  }
  const fields = config['referencedObjectFields'];
  return {
    path: path.map(String),
    fields: !Array.isArray(fields)
      ? null
      : fields.includes('*')
        ? 'all'
        : fields.map((field) => parsePointer(String(field))),
    isFlat: isTrue(config['flattenProperties']),
  };
}
