import { isRecord } from './profiles.ts';

/** A JSON schema as TypeScript, such as `'a' | 'b'` or `{ readonly city?: string }`. What it does not know is `unknown`. */
export function typeText(schema: unknown, indent = ''): string {
  if (!isRecord(schema)) return 'unknown';
  const { type, enum: values, items, properties } = schema;
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ') || 'never';
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  const texts = types.map((each) => {
    if (each === 'string' || each === 'boolean' || each === 'null') return each;
    if (each === 'number' || each === 'integer') return 'number';
    if (each === 'array') return `readonly (${typeText(items, indent)})[]`;
    if (each === 'object')
      return isRecord(properties) ? membersText(schema, indent) : 'Readonly<Record<string, unknown>>';
    return 'unknown';
  });
  return [...new Set(texts)].join(' | ');
}

/** The members of an object, each on its line. */
export function membersText(schema: unknown, indent = ''): string {
  const { properties, required } = isRecord(schema) ? schema : {};
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const inner = `${indent}  `;
  const lines = Object.entries(isRecord(properties) ? properties : {}).flatMap(([name, property]) => {
    if (name === '_id' || name === '_rev' || !isRecord(property)) return [];
    const { title, description, readOnly, writeOnly } = property;
    const words = [
      title ?? description,
      writeOnly === true ? 'Can be written, and is never read.' : undefined,
    ];
    const said = words
      .filter((text) => typeof text === 'string')
      .join(' ')
      .replaceAll('*/', '*\\/')
      .replace(/\s+/g, ' ');
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return [
      ...(said === '' ? [] : [`${inner}/** ${said} */`]),
      `${inner}${readOnly === true ? 'readonly ' : ''}${key}${needed.includes(name) ? '' : '?'}: ${typeText(property, inner)};`,
    ];
  });
  return lines.length === 0 ? '{}' : `{\n${lines.join('\n')}\n${indent}}`;
}
