import { isObject, type JsonObject, type JsonValue, setMember, sizeOf } from '#json/index.ts';

/** The most bytes that are kept of an object before a change, and of one after it. */
const MOST_BYTES = 2 ** 18;
/** Members that are left out are named, as long as there are not too many of them. */
const MOST_NOTES = 100;

/** The value as an entry keeps it: its smaller members, as long as there is room for them, and the size of the others. */
export function boundedValue(value: JsonValue): { readonly value: JsonValue; readonly isTruncated: boolean } {
  const whole = sizeOf(value).bytes;
  if (whole <= MOST_BYTES) return { value, isTruncated: false };
  if (!isObject(value)) return { value: note(whole), isTruncated: true };
  const members = Object.entries(value).map(([name, member]) => ({
    name,
    member,
    bytes: name.length + sizeOf(member).bytes,
  }));
  const kept = new Set<string>();
  let room = MOST_BYTES;
  for (const { name, bytes } of members.toSorted((one, other) => one.bytes - other.bytes)) {
    room -= bytes;
    if (room >= 0) kept.add(name);
  }
  const bounded: JsonObject = {};
  let notes = 0;
  for (const { name, member, bytes } of members) {
    if (kept.has(name)) setMember(bounded, name, member);
    else if (name.length < 1_000 && notes++ < MOST_NOTES) setMember(bounded, name, note(bytes));
  }
  return { value: bounded, isTruncated: true };
}

function note(bytes: number): string {
  return `(${bytes} bytes left out)`;
}
