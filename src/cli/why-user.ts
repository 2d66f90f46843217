import { listOverrides } from '#administration/index.ts';
import { ConfigStore, managedConfig, type Settings, writtenJson } from '#config/index.ts';
import type { Db } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { explainToOperator } from '#managed/index.ts';

/** Where the roles of a user come from, or one of them; by the types that are in force. */
export async function whyUser(
  settings: Settings,
  db: Db,
  { id, role }: { readonly id: string; readonly role: string | undefined },
): Promise<JsonObject> {
  const config = await ConfigStore.open({ settings, environment: process.env, report: () => {} });
  config.setOverlay(new Map((await listOverrides(db)).map((override) => [override.id, override.content])));
  await config.reload();
  const definitions = writtenJson(config.get(managedConfig).objects);
  const question = role === undefined ? { property: 'effectiveRoles' } : { role };
  return explainToOperator(db, definitions, { typeName: 'user', id, question });
}
