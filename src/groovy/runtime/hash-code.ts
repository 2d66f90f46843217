import { itemsOf } from './equality.ts';
import { identityOf, keyText } from './hash-key.ts';
import { hashing } from './hash-order.ts';
import { JavaMap } from './java-map.ts';
import { JavaSet } from './java-set.ts';
import { scriptClassOf } from './script-class.ts';
import { gstringText } from './text.ts';
import { VALUE_CLASSES } from './value-classes.ts';
import { Entry, GString, JavaObject, listKind } from './values.ts';

/** Java's hash of a value, which decides the order of a HashMap; of objects without one a number of their own. */
export function hashCode(value: unknown): number {
  switch (typeof value) {
    case 'number':
      return value;
    case 'bigint':
      return foldLong(value);
    case 'boolean':
      return value ? 1231 : 1237;
    case 'string':
      return hashOfText(value);
    case 'object':
      return value === null ? 0 : hashOfObject(value);
    default:
      return 0;
  }
}

export function hashOfText(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(31, hash) + text.charCodeAt(at)) | 0;
  return hash;
}

function foldLong(value: bigint): number {
  return Number(BigInt.asIntN(32, value ^ (value >> 32n)));
}

function hashOfObject(value: object): number {
  if (scriptClassOf(value) !== undefined) return ownHash(value) ?? identityOf(value);
  if (Array.isArray(value) && listKind(value)?.element !== undefined) return identityOf(value);
  const items = itemsOf(value);
  if (items !== undefined) return hashOfItems(items);
  if (value instanceof JavaMap) return value.list().reduce((sum, entry) => (sum + hashOfEntry(entry)) | 0, 0);
  if (value instanceof JavaSet)
    return value.list().reduce<number>((sum, item) => (sum + hashCode(item)) | 0, 0);
  if (value instanceof Entry) return hashOfEntry(value);
  if (value instanceof GString) return (37 + hashOfText(gstringText(value))) | 0;
  return hashOfScalar(value);
}

/** The hash by the class of the script, where that has a `hashCode` of its own. */
function ownHash(value: object): number | undefined {
  const [method] = scriptClassOf(value)?.findMethods('hashCode') ?? [];
  return method === undefined ? undefined : Number(method.run(value)) | 0;
}

export function hashOfItems(items: readonly unknown[]): number {
  return items.reduce<number>((hash, item) => (Math.imul(31, hash) + hashCode(item)) | 0, 1);
}

function hashOfEntry({ key, value }: Entry): number {
  return hashCode(key) ^ hashCode(value);
}

function hashOfScalar(value: object): number {
  const { [HASH]: hash, ms: moment }: { [HASH]?: (value: object) => number; ms?: unknown } = value;
  if (hash !== undefined) return hash(value);
  if (value instanceof JavaObject && typeof moment === 'number') return foldLong(BigInt(moment));
  return value instanceof JavaObject && value.key() !== value
    ? hashOfText(keyText(value))
    : identityOf(value);
}

/** On the prototypes of the classes that say how their values are hashed. */
const HASH = 'javaHash$';
for (const { make, hash } of VALUE_CLASSES)
  if (hash !== undefined) Object.defineProperty(make.prototype, HASH, { value: hash });

hashing.of = hashCode;
