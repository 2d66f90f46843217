import { once } from 'node:events';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { addChecks } from '../src/app/checks.ts';
import { buildCore } from '../src/app/core.ts';
import type { ThreadData, ThreadFoundation } from '../src/app/thread-data.ts';
import { versionOf } from '../src/app/version.ts';
import { ConfigStore } from '../src/config/index.ts';
import { clockService, openDatabase, withDatabaseWait } from '../src/database/index.ts';
import { JOB, JOBS, REQUEST } from '../src/platform/index.ts';
import { runJob, runJobs } from '../src/queue/index.ts';
import { rootContext, type SecurityContext } from '../src/resource/index.ts';
import { contextSeals, FIRING, FIRINGS, fireTogether, fireTrigger } from '../src/scheduler/index.ts';
import {
  askWhoseWork,
  handling,
  observeFromThread,
  ScriptRunner,
  serveThread,
  type ThreadPlace,
  takePlace,
} from '../src/script/index.ts';
import { ACCESS_FILE_TEXT, AUGMENTATION, augmentHere, evaluateAccessFile } from '../src/security/index.ts';

export interface ScriptThreadData extends ThreadData {
  /** On which what it stands on comes. */
  readonly foundation: MessagePort;
}

/**
 * A script thread: the application without its doors, with what runs scripts.
 *
 * @returns when its node has stopped it, whether all that it had begun was over then
 */
export async function runScriptThread(
  { settings, environment, foundation, listening }: ScriptThreadData,
  place: ThreadPlace,
): Promise<boolean> {
  takePlace(place);
  const found = once(foundation, 'message');
  const observe = observeFromThread;
  const config = await ConfigStore.open({ settings, environment, report: () => {} });
  addChecks(config, settings.projectLocation);
  const [{ access, keyRing, rules }] = (await found) as [ThreadFoundation];
  foundation.close();
  const database = openDatabase({
    ...access,
    onError: (error) => observe({ kind: 'database.connectionLost', error }),
  });
  const runners: ScriptRunner[] = [];
  const core = buildCore({
    database,
    config,
    observe,
    keyRing,
    listening,
    scripts: (parts) => {
      const runner = new ScriptRunner({ ...parts, settings, observe });
      runners.push(runner);
      return runner;
    },
    state: () => ({ state: 'ACTIVE_READY', shortDesc: 'The server is ready' }),
    answerLimitBytes: settings.answerLimitBytes,
    bodyLimitBytes: settings.bodyLimitBytes,
    version: versionOf(settings.installLocation),
    allowedNetworks: settings.allowedNetworks,
    onlyDestinations: settings.onlyDestinations,
    serviceDirectory: join(settings.projectLocation, 'service'),
  });
  await core.overrides.refresh();
  await Promise.all(runners.map((runner) => runner.start()));
  await core.endpoints.activate();
  /** The rules are those of the main thread: a file that is being replaced may be anything when it is read here. */
  const takeOver = ({ rules: given }: Pick<ThreadFoundation, 'rules'>) => {
    if (given !== undefined) core.access.replace(given);
  };
  takeOver({ rules });
  const clock = clockService(core.clock, observe);
  await core.clock.measure();
  await clock.start();

  const renew = async () => (await askWhoseWork()) as SecurityContext;
  const firingPlatform = { database, services: core.services, seals: contextSeals(core.crypto) };
  return serveThread({
    handlers: [
      handling(REQUEST, ({ context, request, waitMs }, signal) => {
        const asked = {
          ...rootContext(context),
          renew,
          ...(signal === undefined ? {} : { awaited: signal }),
        };
        const handle = () => core.router.handle(asked, request);
        return waitMs === undefined ? handle() : withDatabaseWait(waitMs, handle);
      }),
      handling(
        AUGMENTATION,
        augmentHere(() => core.scripts, 0),
      ),
      handling(ACCESS_FILE_TEXT, (text) => evaluateAccessFile(core, text)),
      handling(FIRING, (firing, signal) => fireTrigger(firingPlatform, firing, { signal })),
      handling(FIRINGS, (firings, signal) => fireTogether(firingPlatform, firings, signal)),
      handling(JOB, (job) => runJob(core.queue, job)),
      handling(JOBS, (jobs) => runJobs(core.queue, jobs)),
    ],
    countSandboxes: () => runners.reduce((sum, runner) => sum + runner.sandboxes, 0),
    reload: () => core.overrides.refresh(),
    found: takeOver,
    async stop() {
      await clock.stop();
      await Promise.all(runners.map((runner) => runner.stop()));
      await database.close();
    },
  });
}
