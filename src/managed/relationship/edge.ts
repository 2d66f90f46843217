import { BadRequestError } from '#errors/index.ts';
import { canonicalText, equalJson, isObject, type JsonObject, type JsonValue, lastOf } from '#json/index.ts';
import { formatPath, parsePath } from '#resource/index.ts';

/** Where an edge leads: a collection such as `managed/role`, and the id in it. */
export interface Target {
  readonly collection: string;
  readonly id: string;
}

/** A stored edge as one of its ends sees it. */
export interface Edge {
  readonly id: string;
  readonly rev: number;
  readonly ownerId: string;
  readonly property: string;
  readonly target: Target;
  /** `_refProperties` without `_id` and `_rev`. */
  readonly properties: JsonObject;
}

/** An edge as a client wants it. */
export interface WantedEdge {
  /** Names the stored edge that is meant; null for none in particular. */
  readonly id: string | null;
  readonly target: Target;
  readonly properties: JsonObject;
}

export function formatRef({ collection, id }: Target): string {
  return `${collection}/${formatPath([id])}`;
}

/** What clients see: `{_ref, _refProperties}`. */
export function edgeValue(edge: Edge): JsonObject {
  return {
    _ref: formatRef(edge.target),
    _refProperties: { _id: edge.id, _rev: String(edge.rev), ...edge.properties },
  };
}

/**
 * Reads a reference as a client sends it; members beside `_ref` and `_refProperties` are ignored.
 *
 * @throws BadRequestError `RELATIONSHIP_BAD_REFERENCE`
 */
export function parseEdge(value: JsonValue, field: string): WantedEdge {
  const ref = isObject(value) ? value['_ref'] : undefined;
  if (!isObject(value) || typeof ref !== 'string') {
    throw refuse(field, `${JSON.stringify(value)} is invalid as a relationship reference`);
  }
  const path = parsePath(ref);
  if (path.length < 2) throw refuse(field, `'${ref}' is not the path of an object`);
  const given = value['_refProperties'] ?? {};
  if (!isObject(given)) throw refuse(field, `The _refProperties of '${ref}' are not an object`);
  const { _id, _rev, ...properties } = given;
  const constraints = properties['temporalConstraints'];
  if (Array.isArray(constraints) && constraints.length > 1) {
    throw new BadRequestError('Only 1 temporal constraint is supported per grant.', {
      id: 'RELATIONSHIP_TEMPORAL_CONSTRAINTS',
      field,
    });
  }
  return {
    id: typeof _id === 'string' && _id !== '' ? _id : null,
    target: { collection: formatPath(path.slice(0, -1)), id: lastOf(path) },
    properties,
  };
}

/** The same text for edges that are the same, so that among many they are found at once. */
export function edgeKey({ target, properties }: Pick<WantedEdge, 'target' | 'properties'>): string {
  return `${JSON.stringify([target.collection, target.id])} ${canonicalText(properties)}`;
}

/** Same target, same properties. */
export function sameEdge(
  left: Pick<WantedEdge, 'target' | 'properties'>,
  right: Pick<WantedEdge, 'target' | 'properties'>,
): boolean {
  return sameTarget(left.target, right.target) && equalJson(left.properties, right.properties);
}

export function sameTarget(left: Target, right: Target): boolean {
  return left.id === right.id && left.collection === right.collection;
}

function refuse(field: string, message: string): BadRequestError {
  return new BadRequestError(message, {
    id: 'RELATIONSHIP_BAD_REFERENCE',
    field,
    hint: 'Such as {"_ref": "managed/role/r1"}',
  });
}
