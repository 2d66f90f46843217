import { auditConfig, authenticationConfig } from '#config/index.ts';
import { wordsOf } from '#database/index.ts';
import { Ticker } from '#lifecycle/index.ts';
import type { ScriptThreads } from '#script/index.ts';
import {
  type AccessFile,
  auditMonthKeeper,
  LoginNameKeeper,
  pruneLogins,
  unsealedSeconds,
} from '#security/index.ts';
import { ACCESS_FILE } from './check-parts.ts';
import type { Core } from './core.ts';
import type { NodePart } from './node-part.ts';
import { accessFileText } from './security-feature.ts';
import { settledText } from './settled-text.ts';

const LOOK_INTERVAL_MS = 1_000;
const PRUNE_INTERVAL_MS = 600_000;

/**
 * Follows `script/access.js`: a script thread evaluates it, and what comes out holds in every thread. Keeps the audit
 * trail's months.
 */
export function securityNode(core: Core, threads: ScriptThreads): NodePart {
  const { access, audit, config, database, observe } = core;
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
      if ((await accessFileText(core)) === text) {
        refused = undefined;
        return;
      }
      const settled = await settledText(
        () => accessFileText(core),
        () => core.scriptFiles.forget(),
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
  const names = new LoginNameKeeper({ database, places: core.authentication.places, observe });
  config.watchOnly(authenticationConfig, () => names.look());
  return {
    gauges: [
      {
        name: 'svc_login_waiting',
        help: 'Logins whose password waits for its turn to be compared',
        read: () => core.authentication.comparisons.waiting,
      },
      {
        name: 'svc_audit_unsealed_seconds',
        help: 'How long the oldest entry of the audit has been waiting for its seal',
        read: () => unsealedSeconds(database.db),
      },
    ],
    services: [
      {
        name: 'access rules',
        async start() {
          text = await accessFileText(core);
          // A file that cannot be evaluated must not keep the node down: administrators may mend it.
          await refresh().catch(failed);
          await watcher.start();
        },
        stop: () => watcher.stop(),
      },
      new Ticker({
        name: 'failed logins',
        intervalMs: PRUNE_INTERVAL_MS,
        runOnce: () => pruneLogins(database.db),
        observe,
      }),
      auditMonthKeeper({ database, config: () => config.get(auditConfig), ...audit, observe }),
      names,
    ],
  };
}
