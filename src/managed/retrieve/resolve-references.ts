import { NotFoundError, ResourceError, toResourceError } from '#errors/index.ts';
import { isObject, type JsonObject, type Pointer } from '#json/index.ts';
import { type StoredObject, sealObject } from '#repo/index.ts';
import { parsePath, type ReadRequest, readerOf, resourceBody, selectFields } from '#resource/index.ts';
import type { PathsOfWays } from '../derive/derive-properties.ts';
import { withIdentity } from '../exchange.ts';
import { type Edge, edgeValue, formatRef } from '../relationship/edge.ts';
import { listObjects, storeOf } from '../relationship/target-repository.ts';
import type { FieldPlan } from './field-plan.ts';
import { ofOthers, type Retrieval, type RetrieveObjects } from './retrieval.ts';

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
  ahead: readonly TargetsAhead[] = [],
): Promise<ReadonlyMap<Edge, JsonObject>> {
  const values = new Map<Edge, JsonObject>(edges.map((edge) => [edge, edgeValue(edge)]));
  const groups: Group[] = [...plan.references].flatMap(([property, { fields }]) => {
    const own = fields.length === 0 ? [] : edges.filter((edge) => edge.property === property);
    return [...Map.groupBy(own, ({ target }) => target.collection)].map(([collection, group]) => {
      const ids = [...new Set(group.map(({ target }) => target.id))];
      const known = ahead.find((each) => each.property === property && each.collection === collection);
      return { collection, ids, fields, edges: group, known, resolved: new Map() };
    });
  });
  for (const group of groups) group.ids = await admit(retrieval, group);
  // All are looked up together; what may run scripts, and set savepoints, comes one after the other.
  const db = await readerOf(retrieval.platform, retrieval.context);
  const found = await Promise.all(
    groups.map(
      async ({ collection, ids, known }) =>
        allOf(known, ids) ?? { objects: await listObjects(db, collection, ids), paths: undefined },
    ),
  );
  for (const [index, group] of groups.entries()) {
    const { objects, paths } = found[index]!;
    await readTargets({ ...ofOthers(retrieval), paths }, group, objects, retrieveObjects);
    for (const edge of group.edges)
      values.set(edge, merge(edgeValue(edge), group.resolved.get(edge.target.id)));
  }
  return values;
}

/** Where a property leads, as far as it leads to one collection, looked up before its edges were known. */
export interface TargetsAhead {
  readonly property: string;
  readonly collection: string;
  readonly objects: readonly StoredObject[];
  readonly paths: PathsOfWays;
}

/** Undefined where one of them was not found ahead, as when its edge was made just then. */
function allOf(
  ahead: TargetsAhead | undefined,
  ids: readonly string[],
): Pick<TargetsAhead, 'objects' | 'paths'> | undefined {
  if (ahead === undefined) return undefined;
  const wanted = new Set(ids);
  const objects = ahead.objects.filter(({ id }) => wanted.has(id));
  return objects.length === wanted.size ? { objects, paths: ahead.paths } : undefined;
}

/** The targets of one collection that a property refers to. */
interface Group {
  readonly collection: string;
  /** The ids of the targets; once they have been asked for, of those that the caller may read. */
  ids: readonly string[];
  /** What is wanted of them. */
  readonly fields: readonly Pointer[];
  readonly edges: readonly Edge[];
  readonly known: TargetsAhead | undefined;
  /** The targets that were read, by id. */
  readonly resolved: Map<string, Resolved>;
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

async function readTargets(
  retrieval: Retrieval,
  group: Group,
  objects: readonly StoredObject[],
  retrieveObjects: RetrieveObjects,
): Promise<void> {
  const { platform, context } = retrieval;
  const { collection, fields, resolved } = group;
  if (storeOf(collection) === undefined) return readThroughRouter(retrieval, group);
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
    const shown = await asReadAlone(retrieval, group, object, content);
    resolved.set(
      object.id,
      shown instanceof ResourceError
        ? shown
        : isWhole
          ? withIdentity(object.id, object.rev, shown)
          : { ...named, ...shown },
    );
  }
}

/** What filters of `router.json` leave of a target: as much as of one that is read by itself. */
async function asReadAlone(
  { platform: { resources }, context }: Retrieval,
  { collection, fields }: Group,
  { id, rev }: StoredObject,
  content: JsonObject,
): Promise<Resolved> {
  const ref = formatRef({ collection, id });
  const request = readRequest(ref, asked(fields));
  if (!resources.judgesAnswer(request)) return content;
  try {
    const answer = { kind: 'resource', id, revision: String(rev), content } as const;
    const response = await resources.judged(context, request, answer);
    const left = response.kind === 'resource' ? response.content : null;
    return isObject(left) ? left : new NotFoundError(`Object '${ref}' not found`);
  } catch (error) {
    return toResourceError(error);
  }
}

/** The fields as a read of the object itself asks for them. */
function asked(fields: readonly Pointer[]): readonly Pointer[] {
  return fields.some((field) => field[0] === '*') ? [] : fields;
}

/** Raw objects below `/repo`: secrets are nobody's business from outside. */
function selectRaw(
  { id, rev, data }: StoredObject,
  fields: readonly Pointer[],
  isExternal: boolean,
): JsonObject {
  const { password: _, ...others } = data;
  const open = isExternal ? sealObject(others) : others;
  const selected = selectFields(
    { kind: 'resource', id, revision: String(rev), content: open },
    asked(fields),
  ).content;
  return isObject(selected) ? selected : {};
}

/**
 * The ids that the caller may read; the filters say why not about the others. Other resources are asked as a whole, and
 * what a filter looks at when it has been read is judged then, once.
 */
async function admit(
  { platform, context }: Retrieval,
  { collection, ids, resolved }: Group,
): Promise<readonly string[]> {
  if (!context.client.isExternal || storeOf(collection) === undefined) return ids;
  const admitted: string[] = [];
  for (const id of ids) {
    const request = readRequest(formatRef({ collection, id }), []);
    try {
      if (!platform.resources.judgesAnswer(request)) await platform.resources.admit(context, request);
      admitted.push(id);
    } catch (error) {
      resolved.set(id, toResourceError(error));
    }
  }
  return admitted;
}

async function readThroughRouter(
  { platform, context }: Retrieval,
  { collection, ids, fields, resolved }: Group,
): Promise<void> {
  for (const id of ids) {
    const ref = formatRef({ collection, id });
    try {
      const response = await platform.resources.handle(context, readRequest(ref, asked(fields)));
      const body = response.kind === 'resource' ? resourceBody(response) : null;
      resolved.set(id, isObject(body) ? body : new NotFoundError(`Object '${ref}' not found`));
    } catch (error) {
      resolved.set(id, toResourceError(error));
    }
  }
}

function readRequest(ref: string, fields: readonly Pointer[]): ReadRequest {
  return { method: 'read', path: parsePath(ref), fields, parameters: {} };
}
