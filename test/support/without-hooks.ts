import { readFileSync } from 'node:fs';

/** The shipped users and roles, without their hooks: this process runs no scripts. */
export function withoutHooks(): string {
  const managed = JSON.parse(readFileSync(new URL('../../conf/managed.json', import.meta.url), 'utf8'));
  for (const type of managed.objects)
    for (const key of Object.keys(type)) if (/^on/.test(key)) delete type[key];
  return JSON.stringify(managed);
}
