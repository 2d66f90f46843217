import { isObject, type JsonValue } from './value.ts';

/** JSON text that is the same however the members of objects are ordered: the database keeps no order of its own. */
export function canonicalText(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalText(item ?? null)).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  let members = '';
  for (const name of Object.keys(value).sort()) {
    const member = value[name];
    if (member === undefined) continue;
    members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${canonicalText(member)}`;
  }
  return `{${members}}`;
}
