import type { Db } from '#database/index.ts';
import { getAt, type JsonObject, type JsonValue, setMember } from '#json/index.ts';
import { isInEffect } from '../grant/temporal-constraint.ts';
import type { ManagedPlatform } from '../managed-platform.ts';
import type { DerivedProperty } from '../managed-property.ts';
import type { ManagedType } from '../managed-type.ts';
import { formatRef } from '../relationship/edge.ts';
import { type Derivation, waysOf } from './derivation.ts';
import { type DerivedStep, followPath } from './derivation-repository.ts';

/**
 * Calculates derived properties of objects in place, with one statement for all objects; properties whose path is the
 * beginning of another's share it.
 */
export async function deriveProperties(
  platform: ManagedPlatform,
  db: Db,
  type: ManagedType,
  properties: readonly DerivedProperty[],
  objects: readonly { readonly id: string; readonly data: JsonObject }[],
): Promise<void> {
  const ids = objects.map(({ id }) => id);
  const found = new Map<Derivation, ReadonlyMap<string, Paths>>();
  for (const group of sharedPaths(properties.flatMap(({ derivation }) => waysOf(derivation)))) {
    const least = Math.min(...group.map(({ path }) => path.length));
    const paths = await followPath(db, `managed/${type.name}`, ids, group[0]!.path, least);
    const byOwner = Map.groupBy(paths, ({ ownerId }) => ownerId);
    for (const derivation of group) found.set(derivation, byOwner);
  }
  derive(platform, type, properties, objects, (way, id) => found.get(way)!.get(id) ?? []);
}

/** As `deriveProperties`, for objects without relationships. */
export function deriveFromNothing(
  platform: ManagedPlatform,
  type: ManagedType,
  properties: readonly DerivedProperty[],
  objects: readonly { readonly id: string; readonly data: JsonObject }[],
): void {
  derive(platform, type, properties, objects, () => []);
}

function derive(
  platform: ManagedPlatform,
  type: ManagedType,
  properties: readonly DerivedProperty[],
  objects: readonly { readonly id: string; readonly data: JsonObject }[],
  pathsOf: (way: Derivation, id: string) => Paths,
): void {
  for (const { name, derivation } of properties) {
    const ways = waysOf(derivation);
    for (const { id, data } of objects) {
      const found = ways.map((way) => ({ way, paths: pathsOf(way, id) }));
      setMember(data, name, endsOf(platform, type, derivation, found));
    }
  }
}

type Paths = readonly { readonly steps: readonly DerivedStep[] }[];

/** Groups whose paths begin one another, the longest first. */
function sharedPaths(derivations: readonly Derivation[]): readonly (readonly Derivation[])[] {
  const groups: Derivation[][] = [];
  for (const derivation of derivations.toSorted((left, right) => right.path.length - left.path.length)) {
    const group = groups.find(([longest]) =>
      derivation.path.every((step, index) => longest!.path[index] === step),
    );
    if (group === undefined) groups.push([derivation]);
    else group.push(derivation);
  }
  return groups;
}

/** The ends of all paths that are in effect now, each once, in the order in which they are met. */
function endsOf(
  platform: ManagedPlatform,
  type: ManagedType,
  derivation: Derivation,
  found: readonly { readonly way: Derivation; readonly paths: Paths }[],
): JsonValue[] {
  const ends = new Map<string, JsonValue>();
  const now = Date.now();
  for (const { way, paths } of found) {
    for (const { steps: all } of paths) {
      const steps = all.slice(0, way.path.length);
      const end = steps.at(-1)!;
      // Shared with a longer path, or with a shorter one that ends before.
      if (steps.length < way.path.length) continue;
      const ref = formatRef(end.target);
      const isValid = () => steps.every((_, index) => stepInEffect(platform, type, way, steps, index, now));
      if (!ends.has(ref) && isValid()) ends.set(ref, endValue(platform, way, end, ref));
    }
  }
  if (!derivation.isFlat) return [...ends.values()];
  return [...ends.values()].flatMap((value) => Object.values(value as JsonObject));
}

function stepInEffect(
  { types }: ManagedPlatform,
  type: ManagedType,
  { path }: Derivation,
  steps: readonly DerivedStep[],
  index: number,
  now: number,
): boolean {
  const { edgeProperties, data } = steps[index]!;
  // A reference that leads nowhere gives nothing.
  if (data === null) return false;
  const owner = index === 0 ? type : types.at(steps[index - 1]!.target.collection);
  const field = owner?.relationships.get(path[index]!)?.temporalField ?? null;
  if (!isInEffect(edgeProperties['temporalConstraints'], now)) return false;
  return field === null || isInEffect(data[field], now);
}

function endValue(
  { types }: ManagedPlatform,
  { fields }: Derivation,
  { target, rev, data }: DerivedStep,
  ref: string,
): JsonValue {
  if (fields === null) return { _ref: ref };
  const type = types.at(target.collection);
  const open = Object.fromEntries(
    Object.entries(data!).filter(
      ([name]) => type?.privates.has(name) !== true && type?.hidden.has(name) !== true,
    ),
  );
  if (fields === 'all') return { _id: target.id, _rev: String(rev), ...open };
  const selected: JsonObject = {};
  for (const field of fields) {
    const value = getAt({ _id: target.id, _rev: String(rev), _ref: ref, ...open }, field);
    if (value !== undefined) setMember(selected, field.at(-1)!, value);
  }
  return selected;
}
