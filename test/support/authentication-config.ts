import { readFileSync } from 'node:fs';
import { type AuthenticationConfig, authenticationConfig } from '#config/index.ts';

/** The modules that are shipped: `MANAGED_USER` finds people by their `userName`. */
export function shippedAuthentication(): AuthenticationConfig {
  const file = new URL('../../conf/authentication.json', import.meta.url);
  const read = authenticationConfig.schema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (!read.success) throw new Error('conf/authentication.json cannot be read');
  return read.data;
}
