import { availableParallelism } from 'node:os';
import { secretReferences } from '#config/index.ts';
import type { JsonValue } from '#json/index.ts';
import type { Feature, Platform } from '#platform/index.ts';
import { SCAN_USE } from './process-object.ts';
import { TASKSCANNER_SERVICE } from './scan-definition.ts';
import { TaskScanner } from './task-scanner.ts';
import { scanFailureResource, taskscannerResource } from './taskscanner-resource.ts';

const KEPT_RUNS = 100;

/** `/taskscanner`, and the service that schedules invoke. */
export function taskscannerFeature(platform: Platform): Feature {
  const { database, clock, crypto, queue, router, scripts, observe, config } = platform;
  const scanner = {
    database,
    clock,
    crypto,
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
  return {
    resources: {
      'taskscanner*': taskscannerResource(scanner),
      'taskscanner/{run}/failure': scanFailureResource(scanner),
    },
    scriptUses: { scan: SCAN_USE },
    services: [
      {
        invokeService: TASKSCANNER_SERVICE,
        runsScripts: false,
        check: (invokeContext) => tasks.check(invokeContext),
        execute: (context, run) => tasks.fire(context, run),
        rehearse: (context, run) => tasks.rehearse(context, run),
      },
    ],
  };
}
