import type { JsonObject } from '#client/index.ts';
import { isRecord } from '../profiles.ts';

/** `{"_ref": "managed/role/auditor"}`, with what the node knows of it. */
export type Reference = JsonObject & { readonly _ref: string };

export function isReference(value: unknown): value is Reference {
  return isRecord(value) && typeof value['_ref'] === 'string';
}

/** What the reference says of itself. */
export function propertiesOf(reference: Reference): JsonObject {
  return isRecord(reference['_refProperties']) ? reference['_refProperties'] : {};
}

/** Whether a condition makes it: nobody writes those, and they go and come as the condition holds. */
export function isConditional(value: unknown): boolean {
  return isReference(value) && propertiesOf(value)['_grantType'] === 'conditional';
}

/** Whether two values say the same, whatever a node adds to a reference, and in whatever order it lists them. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(plain(one)) === JSON.stringify(plain(other));
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) {
    const parts = value.filter((each) => !isConditional(each)).map(plain);
    return value.every(isReference)
      ? parts.sort((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1))
      : parts;
  }
  if (isReference(value)) {
    const { _id, _rev, _grantType, ...properties } = propertiesOf(value);
    return { _ref: value._ref, _refProperties: plain(properties) };
  }
  if (!isRecord(value)) return value ?? null;
  const members = Object.entries(value).map(([name, each]): [string, unknown] => [name, plain(each)]);
  return Object.fromEntries(members.sort(([left], [right]) => (left < right ? -1 : 1)));
}
