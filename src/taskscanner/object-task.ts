import type { UnitOfWork } from '#database/index.ts';
import type { FoundObject } from './claimable.ts';
import { operationTask } from './operation/operation-task.ts';
import { claimObject, type Processed, pathOf, processObject, readCurrent } from './process-object.ts';
import { connectionOf, contextOf, type TaskScannerPlatform } from './scan-platform.ts';
import type { OpenRun, OpenScan } from './scan-run.ts';

/** What a run does with each of its objects. */
export interface ObjectTask {
  /** What the object is called where its failure is told. */
  pathOf(found: FoundObject): string;
  /** All of it is part of the unit of work. @param lookFirst false: as it was found, it may be taken without another look */
  process(
    unitOfWork: UnitOfWork,
    found: FoundObject,
    looking: { readonly lookFirst: boolean },
  ): Promise<Processed>;
  /** Whatever is to be stored of an object of whose processing nothing is left. */
  markFailed(unitOfWork: UnitOfWork, found: FoundObject): Promise<void>;
}

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
