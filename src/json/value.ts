/** What JSON can hold. Values are treated as immutable unless a function says that it works in place. */
export type JsonValue = null | boolean | number | string | JsonArray | JsonObject;
export type JsonArray = JsonValue[];
export type JsonObject = { [key: string]: JsonValue };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A deep copy; cheaper than `structuredClone` for plain JSON and deaf to prototypes. */
export function cloneJson<T extends JsonValue>(value: T): T {
  if (Array.isArray(value)) return value.map(cloneJson) as T;
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const [key, member] of Object.entries(value)) setMember(copy, key, cloneJson(member));
  return copy as T;
}

/** Assigns an own member, also one called `__proto__`, which plain assignment would take for the prototype. */
export function setMember(target: JsonObject, key: string, value: JsonValue): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[key] = value;
  }
}

/** The own member of that name; inherited names such as `constructor` are absent. */
export function getMember(target: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(target, key) ? target[key] : undefined;
}

/** What a type is if all that it holds is JSON, or absent. */
type Written<T> = T extends undefined | JsonValue
  ? T
  : T extends (...args: never[]) => unknown
    ? never
    : T extends object
      ? { readonly [Key in keyof T]: Written<T[Key]> }
      : never;

/** A value of a type that holds nothing but JSON, as JSON; nobody may write to it. */
export function asJson<T extends object>(list: readonly (T & Written<T>)[]): JsonObject[];
export function asJson<T extends object>(value: T & Written<T>): JsonObject;
export function asJson(value: object): JsonObject | JsonObject[] {
  return value as JsonObject | JsonObject[];
}
