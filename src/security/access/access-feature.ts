import { wordsOf } from '#errors/index.ts';
import { type Service, Ticker } from '#lifecycle/index.ts';
import type { Feature, Platform } from '#platform/index.ts';
import type { ScriptThreads } from '#script/index.ts';
import { ACCESS_FILE, accessFileText } from './access-file.ts';
import { type AccessResourceOptions, accessResource } from './access-resource.ts';
import type { AccessFile, AccessRules } from './access-rules.ts';
import { settledText } from './settled-text.ts';

const LOOK_INTERVAL_MS = 1_000;

/** `/access`; and follows `script/access.js`: a script thread evaluates it, and what comes out holds in every thread. */
export function accessFeature(
  platform: Platform,
  access: AccessRules,
  personNamed: AccessResourceOptions['personNamed'],
): Feature {
  const { router } = platform;
  return {
    resources: { access: accessResource({ rules: access, router, personNamed }) },
    node: ({ threads }) => ({ services: [rulesKeeper(platform, access, threads)] }),
  };
}

function rulesKeeper(platform: Platform, access: AccessRules, threads: ScriptThreads): Service {
  const { config, observe } = platform;
  let text: string | undefined;
  let refused: string | undefined;
  /** @param expected the only text of which the rules come in force; undefined: whatever it is */
  const refresh = async (expected?: string) => {
    const rules = await threads.run({ kind: 'accessRules', payload: null, repeatable: true });
    const file = rules as AccessFile | undefined;
    if (file === undefined || (expected !== undefined && file.text !== expected)) return false;
    access.replace(file);
    return true;
  };
  const failed = (error: unknown) => observe({ kind: 'loop.failed', loop: 'access rules', error });
  config.watch(() =>
    refresh(text).then(
      () => undefined,
      // What is wrong with a file that has been refused has been told.
      (error: unknown) => (refused === undefined ? failed(error) : undefined),
    ),
  );
  const watcher = new Ticker({
    name: 'access rules',
    intervalMs: LOOK_INTERVAL_MS,
    async runOnce() {
      if ((await accessFileText(platform)) === text) {
        refused = undefined;
        return;
      }
      const settled = await settledText(
        () => accessFileText(platform),
        () => platform.scriptFiles.forget(),
      );
      if (settled === undefined) return;
      const { text: now } = settled;
      try {
        if (now !== refused) await threads.reload();
        if (!(await refresh(now)) && now !== undefined) return;
        text = now;
        refused = undefined;
      } catch (error) {
        // It is tried again, for the reason may lie elsewhere, and told once.
        if (now !== refused) observe({ kind: 'config.refused', id: ACCESS_FILE, findings: [wordsOf(error)] });
        refused = now;
      }
    },
    observe,
  });
  return {
    name: 'access rules',
    async start() {
      text = await accessFileText(platform);
      // A file that cannot be evaluated must not keep the node down: administrators may mend it.
      await refresh().catch(failed);
      await watcher.start();
    },
    stop: () => watcher.stop(),
  };
}
