import { NotFoundError, ResourceError, toResourceError } from '#errors/index.ts';
import { isObject, type JsonObject, type Pointer } from '#json/index.ts';
import { type StoredObject, sealObject } from '#repo/index.ts';
import { parsePath, type ReadRequest, readerOf, resourceBody, selectFields } from '#resource/index.ts';
import { withIdentity } from '../exchange.ts';
import { type Edge, edgeValue, formatRef } from '../relationship/edge.ts';
import { listObjects, storeOf } from '../relationship/target-repository.ts';
import type { FieldPlan } from './field-plan.ts';
import type { Retrieval, RetrieveObjects } from './retrieval.ts';

/** What an expansion found: fields to merge into the edge, or why there are none. */
type Resolved = JsonObject | ResourceError;

/**
 * The value of each edge, with the fields of the referenced object that were asked for. They are read with the
 * rights of the caller; what cannot be read is said in the value, and the request goes on.
 */
export async function resolveReferences(
  retrieval: Retrieval,
  plan: FieldPlan,
  edges: readonly Edge[],
  retrieveObjects: RetrieveObjects,
): Promise<ReadonlyMap<Edge, JsonObject>> {
  const values = new Map<Edge, JsonObject>(edges.map((edge) => [edge, edgeValue(edge)]));
  for (const [property, { fields }] of plan.references) {
    if (fields.length === 0) continue;
    const own = edges.filter((edge) => edge.property === property);
    for (const [collection, group] of Map.groupBy(own, ({ target }) => target.collection)) {
      const ids = [...new Set(group.map(({ target }) => target.id))];
      const resolved = await readTargets(retrieval, collection, ids, fields, retrieveObjects);
      for (const edge of group) values.set(edge, merge(edgeValue(edge), resolved.get(edge.target.id)));
    }
  }
  return values;
}

function merge(value: JsonObject, resolved: Resolved | undefined): JsonObject {
  if (resolved === undefined || resolved instanceof ResourceError) {
    return {
      ...value,
      _refError: true,
      _refErrorMessage: resolved?.message ?? `Object '${String(value['_ref'])}' not found`,
    };
  }
  // Nothing of the referenced object may take the place of the edge's own members.
  return { ...resolved, ...value };
}

/** The wanted fields of objects of one collection, by id. */
async function readTargets(
  retrieval: Retrieval,
  collection: string,
  ids: readonly string[],
  fields: readonly Pointer[],
  retrieveObjects: RetrieveObjects,
): Promise<ReadonlyMap<string, Resolved>> {
  const { platform, context } = retrieval;
  const store = storeOf(collection);
  if (store === undefined) return readThroughRouter(retrieval, collection, ids, fields);
  const resolved = new Map<string, Resolved>();
  const admitted = await admit(retrieval, collection, ids, resolved);
  const objects = await listObjects(await readerOf(platform, context), collection, admitted);
  const type = platform.types.at(collection);
  const contents =
    type === undefined
      ? objects.map((object) => selectRaw(object, fields, context.client.isExternal))
      : await retrieveObjects({ ...retrieval, type, fields }, objects);
  const isWhole = fields.some((field) => field.length === 0 || field[0] === '*');
  for (const [index, object] of objects.entries()) {
    const content = contents[index]!;
    // References that lead back and forth multiply with each step, and the answer is written out in full.
    context.budget.measure(content);
    const named = Object.fromEntries(
      fields.flatMap(([name, ...rest]) => {
        if (rest.length > 0 || (name !== '_id' && name !== '_rev')) return [];
        return [[name, name === '_id' ? object.id : String(object.rev)]];
      }),
    );
    resolved.set(
      object.id,
      isWhole ? withIdentity(object.id, object.rev, content) : { ...named, ...content },
    );
  }
  return resolved;
}

/** Raw objects below `/repo`: secrets are nobody's business from outside. */
function selectRaw(
  { id, rev, data }: StoredObject,
  fields: readonly Pointer[],
  isExternal: boolean,
): JsonObject {
  const { password: _, ...others } = data;
  const open = isExternal ? sealObject(others) : others;
  const asked = fields.some((field) => field[0] === '*') ? [] : fields;
  const selected = selectFields(
    { kind: 'resource', id, revision: String(rev), content: open },
    asked,
  ).content;
  return isObject(selected) ? selected : {};
}

/** Those ids that the caller may read; the filters say why not about the others. */
async function admit(
  { platform, context }: Retrieval,
  collection: string,
  ids: readonly string[],
  resolved: Map<string, Resolved>,
): Promise<readonly string[]> {
  if (!context.client.isExternal) return ids;
  const admitted: string[] = [];
  for (const id of ids) {
    try {
      await platform.resources.admit(context, readRequest(formatRef({ collection, id }), []));
      admitted.push(id);
    } catch (error) {
      resolved.set(id, toResourceError(error));
    }
  }
  return admitted;
}

async function readThroughRouter(
  { platform, context }: Retrieval,
  collection: string,
  ids: readonly string[],
  fields: readonly Pointer[],
): Promise<ReadonlyMap<string, Resolved>> {
  const resolved = new Map<string, Resolved>();
  for (const id of ids) {
    const ref = formatRef({ collection, id });
    try {
      const asked = fields.some((field) => field[0] === '*') ? [] : fields;
      const response = await platform.resources.handle(context, readRequest(ref, asked));
      const body = response.kind === 'resource' ? resourceBody(response) : null;
      resolved.set(id, isObject(body) ? body : new NotFoundError(`Object '${ref}' not found`));
    } catch (error) {
      resolved.set(id, toResourceError(error));
    }
  }
  return resolved;
}

function readRequest(ref: string, fields: readonly Pointer[]): ReadRequest {
  return { method: 'read', path: parsePath(ref), fields, parameters: {} };
}
