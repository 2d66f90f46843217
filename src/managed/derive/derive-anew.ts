import type { Database } from '#database/index.ts';
import { equalJson } from '#json/index.ts';
import type { ManagedTypes } from '../managed-types.ts';
import { completeMembers, listIdsAfter, listMembers } from './derivation-repository.ts';
import { deriveProperties } from './derive-properties.ts';

const PAGE = 1_000;

/**
 * Completes what objects store of derived properties, after edges were stored without their lives: a page after the other,
 * each a transaction. Revisions stay, because nothing has changed that anybody has written.
 *
 * @returns how many objects it was missing from, or otherwise in
 */
export async function deriveAnew({ db }: Database, types: ManagedTypes): Promise<number> {
  let completed = 0;
  for (const type of types.current().values()) {
    const names = type.storedDerived.map(({ name }) => name);
    let after: string | undefined = '';
    while (names.length > 0 && after !== undefined) {
      const ids: readonly string[] = await listIdsAfter(db, type.name, after, PAGE);
      const stored = await listMembers(db, type.name, ids, names);
      const now = stored.map(({ id }) => ({ id, data: {} }));
      await deriveProperties({ types }, db, type, type.storedDerived, now);
      const stale = now.filter(({ data }, at) => !equalJson(data, stored[at]?.members ?? {}));
      if (stale.length > 0) {
        const changes = stale.map(({ id, data }) => ({ id, members: data }));
        await completeMembers(db, type.name, changes);
      }
      completed += stale.length;
      after = ids.length < PAGE ? undefined : ids.at(-1);
    }
  }
  return completed;
}
