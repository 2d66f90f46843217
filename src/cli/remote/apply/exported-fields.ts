import type { Client, JsonObject } from '#client/index.ts';
import { isConditional, isReference, propertiesOf } from './reference.ts';

interface Property {
  readonly isVirtual?: boolean;
  readonly private?: boolean;
  readonly stored?: string;
}

/** What somebody has put into objects of a managed type: no secret, and nothing that the node works out itself. */
export async function exportedFields(client: Client, type: string): Promise<readonly string[]> {
  const { properties } = await client
    .resource<{ readonly properties: Readonly<Record<string, Property>> }>('schema/managed')
    .read(type);
  const kept = Object.entries(properties).filter(
    ([, { isVirtual, private: isPrivate, stored }]) =>
      isVirtual !== true && isPrivate !== true && stored === undefined,
  );
  return ['_id', ...kept.map(([name]) => name).filter((name) => name !== '_id')];
}

/** References without what the node knows of them, and without those that a condition makes. */
export function withoutDerived(content: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(content).map(([name, value]) => [name, plain(value)]));
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((each) => !isConditional(each)).map(plain);
  if (!isReference(value)) return value;
  const { _id, _rev, _grantType, ...properties } = propertiesOf(value);
  return {
    _ref: value._ref,
    ...(Object.keys(properties).length === 0 ? {} : { _refProperties: properties }),
  };
}
