import type { AuthenticationConfig, PlannedEffect } from '#config/index.ts';
import type { Db } from '#database/index.ts';
import { countSessions } from './session-repository.ts';

/** Tells which modules come and go, and how many sessions began by those that go. */
export async function planAuthentication(
  db: Db,
  previous: AuthenticationConfig | undefined,
  current: AuthenticationConfig | undefined,
): Promise<readonly PlannedEffect[]> {
  const before = modulesOf(previous);
  const after = modulesOf(current);
  const gone = [...before].filter((name) => !after.has(name));
  const sessions = await countSessions(db, gone);
  const come = [...after].filter((name) => !before.has(name));
  return [
    ...come.map((name) => ({
      kind: 'module.added',
      module: name,
      text: `Callers come in by ${name} as well`,
    })),
    ...gone.map((name) => ({
      kind: 'module.removed',
      module: name,
      count: sessions.get(name) ?? 0,
      text: `Nobody comes in by ${name} any more; ${sessions.get(name) ?? 0} sessions began there`,
    })),
  ];
}

function modulesOf(config: AuthenticationConfig | undefined): ReadonlySet<string> {
  const modules = config?.serverAuthContext.authModules ?? [];
  return new Set(modules.flatMap(({ name, enabled }) => (String(enabled) === 'false' ? [] : [name])));
}
