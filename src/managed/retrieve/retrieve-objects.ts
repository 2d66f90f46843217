import type { Db } from '#database/index.ts';
import { cloneJson, isObject, type JsonObject, type Pointer } from '#json/index.ts';
import type { StoredObject } from '#repo/index.ts';
import { readerOf } from '#resource/index.ts';
import { referredToBy } from '../derive/derivation-repository.ts';
import { deriveFrom, deriveProperties, listWithDerivations } from '../derive/derive-properties.ts';
import { withIdentity, withoutIdentity } from '../exchange.ts';
import { isDerived, type ManagedProperty } from '../managed-property.ts';
import type { ManagedType } from '../managed-type.ts';
import type { Edge } from '../relationship/edge.ts';
import { listEdges } from '../relationship/edge-repository.ts';
import type { Relationship } from '../relationship/relationship.ts';
import { type FieldPlan, planFields, selectPlanned, shows } from './field-plan.ts';
import { resolveReferences, type TargetsAhead } from './resolve-references.ts';
import { ofOthers, type Retrieval } from './retrieval.ts';
import { runRetrieveHooks, type Working } from './run-retrieve-hooks.ts';

/**
 * Objects as they are answered: relationships attached, virtual properties calculated, hooks run, private ones
 * hidden, fields selected. However many objects there are, the number of statements is the same: one for all edges,
 * one for each derived property, one for each collection that references lead to.
 */
export async function retrieveObjects(
  retrieval: Retrieval,
  objects: readonly StoredObject[],
): Promise<readonly JsonObject[]> {
  const { platform, context, type, fields, runsHooks } = retrieval;
  if (objects.length === 0) return [];
  const plan = planFields(type, fields);
  const { isExternal } = context.client;
  const form = {
    isExternal,
    isSealed: isExternal && retrieval.isForScript !== true,
    isNested: retrieval.request.nestedFields === true,
  };
  const needed = neededFor(retrieval, plan);
  const calculates = needed.size > 0 || (runsHooks && type.runsScripts.read);
  const isPlain = plan.references.size === 0 && !calculates;
  const working = isPlain ? objects : objects.map((object) => ({ ...object, data: cloneJson(object.data) }));
  if (!isPlain) {
    const db = await readerOf(platform, context);
    const derived = type.calculated.filter(isDerived).filter(({ name }) => needed.has(name));
    if (retrieval.paths !== undefined) deriveFrom(platform, type, derived, working, retrieval.paths);
    const [edges, ahead] = await Promise.all([
      listPlanned(db, type, plan, working),
      readTargetsAhead(retrieval, db, plan, working),
      retrieval.paths === undefined ? deriveProperties(platform, db, type, derived, working) : undefined,
    ]);
    await attachEdges(retrieval, plan, edges, working, ahead);
    if (calculates) await runRetrieveHooks(retrieval, needed, working);
  }
  const shown = await withLastSync(retrieval, plan, working);
  return shown.map(({ id, rev, data }) =>
    withoutIdentity(
      selectPlanned(type, plan, plan.named.some(isIdentity) ? withIdentity(id, rev, data) : data, form),
    ),
  );
}

const NOTHING: ReadonlySet<string> = new Set();

/** What has to be calculated for an answer. */
function neededFor({ runsHooks, type }: Retrieval, plan: FieldPlan): ReadonlySet<string> {
  return runsHooks ? calculatedFor(type, plan) : NOTHING;
}

/**
 * Looks up where the references lead that are followed while these are looked up themselves, which is one way to the
 * database less. It is about the declared collections; what else is referred to is looked up when it is known.
 */
async function readTargetsAhead(
  retrieval: Retrieval,
  db: Db,
  plan: FieldPlan,
  objects: readonly Working[],
): Promise<readonly TargetsAhead[]> {
  const { platform, type } = retrieval;
  const ids = objects.map(({ id }) => id);
  const followed = [...plan.references].filter(([, { fields }]) => fields.length > 0);
  const wanted = followed.flatMap(([property, { fields }]) =>
    relationshipOf(type, property).collections.flatMap((collection) => {
      const target = platform.types.at(collection);
      return target === undefined ? [] : { property, fields, collection, target };
    }),
  );
  return Promise.all(
    wanted.map(async ({ property, fields, collection, target }) => {
      const needed = neededFor({ ...ofOthers(retrieval), type: target }, planFields(target, fields));
      const derived = target.calculated.filter(isDerived).filter(({ name }) => needed.has(name));
      const those = referredToBy({ collection: `managed/${type.name}`, ids, property }, collection);
      const found = await listWithDerivations(db, target, derived, those);
      return { property, collection, ...found };
    }),
  );
}

/** What is shown; where a script runs, also all that an object usually has, for the script may look at it. */
function calculatedFor(type: ManagedType, plan: FieldPlan): ReadonlySet<string> {
  const isShown = ({ name, isDefault }: ManagedProperty) => shows(plan, name, isDefault);
  const { onRetrieve } = type.scripted;
  const runsScript =
    type.hooks.onRetrieve !== undefined || type.hooks.onRead !== undefined || onRetrieve.some(isShown);
  const all = [...type.calculated, ...onRetrieve];
  return new Set(
    all.filter((each) => isShown(each) || (runsScript && each.isDefault)).map(({ name }) => name),
  );
}

/** What is remembered of it is kept by the synchronization, and shown by the object, as servers of the field do. */
async function withLastSync(
  { platform, context, type }: Retrieval,
  plan: FieldPlan,
  objects: readonly StoredObject[],
): Promise<readonly StoredObject[]> {
  const { synchronizer } = platform;
  const property = type.compiled.get(LAST_SYNC);
  if (!synchronizer.isActive || property === undefined || !shows(plan, LAST_SYNC, property.isDefault))
    return objects;
  const isHidden = context.client.isExternal && property.isPrivate;
  const collection = `managed/${type.name}`;
  if (isHidden || !synchronizer.keepsCopies(collection)) return objects;
  const ids = objects.map(({ id }) => id);
  const last = await synchronizer.lastSync(context, collection, ids);
  return objects.map((object) => {
    const remembered = last.get(object.id);
    if (remembered === undefined) return object;
    const stored = object.data[LAST_SYNC];
    const lastSync = isObject(stored) ? { ...stored, ...remembered } : remembered;
    return { ...object, data: { ...object.data, [LAST_SYNC]: lastSync } };
  });
}

const LAST_SYNC = 'lastSync';

function isIdentity([name]: Pointer): boolean {
  return name === '_id' || name === '_rev';
}

/** Attaches the relationships that the plan names. */
export async function attachReferences(
  retrieval: Retrieval,
  db: Db,
  plan: FieldPlan,
  objects: readonly Working[],
): Promise<void> {
  await attachEdges(retrieval, plan, await listPlanned(db, retrieval.type, plan, objects), objects);
}

function listPlanned(db: Db, type: ManagedType, plan: FieldPlan, objects: readonly Working[]) {
  const ids = objects.map(({ id }) => id);
  return listEdges(db, `managed/${type.name}`, ids, [...plan.references.keys()]);
}

async function attachEdges(
  retrieval: Retrieval,
  plan: FieldPlan,
  edges: readonly Edge[],
  objects: readonly Working[],
  ahead: readonly TargetsAhead[] = [],
): Promise<void> {
  const { type } = retrieval;
  if (plan.references.size === 0) return;
  const values = await resolveReferences(retrieval, plan, edges, retrieveObjects, ahead);
  const byOwner = Map.groupBy(edges, ({ ownerId }) => ownerId);
  for (const { id, data } of objects) {
    const own = Map.groupBy(byOwner.get(id) ?? [], ({ property }) => property);
    for (const [name, { index }] of plan.references)
      attach(relationshipOf(type, name), index, own.get(name) ?? [], values, data);
  }
}

/** The relationship of a property that a plan names as a reference, so the type declares it as one. */
function relationshipOf(type: ManagedType, property: string): Relationship {
  const relationship = type.relationships.get(property);
  if (relationship === undefined) throw new Error(`'${property}' of '${type.name}' is no relationship`);
  return relationship;
}

function attach(
  { property: name, isArray }: Relationship,
  index: number | null,
  edges: readonly Edge[],
  values: ReadonlyMap<Edge, JsonObject>,
  data: JsonObject,
): void {
  const all = edges.flatMap((edge): JsonObject[] => {
    const value = values.get(edge);
    return value === undefined ? [] : [value];
  });
  if (isArray) {
    data[name] = index === null ? all : all.slice(index, index + 1);
  } else {
    const [first] = all;
    data[name] = first ?? null;
    // Written when the property still was an array.
    if (first !== undefined && all.length > 1) {
      data[name] = {
        ...first,
        _refError: true,
        _refErrorMessage: `Multiple references found for singleton relationship '${name}'`,
      };
    }
  }
}
