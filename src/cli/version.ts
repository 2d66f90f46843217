import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { versionOf } from '#app/version.ts';

const INSTALL_LOCATION = join(import.meta.dirname, '../..');

/** What this installation is, in a line for whoever reports a mistake. */
export function formatVersion(): string {
  const version = versionOf(INSTALL_LOCATION);
  const schema = readdirSync(join(INSTALL_LOCATION, 'migrations'))
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .at(-1)!;
  return `svc ${version}, Node ${process.versions.node}, schema ${schema.slice(0, 4)}, for PostgreSQL 15 or newer`;
}
