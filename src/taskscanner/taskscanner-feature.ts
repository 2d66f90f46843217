import { availableParallelism } from 'node:os';
import { secretReferences } from '#config/index.ts';
import type { JsonValue } from '#json/index.ts';
import { Ticker } from '#lifecycle/index.ts';
import type { Feature, Platform } from '#platform/index.ts';
import { pruneOperations } from './operation/operation-repository.ts';
import {
  exportLineResource,
  operationFailureResource,
  operationResource,
} from './operation/operation-resource.ts';
import { SCAN_USE } from './process-object.ts';
import { TASKSCANNER_SERVICE } from './scan-definition.ts';
import { scanFailureResource } from './scan-failure-resource.ts';
import type { TaskScannerPlatform } from './scan-platform.ts';
import { TaskScanner } from './task-scanner.ts';
import { taskscannerResource } from './taskscanner-resource.ts';

const KEPT_RUNS = 100;

/** Days for which what came of an operation is kept. */
const KEPT_DAYS = 30;
const PRUNE_INTERVAL_MS = 3_600_000;

/** `/taskscanner`, the service that schedules invoke, and `/operation`. */
export function taskscannerFeature(
  platform: Platform,
  { callerNow }: Pick<TaskScannerPlatform, 'callerNow'>,
): Feature {
  const { database, clock, crypto, queue, router, scripts, observe, config } = platform;
  const scanner = {
    database,
    clock,
    crypto,
    queue,
    resources: router,
    scripts,
    callerNow,
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
      'operation*': operationResource(scanner),
      'operation/{run}/failure': operationFailureResource(scanner),
      'operation/{run}/line': exportLineResource(scanner),
    },
    scriptUses: { scan: SCAN_USE },
    node: () => ({
      services: [
        new Ticker({
          name: 'old operations',
          intervalMs: PRUNE_INTERVAL_MS,
          runOnce: () => pruneOperations(database.db, KEPT_DAYS),
          observe,
        }),
      ],
    }),
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
