import type { ConfigStore, ManagedConfig, PlannedEffect } from '#config/index.ts';
import { writtenJson } from '#config/index.ts';
import type { Database } from '#database/index.ts';
import { formatPointer, isObject, type JsonValue } from '#json/index.ts';
import { isIndexed } from '#repo/index.ts';
import { typeNameOf } from '../collection.ts';
import type { ManagedType } from '../managed-type.ts';
import { ManagedTypes } from '../managed-types.ts';
import { type CountedProperty, countObjects, countProperties, listConditions } from './plan-repository.ts';

export interface PlanGround {
  readonly database: Database;
  readonly config: ConfigStore;
}

/**
 * What another `managed.json` would mean for the objects that there are: types and properties that come and go, values of
 * another type, what a property that becomes required is missing in, indexes, and who else names what goes.
 */
export async function planTypes(
  ground: PlanGround,
  previous: ReadonlyMap<string, ManagedType>,
  config: ManagedConfig | undefined,
): Promise<readonly PlannedEffect[]> {
  const next = new ManagedTypes();
  next.replace(writtenJson(config?.objects ?? []));
  const current = next.current();
  const effects: PlannedEffect[] = [];
  for (const name of new Set([...previous.keys(), ...current.keys()])) {
    const before = previous.get(name);
    const after = current.get(name);
    if (before === undefined)
      effects.push({ kind: 'type.added', type: name, text: `'${name}' is a new type` });
    else if (after === undefined) effects.push(await typeGone(ground, before));
    else effects.push(...(await planType(ground, before, after)));
  }
  return effects;
}

async function typeGone({ database }: PlanGround, { name }: ManagedType): Promise<PlannedEffect> {
  const count = await countObjects(database.db, name);
  return {
    kind: 'type.removed',
    type: name,
    count,
    text: `'${name}' is gone; its ${count} objects stay in the database, and nobody can ask for them`,
  };
}

async function planType(
  ground: PlanGround,
  before: ManagedType,
  after: ManagedType,
): Promise<readonly PlannedEffect[]> {
  const names = [...new Set([...before.compiled.keys(), ...after.compiled.keys()])];
  const asked = names.flatMap((name) => whatToCount(before, after, name) ?? []);
  const counts = asked.length === 0 ? [] : await countProperties(ground.database.db, after.name, asked);
  const effects: PlannedEffect[] = [];
  for (const { asked: property, count, sample } of counts) {
    const { kind, name } = property;
    // Nothing is to be said of what no object is affected by, unless something goes.
    if (count === 0 && kind !== 'property.removed') continue;
    const namedIn = kind === 'property.removed' ? await whoNames(ground, before, name) : [];
    effects.push({
      kind,
      type: after.name,
      property: name,
      count,
      sample: [...sample],
      ...(namedIn.length === 0 ? {} : { namedIn }),
      text: sentence(property, after.name, count),
    });
  }
  const added = names.filter((name) => !before.compiled.has(name));
  const gained = added.map((name) => ({
    kind: 'property.added',
    type: after.name,
    property: name,
    text: `'${name}' is a new property of '${after.name}'`,
  }));
  return [...gained, ...effects, ...indexes(before, after, names)];
}

function whatToCount(before: ManagedType, after: ManagedType, name: string): CountedProperty | undefined {
  const [was, is] = [before.compiled.get(name), after.compiled.get(name)];
  const isEdge = (was?.relationship ?? null) !== null;
  if (was !== undefined && is === undefined) return { kind: 'property.removed', name, isEdge };
  if (is === undefined) return undefined;
  if (isEdge !== (is.relationship !== null) && was !== undefined) {
    return { kind: 'property.removed', name, isEdge };
  }
  const wanted = after.propertyTypes.get(formatPointer([name]));
  if (
    was !== undefined &&
    wanted !== undefined &&
    wanted !== before.propertyTypes.get(formatPointer([name]))
  ) {
    return { kind: 'property.retyped', name, isEdge: false, type: wanted };
  }
  const isNew = after.required.includes(name) && !before.required.includes(name);
  return isNew && !isEdge ? { kind: 'property.required', name, isEdge: false } : undefined;
}

function sentence({ kind, name, isEdge, type }: CountedProperty, of: string, count: number): string {
  const objects = `${count} ${count === 1 ? 'object' : 'objects'} of '${of}'`;
  if (kind === 'property.required') return `'${name}' becomes required, and ${objects} lack it`;
  if (kind === 'property.retyped')
    return `'${name}' becomes a ${type}, and in ${objects} it is something else`;
  return isEdge
    ? `'${name}' is a relationship no more, and ${count} of it are asked for by nobody`
    : `'${name}' is declared no more, and ${objects} have a value there`;
}

function indexes(before: ManagedType, after: ManagedType, names: readonly string[]): PlannedEffect[] {
  const has = (type: ManagedType, name: string) =>
    type.compiled.has(name) && isIndexed(name, type.properties[name]);
  return names.flatMap((name): PlannedEffect[] => {
    const [was, is] = [has(before, name), has(after, name)];
    if (was === is) return [];
    const [kind, verb] = is
      ? ['index.built', 'is built while work goes on']
      : ['index.dropped', 'is dropped'];
    return [
      { kind, type: after.name, property: name, text: `The index on '${name}' of '${after.name}' ${verb}` },
    ];
  });
}

/** Configurations in which a text names the property, as `<id>#<pointer>`, and objects whose conditions do. */
async function whoNames(
  { config, database }: PlanGround,
  { conditional }: ManagedType,
  property: string,
): Promise<string[]> {
  const isNamedIn = (text: string) => text.split(/[^\p{L}\p{N}_$-]+/u).includes(property);
  const found: string[] = [];
  for (const id of config.ids()) {
    if (id !== 'managed') visit(config.findRaw(id) ?? null, `${id}#`);
  }
  for (const { conditionField, collections } of conditional) {
    for (const type of collections.flatMap((collection) => typeNameOf(collection) ?? [])) {
      if (conditionField === null) continue;
      const most = MOST_NAMES - found.length;
      found.push(...(await listConditions(database.db, { type, field: conditionField, property, most })));
    }
  }
  return found;

  function visit(value: JsonValue, place: string): void {
    if (found.length >= MOST_NAMES) return;
    if (typeof value === 'string' && isNamedIn(value)) found.push(place);
    else if (Array.isArray(value))
      for (const [at, member] of value.entries()) visit(member, `${place}/${at}`);
    else if (isObject(value)) {
      for (const [key, member] of Object.entries(value)) visit(member, `${place}${formatPointer([key])}`);
    }
  }
}

const MOST_NAMES = 50;
