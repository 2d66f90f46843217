import { equalJson, isObject, type JsonObject, type JsonValue, setMember } from '#json/index.ts';
import { memberIgnoringCase } from './content.ts';

/** A list, or what stands in the place of one; null is none. */
export function valuesOf(value: JsonValue): JsonValue[] {
  return Array.isArray(value) ? value : value === null ? [] : [value];
}

/** An object with the parts of another in it, whatever the case of their names; null takes one away. */
export function merged(before: JsonObject, value: JsonObject): JsonObject {
  const names = new Map(Object.keys(before).map((name) => [name.toLowerCase(), name]));
  const made = { ...before };
  for (const [given, part] of Object.entries(value)) {
    const name = names.get(given.toLowerCase()) ?? given;
    names.set(given.toLowerCase(), name);
    if (part === null) delete made[name];
    else setMember(made, name, part);
  }
  return made;
}

/** Turns elements round: the first one that has a place of its own counts, and the one that was added last is meant. */
export function lastFirst(elements: readonly JsonValue[]): JsonValue[] {
  return elements.toReversed();
}

/** An object with one part as it is given; null takes it away. */
export function withPart(object: JsonObject, name: string, value: JsonValue): JsonObject {
  const lower = name.toLowerCase();
  const own = Object.keys(object).find((key) => key.toLowerCase() === lower) ?? name;
  const { [own]: _, ...others } = object;
  return value === null ? others : { ...others, [own]: value };
}

/** Lets others have the thread now and then; there is nothing to wait for most of the time. */
export type Pause = () => Promise<void> | undefined;

/** `filter` of a list, of which each look may be one at another list. */
export async function filterInTurns<Item>(
  list: readonly Item[],
  isKept: (item: Item) => boolean,
  pause: Pause,
): Promise<Item[]> {
  const kept: Item[] = [];
  for (const item of list) {
    if (isKept(item)) kept.push(item);
    const others = pause();
    if (others !== undefined) await others;
  }
  return kept;
}

/** A list with values added that it does not have. */
export async function withValues(
  before: readonly JsonValue[],
  added: readonly JsonValue[],
  pause: Pause,
): Promise<JsonValue[]> {
  const find = finderIn(before);
  const news = await filterInTurns(added, (value) => find(value).next().done === true, pause);
  // One element at most is the primary one: the last that is said to be.
  const isPrimary = news.some((one) => isObject(one) && one['primary'] === true);
  const kept = isPrimary
    ? before.map((one) => (isObject(one) ? withPart(one, 'primary', null) : one))
    : before;
  return [...kept, ...news];
}

/** A list without the values that are listed. */
export async function withoutValues(
  before: readonly JsonValue[],
  removed: readonly JsonValue[],
  pause: Pause,
): Promise<JsonValue[]> {
  const find = finderIn(before);
  const gone = new Set<JsonValue>();
  await filterInTurns(
    removed,
    (value) => {
      for (const one of find(value)) gone.add(one);
      return false;
    },
    pause,
  );
  return before.filter((one) => !gone.has(one));
}

/** Finds the values of a list that are the same as another, among those that have the rarest of its parts in common with it. */
function finderIn(list: readonly JsonValue[]): (value: JsonValue) => Generator<JsonValue, void> {
  const byPart = new Map<string, JsonValue[]>();
  for (const one of list) {
    for (const part of partsOf(one)) {
      const others = byPart.get(part);
      if (others === undefined) byPart.set(part, [one]);
      else others.push(one);
    }
  }
  const among = (value: JsonValue): readonly JsonValue[] => {
    const [first, ...parts] = partsOf(value).map((part) => byPart.get(part) ?? []);
    // Nothing that it has tells it from those that have nothing.
    if (first === undefined) return list;
    return parts.reduce((fewest, some) => (some.length < fewest.length ? some : fewest), first);
  };
  return function* (value) {
    for (const one of among(value)) if (isSame(one, value)) yield one;
    // A value alone is the same as an object that has it, whatever else that says.
    const [alone = ''] = isObject(value) ? partsOf(value['value'] ?? null) : [];
    for (const one of byPart.get(alone) ?? []) if (!isObject(one) && isSame(one, value)) yield one;
  };
}

/** A text for each part that is something; what is no object is a value alone. */
function partsOf(value: JsonValue): string[] {
  const parts = isObject(value) ? Object.entries(value) : [['value', value] as const];
  return parts.flatMap(([name, part]) => {
    if (part === null) return [];
    return [`${name.toLowerCase()} ${typeof part === 'object' ? '' : JSON.stringify(part)}`];
  });
}

/** The same value; of objects what the shorter one says counts, such as the value alone. */
function isSame(one: JsonValue, other: JsonValue): boolean {
  if (!isObject(one) || !isObject(other)) {
    return equalJson(
      isObject(one) ? (one['value'] ?? null) : one,
      isObject(other) ? (other['value'] ?? null) : other,
    );
  }
  return Object.entries(other).every(([name, value]) =>
    equalJson(memberIgnoringCase(one, name) ?? null, value),
  );
}
