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
  /** The same by other paths, whose ends come after those of this one. */
  readonly others: readonly Derivation[];
}

/** A derivation by each of its paths. */
export function waysOf(derivation: Derivation): readonly Derivation[] {
  return [derivation, ...derivation.others];
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
  // Older files have one path, newer ones a list of them.
  const paths = path.some(Array.isArray) ? path.map((each) => [each].flat().map(String)) : [path.map(String)];
  const parts = {
    fields: !Array.isArray(fields)
      ? null
      : fields.includes('*')
        ? 'all'
        : fields.map((field) => parsePointer(String(field))),
    isFlat: isTrue(config['flattenProperties']),
  } as const;
  const [first, ...others] = paths.map((each) => ({ ...parts, path: each, others: [] }));
  return { ...first!, others };
}
