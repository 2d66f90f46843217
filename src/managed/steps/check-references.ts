import { PreconditionFailedError } from '#errors/index.ts';
import { isObject, type JsonValue } from '#json/index.ts';
import type { PatchRequest, UpdateRequest } from '#resource/index.ts';
import { type Change, objectPath } from '../exchange.ts';

/**
 * A reference that is changed or taken away from its other end leaves the revision of this object as it was. Who asks with
 * `If-Match` for the object to be as it was read does not bring back such a reference with the list that it stood in.
 */
export function checkReferences(exchange: Change<UpdateRequest | PatchRequest>): void {
  const { edges, object } = exchange;
  for (const [{ property: name }, stored] of edges) {
    const known = new Map(stored.map((one) => [one.id, one]));
    for (const { id, rev } of [object[name] ?? []].flat().flatMap(shownAs)) {
      const edge = known.get(id);
      if (edge !== undefined && (rev === undefined || rev === String(edge.rev))) continue;
      const what = edge === undefined ? 'is there no more' : `is at revision '${edge.rev}' now`;
      throw new PreconditionFailedError(
        `The relationship '${id}' in '${name}' of '${objectPath(exchange)}' ${what}`,
        {
          id: 'RELATIONSHIP_REVISION',
          field: `/${name}`,
          hint: 'It was changed from its other end: read the object again',
        },
      );
    }
  }
}
checkReferences.applies = ({ edit, request, type }: Change<UpdateRequest | PatchRequest>) =>
  edit === null && type.relationships.size > 0 && request.revision !== null;

/** The id and revision with which a reference was read; none of one that is new. */
function shownAs(reference: JsonValue): readonly { readonly id: string; readonly rev: string | undefined }[] {
  const properties = isObject(reference) ? reference['_refProperties'] : undefined;
  if (!isObject(properties)) return [];
  const { _id: id, _rev: rev } = properties;
  return typeof id === 'string' ? [{ id, rev: typeof rev === 'string' ? rev : undefined }] : [];
}
