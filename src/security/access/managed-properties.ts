import { type ConfigStore, managedConfig } from '#config/index.ts';
import { isObject, type JsonObject } from '#json/index.ts';

/** The properties that `managed.json` declares for a type; undefined for a type that it does not know. */
export function managedProperties(config: ConfigStore, type: string): JsonObject | undefined {
  const found = config.get(managedConfig).objects.find(({ name }) => name === type);
  const schema = found?.['schema'];
  const properties = isObject(schema) ? schema['properties'] : undefined;
  return isObject(properties) ? properties : undefined;
}
