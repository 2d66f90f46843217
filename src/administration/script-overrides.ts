import type { ScriptStore } from '#script/index.ts';
import { deleteOverride, lockOverrides, putOverride, versionOf } from './config-override-repository.ts';
import type { ConfigOverrides } from './config-overrides.ts';
import { idOfScript, overrideOf } from './script-override.ts';

/** Keeps scripts beside the configurations that were set through REST, so that they come in force like these. */
export function scriptOverrides(overrides: ConfigOverrides, activate: () => Promise<void>): ScriptStore {
  return {
    refresh: () => overrides.refresh(),
    activate,
    async lock(db, path) {
      const id = idOfScript(path);
      await lockOverrides(db);
      return (await versionOf(db, id)) === (overrides.versions.get(id) ?? null);
    },
    async put(db, path, text, by) {
      if (text === undefined) await deleteOverride(db, idOfScript(path));
      else await putOverride(db, overrideOf(path, text), by);
    },
  };
}
