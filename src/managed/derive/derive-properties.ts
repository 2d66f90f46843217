import type { Db } from '#database/index.ts';
import { getAt, type JsonObject, type JsonValue, lastOf, setMember } from '#json/index.ts';
import type { StoredObject } from '#repo/index.ts';
import { isInEffect } from '../grant/temporal-constraint.ts';
import type { ManagedPlatform } from '../managed-platform.ts';
import type { DerivedProperty } from '../managed-property.ts';
import type { ManagedType } from '../managed-type.ts';
import { formatRef } from '../relationship/edge.ts';
import { type Derivation, waysOf } from './derivation.ts';
import {
  type DerivedStep,
  type FoundPaths,
  followPath,
  listWithPaths,
  type Path,
  type Those,
} from './derivation-repository.ts';

/** What derived properties of some objects are read off. */
export type PathsOfWays = ReadonlyMap<Derivation, FoundPaths>;

type KnowsTypes = Pick<ManagedPlatform, 'types'>;

interface Derived {
  readonly id: string;
  readonly data: JsonObject;
}

/**
 * Calculates derived properties of objects in place, with one statement for all objects; properties whose path is the
 * beginning of another's share it.
 */
export async function deriveProperties(
  platform: KnowsTypes,
  db: Db,
  type: ManagedType,
  properties: readonly DerivedProperty[],
  objects: readonly Derived[],
): Promise<void> {
  const ids = objects.map(({ id }) => id);
  const groups = sharedPaths(properties);
  const found = await Promise.all(
    groups.map(({ path }) => followPath(db, `managed/${type.name}`, ids, path)),
  );
  deriveFrom(platform, type, properties, objects, byWay(groups, found));
}

/** Some objects, and what their derived properties are read off at the same moment, with one statement. */
export async function listWithDerivations(
  db: Db,
  type: ManagedType,
  properties: readonly DerivedProperty[],
  those: Those,
  knownTo?: string,
): Promise<{ readonly objects: readonly StoredObject[]; readonly paths: PathsOfWays }> {
  const groups = sharedPaths(properties);
  const { objects, found } = await listWithPaths(
    db,
    type.name,
    those,
    groups.map(({ path }) => path),
    knownTo,
  );
  return { objects, paths: byWay(groups, found) };
}

function byWay(groups: readonly SharedPath[], found: readonly FoundPaths[]): PathsOfWays {
  return new Map(
    groups.flatMap(({ ways }, at) => {
      const paths = found[at];
      return paths === undefined ? [] : ways.map((way) => [way, paths] as const);
    }),
  );
}

/** As `deriveProperties`, from what is known already; of objects without relationships, that is nothing. */
export function deriveFrom(
  platform: KnowsTypes,
  type: ManagedType,
  properties: readonly DerivedProperty[],
  objects: readonly Derived[],
  known: PathsOfWays = new Map(),
): void {
  for (const { name, derivation } of properties) {
    const ways = waysOf(derivation);
    for (const { id, data } of objects) {
      const found = ways.map((way) => ({ way, paths: known.get(way)?.get(id) ?? [] }));
      setMember(data, name, endsOf(platform, type, derivation, found));
    }
  }
}

/** A path, and the derivations that go along it, some not to its end. */
interface SharedPath {
  readonly path: Path;
  readonly ways: readonly Derivation[];
}

/** Paths that begin one another are one, the longest. */
function sharedPaths(properties: readonly DerivedProperty[]): readonly SharedPath[] {
  const groups: [Derivation, ...Derivation[]][] = [];
  const derivations = properties.flatMap(({ derivation }) => waysOf(derivation));
  for (const derivation of derivations.toSorted((left, right) => right.path.length - left.path.length)) {
    const group = groups.find(([longest]) =>
      derivation.path.every((step, index) => longest.path[index] === step),
    );
    if (group === undefined) groups.push([derivation]);
    else group.push(derivation);
  }
  return groups.map((ways) => ({
    ways,
    path: { properties: ways[0].path, least: Math.min(...ways.map(({ path }) => path.length)) },
  }));
}

/** The ends of all paths that are in effect now, each once, in the order in which they are met. */
function endsOf(
  platform: KnowsTypes,
  type: ManagedType,
  derivation: Derivation,
  found: readonly { readonly way: Derivation; readonly paths: readonly (readonly DerivedStep[])[] }[],
): JsonValue[] {
  const ends = new Map<string, JsonValue>();
  const now = Date.now();
  for (const { way, paths } of found) {
    for (const all of paths) {
      const steps = all.slice(0, way.path.length);
      const end = lastOf(steps);
      // Shared with a longer path, or with a shorter one that ends before.
      if (steps.length < way.path.length) continue;
      const ref = formatRef(end.target);
      const isValid = () => areInEffect(platform, type, way, steps, now);
      if (!ends.has(ref) && isValid()) ends.set(ref, endValue(platform, way, end, ref));
    }
  }
  if (!derivation.isFlat) return [...ends.values()];
  return [...ends.values()].flatMap((value) => Object.values(value as JsonObject));
}

/** Whether a path leads to its end now. */
export function areInEffect(
  platform: KnowsTypes,
  type: ManagedType,
  way: Derivation,
  steps: readonly DerivedStep[],
  now: number,
): boolean {
  return steps.every((step, index) => {
    const property = way.path[index];
    const before = steps[index - 1];
    const owner = before === undefined ? type : platform.types.at(before.target.collection);
    const relationship = property === undefined ? undefined : owner?.relationships.get(property);
    return stepInEffect(relationship, step, now);
  });
}

function stepInEffect(
  relationship: { readonly temporalField: string | null } | undefined,
  { edgeProperties, data }: DerivedStep,
  now: number,
): boolean {
  // A reference that leads nowhere gives nothing.
  if (data === null) return false;
  const field = relationship?.temporalField ?? null;
  if (!isInEffect(edgeProperties['temporalConstraints'], now)) return false;
  return field === null || isInEffect(data[field], now);
}

function endValue(
  { types }: KnowsTypes,
  { fields }: Derivation,
  { target, rev, data }: DerivedStep,
  ref: string,
): JsonValue {
  if (fields === null) return { _ref: ref };
  const type = types.at(target.collection);
  const open = Object.fromEntries(
    Object.entries(data ?? {}).filter(
      ([name]) => type?.privates.has(name) !== true && type?.hidden.has(name) !== true,
    ),
  );
  if (fields === 'all') return { _id: target.id, _rev: String(rev), ...open };
  const selected: JsonObject = {};
  for (const field of fields) {
    const value = getAt({ _id: target.id, _rev: String(rev), _ref: ref, ...open }, field);
    if (value !== undefined) setMember(selected, lastOf(field), value);
  }
  return selected;
}
