import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The version in package.json. */
export function versionOf(installLocation: string): string {
  const text = readFileSync(join(installLocation, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
