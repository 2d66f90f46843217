import { isObject, type JsonValue, type Pointer } from '#json/index.ts';
import { coercionIn } from './coercion.ts';
import type { PropertySource } from './property-source.ts';
import { holdsSecret } from './secret-variables.ts';
import { substitute } from './substitution.ts';

/** Where texts stand that refer to properties which are most likely secrets, such as `&{mail.password}`. */
export function secretReferences(content: JsonValue, properties: PropertySource): readonly Pointer[] {
  const found: Pointer[] = [];
  visit(content, []);
  return found;

  function visit(value: JsonValue, pointer: Pointer): void {
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) visit(item, [...pointer, String(index)]);
    } else if (isObject(value)) {
      // What it is made into stands in its place, whatever its one member refers to.
      if (coercionIn(value) !== undefined) {
        if (isAnywhereSecret(value)) found.push(pointer);
        return;
      }
      for (const [key, member] of Object.entries(value)) visit(member, [...pointer, key]);
    } else if (typeof value === 'string' && value.includes('&{') && leadsToSecret(value)) found.push(pointer);
  }

  function isAnywhereSecret(value: JsonValue): boolean {
    if (typeof value === 'string') return value.includes('&{') && leadsToSecret(value);
    return typeof value === 'object' && value !== null && Object.values(value).some(isAnywhereSecret);
  }

  function leadsToSecret(text: string): boolean {
    let isSecret = false;
    substitute(text, {
      get(name) {
        isSecret ||= holdsSecret(name.replace(/[.-]/g, '_'));
        return properties.get(name);
      },
    });
    return isSecret;
  }
}
