import { ActivationError, type Finding, factsOf, wordsOf } from '#errors/index.ts';
import { type Service, Ticker } from '#lifecycle/index.ts';
import type { Feature, Platform, ThreadsOfNode } from '#platform/index.ts';
import { workKind } from '#script/index.ts';
import { ACCESS_FILE, accessFileText } from './access-file.ts';
import { type AccessResourceOptions, accessResource } from './access-resource.ts';
import type { AccessFile, AccessRules } from './access-rules.ts';
import { ACCESS_USE } from './access-rules-of.ts';
import { settledText } from './settled-text.ts';

const LOOK_INTERVAL_MS = 1_000;
/** Evaluates the text of an access file. */
export const ACCESS_FILE_TEXT = workKind<string, AccessFile>('accessRules');

/** `/access`; and follows `script/access.js`: a script thread evaluates it, and what comes out holds in every thread. */
export function accessFeature(
  platform: Platform,
  access: AccessRules,
  personNamed: AccessResourceOptions['personNamed'],
): Feature {
  const { router } = platform;
  return {
    resources: { access: accessResource({ rules: access, router, personNamed }) },
    scriptUses: { access: ACCESS_USE },
    node: ({ threads }) => ({ services: [rulesKeeper(platform, access, threads)] }),
  };
}

function rulesKeeper(platform: Platform, access: AccessRules, threads: ThreadsOfNode): Service {
  const { config, observe } = platform;
  let text: string | undefined;
  let refused: string | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  /** One text after the other, so that an earlier one that takes longer does not come in force behind it. */
  const enforce = (wanted: string): Promise<void> => {
    const own = turn.then(async () => {
      const rules = await threads.run({ kind: ACCESS_FILE_TEXT, payload: wanted, repeatable: true });
      access.replace(rules);
      await threads.replaceFoundation({ rules });
    });
    turn = own.catch(() => undefined);
    return own;
  };
  /** The rules are asked for anew, or what they require may have changed. */
  const again = async (isScript = false) => {
    if (isScript) platform.scriptFiles.forget();
    const wanted = isScript ? await accessFileText(platform) : text;
    if (wanted === undefined) return;
    await enforce(wanted);
    text = wanted;
  };
  const failed = (error: unknown) => observe({ kind: 'loop.failed', loop: 'access rules', error });
  const note = (error: unknown) => config.refusals.noteElsewhere(ACCESS_FILE, findingsOf(error));
  config.watch(({ id }) =>
    // What is wrong with a file that has been refused has been told.
    again(id.startsWith('script-file/')).catch((error: unknown) =>
      refused === undefined ? failed(error) : undefined,
    ),
  );
  const watcher = new Ticker({
    name: 'access rules',
    intervalMs: LOOK_INTERVAL_MS,
    async runOnce() {
      if ((await accessFileText(platform)) === text) {
        // The file is again as it was before it was refused.
        if (refused !== undefined) config.refusals.forgetElsewhere(ACCESS_FILE);
        refused = undefined;
        return;
      }
      const settled = await settledText(
        () => accessFileText(platform),
        () => platform.scriptFiles.forget(),
      );
      const now = settled?.text;
      if (now === undefined) return;
      try {
        await enforce(now);
        text = now;
        refused = undefined;
        config.refusals.forgetElsewhere(ACCESS_FILE);
        // Whoever listens to events looks at once whether it still may, here and where others have not yet seen it.
        observe({ kind: 'config.changed', id: ACCESS_FILE, change: 'changed' });
      } catch (error) {
        // It is tried again, for the reason may lie elsewhere, and told once.
        if (now !== refused) {
          note(error);
          observe({ kind: 'config.refused', id: ACCESS_FILE, findings: [wordsOf(error)] });
        }
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
      await again().catch((error: unknown) => {
        note(error);
        failed(error);
      });
      await watcher.start();
    },
    stop: () => watcher.stop(),
  };
}

/** What is wrong with the rules, where in their file. */
function findingsOf(error: unknown): readonly Finding[] {
  if (error instanceof ActivationError) return error.findings;
  const words = wordsOf(error);
  const [, where = ACCESS_FILE, message = words] = /^(\S+:\d+:\d+) {2}(.*)$/s.exec(words) ?? [];
  return [{ id: factsOf(error).id ?? 'CONFIG_REFUSED', where, message }];
}
