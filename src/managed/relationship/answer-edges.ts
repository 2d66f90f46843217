import { withSeals } from '#crypto/index.ts';
import { getAt, type JsonObject, lastOf, type Pointer, setMember } from '#json/index.ts';
import type { Context, Request, Resource } from '#resource/index.ts';
import type { ManagedPlatform } from '../managed-platform.ts';
import type { ManagedType } from '../managed-type.ts';
import { resolveReferences } from '../retrieve/resolve-references.ts';
import { retrieveObjects } from '../retrieve/retrieve-objects.ts';
import { runsHooks } from '../retrieve/runs-hooks.ts';
import type { Edge } from './edge.ts';

/**
 * Edges as their own endpoint shows them: `_ref` and `_refProperties` are the edge's own, other fields those of the
 * object that it leads to.
 */
export async function answerEdges(
  platform: ManagedPlatform,
  context: Context,
  type: ManagedType,
  property: string,
  request: Request,
  edges: readonly Edge[],
): Promise<Resource[]> {
  const own = request.fields.filter(isOwn);
  const fields = request.fields.filter((field) => !isOwn(field));
  const isWhole =
    request.fields.length === 0 || fields.some((field) => field.length === 0 || field[0] === '*');
  const values = await resolveReferences(
    { platform, context, type, request, fields, runsHooks: await runsHooks(platform, context, request) },
    { hasDefaults: false, named: [], references: new Map([[property, { fields, index: null }]]) },
    edges,
    retrieveObjects,
  );
  return edges.map((edge) => {
    const found = values.get(edge)!;
    const value = context.client.isExternal ? withSeals(found) : found;
    if (isWhole) return edgeResource(value);
    const { _ref, _refProperties, ...others } = value;
    const selected: JsonObject = {};
    for (const pointer of own) {
      const member = getAt(value, pointer);
      if (member !== undefined) setMember(selected, lastOf(pointer), member);
    }
    return edgeResource({ ...selected, ...others });
  });
}

/** Edges have no identity at the top, and so no ETag. */
export function edgeResource(content: JsonObject): Resource {
  return { kind: 'resource', id: null, revision: null, content, fieldsSelected: true };
}

function isOwn([name]: Pointer): boolean {
  return name === '_ref' || name === '_refProperties';
}
