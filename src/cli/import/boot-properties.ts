import { parseJavaProperties } from '#config/index.ts';

/** What a project of the OpenIDM family says of the names that it goes by. */
const NAMES: readonly (readonly [name: string, value: string])[] = [
  ['svc.compat', 'openidm'],
  ['svc.role.admin', 'openidm-admin'],
  ['svc.role.authorized', 'openidm-authorized'],
  ['svc.role.reg', 'openidm-reg'],
  ['svc.role.cert', 'openidm-cert'],
  ['svc.role.tasks-manager', 'openidm-tasks-manager'],
];

/** The text of `boot.properties` with these names; what it says of them itself stays. */
export function withCompat(text: string): string {
  const { entries } = parseJavaProperties(text);
  const missing = NAMES.filter(([name]) => !entries.has(name));
  if (missing.length === 0) return text;
  const lines = missing.map(([name, value]) => `${name}=${value}`);
  const before = text === '' || /[\r\n]$/.test(text) ? text : `${text}\n`;
  return `${before}\n# Names of the server that this project comes from (docs/moving-in.md)\n${lines.join('\n')}\n`;
}
