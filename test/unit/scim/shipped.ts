import { readFile } from 'node:fs/promises';
import type { ConfigDefinition } from '#config/config-definition.ts';
import { type ManagedConfig, managedConfig, type ScimConfig, scimConfig } from '#config/index.ts';
import { compileResourceTypes } from '#scim/compile-resource-type.ts';
import type { ResourceType } from '#scim/resource-type.ts';

/** The resource types of the shipped files. */
export async function shippedTypes(): Promise<readonly ResourceType[]> {
  const read = async (name: string) => JSON.parse(await readFile(`conf/${name}.json`, 'utf8')) as object;
  const { $schema: _, ...scim } = (await read('scim')) as { $schema?: string };
  const config = parsed<ScimConfig>(scimConfig, scim);
  const managed = parsed<ManagedConfig>(managedConfig, await read('managed'));
  const { types, faults } = compileResourceTypes(config, managed);
  if (faults.length > 0) throw new Error(JSON.stringify(faults));
  return types;
}

export function parsed<T>({ schema }: ConfigDefinition<T>, value: object): T {
  const read = schema.safeParse(value);
  if (!read.success) throw new Error(JSON.stringify(read.error.issues));
  return read.data;
}

export async function shippedType(name: string): Promise<ResourceType> {
  const type = (await shippedTypes()).find((one) => one.name === name);
  if (type === undefined) throw new Error(`there is no ${name}`);
  return type;
}

export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
