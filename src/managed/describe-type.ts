import { isObject, type JsonObject } from '#json/index.ts';
import type { ProviderDescription } from '#resource/index.ts';
import type { ManagedType } from './managed-type.ts';

/** A type for the API description: its draft-03 properties as a schema of today. */
export function describeType(type: ManagedType): ProviderDescription {
  const properties: JsonObject = {
    _id: { type: 'string' },
    _rev: { type: 'string', readOnly: true },
  };
  for (const [name, property] of Object.entries(type.properties)) {
    if (!isObject(property) || property['scope'] === 'private') continue;
    const { title, description, type: declared, isVirtual } = property;
    properties[name] = {
      ...(declared === undefined || declared === 'relationship' ? {} : { type: declared }),
      ...(typeof title === 'string' ? { title } : {}),
      ...(typeof description === 'string' ? { description } : {}),
      ...(isVirtual === true ? { readOnly: true } : {}),
    };
  }
  return { title: `managed ${type.name}`, schema: { type: 'object', properties } };
}
