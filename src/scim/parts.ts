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

/** Of elements with a place of their own the first one counts, and what was added last is meant. */
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
  const isNew = (value: JsonValue) => !before.some((one) => isSame(one, value));
  const news = await filterInTurns(added, isNew, pause);
  // One element at most is the primary one: the last that is said to be.
  const isPrimary = news.some((one) => isObject(one) && one['primary'] === true);
  const kept = isPrimary
    ? before.map((one) => (isObject(one) ? withPart(one, 'primary', null) : one))
    : before;
  return [...kept, ...news];
}

/** A list without the values that are listed. */
export function withoutValues(
  before: readonly JsonValue[],
  removed: readonly JsonValue[],
  pause: Pause,
): Promise<JsonValue[]> {
  return filterInTurns(before, (one) => !removed.some((value) => isSame(one, value)), pause);
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
