import { availableParallelism } from 'node:os';
import { secretReferences } from '#config/index.ts';
import type { JsonValue } from '#json/index.ts';
import type { ScheduledServices } from '#scheduler/index.ts';
import { TaskScanner, taskscannerResource } from '#taskscanner/index.ts';
import type { Platform } from './platform.ts';

const KEPT_RUNS = 100;

/** `/taskscanner`, and the service that schedules invoke. */
export function addTaskScanner(platform: Platform, services: ScheduledServices): void {
  const { database, clock, queue, router, scripts, observe, config } = platform;
  const scanner = {
    database,
    clock,
    queue,
    resources: router,
    scripts,
    observe,
    secretReferences: (content: JsonValue) => secretReferences(content, config.properties.ofFiles),
    keepRuns: () => {
      const kept = Number(config.properties.get('svc.taskscanner.maxcompletedruns'));
      return Number.isInteger(kept) && kept >= 0 ? kept : KEPT_RUNS;
    },
  };
  const tasks = new TaskScanner(scanner, 2 * availableParallelism());
  services.register({
    invokeService: 'taskscanner',
    runsScripts: false,
    check: (invokeContext) => tasks.check(invokeContext),
    execute: (context, scheduled) => tasks.fire(context, scheduled),
  });
  router.mount('taskscanner*', taskscannerResource(scanner));
}
