import type { Db } from '#database/index.ts';
import { getAt, type JsonObject, type JsonValue, setMember } from '#json/index.ts';
import { isInEffect } from '../grant/temporal-constraint.ts';
import type { ManagedPlatform } from '../managed-platform.ts';
import type { ManagedProperty } from '../managed-property.ts';
import type { ManagedType } from '../managed-type.ts';
import { formatRef } from '../relationship/edge.ts';
import type { Derivation } from './derivation.ts';
import { type DerivedStep, followPath } from './derivation-repository.ts';

/** Calculates derived properties of objects in place, each with one statement for all of them. */
export async function deriveProperties(
  platform: ManagedPlatform,
  db: Db,
  type: ManagedType,
  properties: readonly ManagedProperty[],
  objects: readonly { readonly id: string; readonly data: JsonObject }[],
): Promise<void> {
  for (const { name, derivation } of properties) {
    const found = await followPath(
      db,
      `managed/${type.name}`,
      objects.map(({ id }) => id),
      derivation!.path,
    );
    const byOwner = Map.groupBy(found, ({ ownerId }) => ownerId);
    for (const { id, data } of objects) {
      setMember(data, name, derive(platform, type, derivation!, byOwner.get(id) ?? []));
    }
  }
}

/** The ends of all paths that are in effect now, each once, in the order in which they are met. */
function derive(
  platform: ManagedPlatform,
  type: ManagedType,
  derivation: Derivation,
  paths: readonly { readonly steps: readonly DerivedStep[] }[],
): JsonValue[] {
  const ends = new Map<string, JsonValue>();
  const now = Date.now();
  for (const { steps } of paths) {
    const end = steps.at(-1)!;
    const ref = formatRef(end.target);
    const isValid = () =>
      steps.every((_, index) => stepInEffect(platform, type, derivation, steps, index, now));
    if (!ends.has(ref) && isValid()) ends.set(ref, endValue(platform, derivation, end, ref));
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
  const owner =
    index === 0 ? type : types.current().get(steps[index - 1]!.target.collection.split('/')[1] ?? '');
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
  const type = types.current().get(target.collection.split('/')[1] ?? '');
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
