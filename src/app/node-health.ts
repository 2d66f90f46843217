import type { ConfigStore } from '#config/index.ts';
import type { Database } from '#database/index.ts';
import type { HealthPart } from '#http/index.ts';
import { type ScriptThreads, scriptsInactive } from '#script/index.ts';

/** A loop is well while it beats. @param beatAt milliseconds since 1970 by the node's clock, 0 for never */
export function beatHealth(name: string, beatAt: number, limitMs: number): HealthPart {
  if (beatAt === 0) return { name, ok: false, detail: 'has not beaten yet' };
  const age = performance.now() - beatAt;
  return { name, ok: age < limitMs, detail: `beat ${Math.round(age)} ms ago` };
}

export async function databaseHealth(database: Database): Promise<HealthPart> {
  const ok = await database.pool.query('select 1').then(
    () => true,
    () => false,
  );
  return { name: 'database', ok };
}

/** Scripts are well while they are configured and one thread at least can take them. */
export function scriptHealth(threads: ScriptThreads, config: ConfigStore): HealthPart {
  const inactive = scriptsInactive(config);
  if (inactive !== undefined) return { name: 'scripts', ok: false, detail: inactive };
  const told = threads.health.map(({ thread, ok, busy, beatAgeMs }) => {
    const state = ok ? 'up' : beatAgeMs === null ? 'starting' : `silent for ${beatAgeMs} ms`;
    return `thread ${thread} ${state}, ${busy} busy`;
  });
  return {
    name: 'scripts',
    ok: threads.health.some(({ ok }) => ok),
    detail: told.length === 0 ? 'no thread is running' : told.join('; '),
  };
}
