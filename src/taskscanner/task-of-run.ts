import type { ObjectTask } from './object-task.ts';
import { operationTask } from './operation/operation-task.ts';
import { claimObject, pathOf, processObject, readCurrent } from './process-object.ts';
import { connectionOf, contextOf, type TaskScannerPlatform } from './scan-platform.ts';
import type { OpenRun, OpenScan } from './scan-run.ts';

export function taskOf(platform: TaskScannerPlatform, run: OpenRun): ObjectTask {
  return run.operation === null ? scriptTask(platform, run) : operationTask(platform, run);
}

function scriptTask(platform: TaskScannerPlatform, run: OpenScan): ObjectTask {
  const { definition, name } = run;
  const scan = { definition, label: `scan ${name ?? definition.object}` };
  return {
    pathOf: (found) => pathOf(definition, found),
    process: (unitOfWork, found, looking) =>
      processObject(platform, contextOf(run, unitOfWork), scan, found, looking),
    /** The object keeps its started time, so that only a recovery takes it again. */
    async markFailed(unitOfWork, found) {
      const connection = connectionOf(platform, contextOf(run, unitOfWork));
      const path = pathOf(definition, found);
      const current = await readCurrent(connection, path);
      if (current !== undefined) await claimObject(platform, connection, definition, path, current.revision);
    },
  };
}
