import { foreignRings } from '#cluster/index.ts';
import type { ConfigStore } from '#config/index.ts';
import { KeyRing, type KeyRingText, lackingKeys } from '#crypto/index.ts';
import { type Database, findReadOnly } from '#database/index.ts';
import { wordsOf } from '#errors/index.ts';
import { type HealthPart, inTurn } from '#lifecycle/index.ts';
import { type ScriptThreads, scriptsInactive } from '#script/index.ts';

export type HealthCheck = () => Promise<HealthPart>;

/** The database is well while it answers and takes changes. @param refused what it last said against changes, if it did */
export function databaseHealth(database: Database, refused: () => string | undefined): HealthCheck {
  const name = 'database';
  const ask = inTurn(() => findReadOnly(database.db));
  return async () => {
    try {
      const readOnly = (await ask()) ?? refused();
      if (readOnly === undefined) return { name, ok: true };
      return { name, ok: false, detail: `takes no changes: ${readOnly}` };
    } catch (error) {
      return { name, ok: false, detail: `cannot be reached: ${wordsOf(error)}` };
    }
  };
}

/** The key ring is well while it has every key under which something may be stored, and keys in common with the other nodes. */
export function keysHealth(database: Database, ring: KeyRingText, nodeId: number): HealthCheck {
  const name = 'keys';
  const { ids } = new KeyRing(ring);
  const ask = inTurn(
    async () => (await lackingKeys(database, ids)) ?? (await foreignRings(database.db, nodeId, ring)),
  );
  return async () => {
    try {
      const lacking = await ask();
      return lacking === undefined ? { name, ok: true } : { name, ok: false, detail: lacking };
    } catch {
      // The database says so itself.
      return { name, ok: true, detail: 'unknown while the database cannot be reached' };
    }
  };
}

/** A drained node is to be sent no requests. */
export function drainHealth(drainedAt: Date | null): readonly HealthPart[] {
  if (drainedAt === null) return [];
  return [{ name: 'drain', ok: false, detail: `drained since ${drainedAt.toISOString()}` }];
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
