import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { versionOf } from '#app/version.ts';
import { type Command, EXIT } from './command.ts';
import { tell, toldHelp, toldOptions } from './told.ts';

const INSTALL_LOCATION = join(import.meta.dirname, '../..');

interface Versions {
  readonly svc: string;
  readonly node: string;
  /** The number of its last migration. */
  readonly schema: string;
}

/** `svc version` */
export const version: Command = {
  name: 'version',
  summary: 'tell which version this is',
  help: `
${toldHelp}

Example: svc version -o json
`,
  options: toldOptions,
  async run(flags) {
    tell(flags, versions(), formatVersion);
    return EXIT.OK;
  },
};

/** What this installation is, in a line for whoever reports a mistake. */
export function formatVersion(): string {
  const { svc, node, schema } = versions();
  return `svc ${svc}, Node ${node}, schema ${schema}, for PostgreSQL 15 or newer`;
}

function versions(): Versions {
  const schema = readdirSync(join(INSTALL_LOCATION, 'migrations'))
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .at(-1);
  return {
    svc: versionOf(INSTALL_LOCATION),
    node: process.versions.node,
    schema: (schema ?? '').slice(0, 4),
  };
}
