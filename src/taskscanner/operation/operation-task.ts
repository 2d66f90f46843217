import type { UnitOfWork } from '#database/index.ts';
import { isObject } from '#json/index.ts';
import { formatPath, parsePath, requireStorableSize } from '#resource/index.ts';
import type { FoundObject } from '../claimable.ts';
import type { ObjectTask } from '../object-task.ts';
import { ask, type TaskScannerPlatform } from '../scan-platform.ts';
import type { OpenOperation } from '../scan-run.ts';
import { openValue } from '../scan-seals.ts';
import { MOST_EXPORT_BYTES, MOST_LINE_BYTES } from './export-file.ts';
import { exportLines } from './export-line-repository.ts';
import type { Operation } from './operation.ts';
import { OperationCaller, RunOverError } from './operation-caller.ts';
import { performOperation } from './perform-operation.ts';

/** What an operation does with an object: one request of its maker, as a part of the unit of work that moves the run on. */
export function operationTask(platform: TaskScannerPlatform, run: OpenOperation): ObjectTask {
  const { id, operation, definition } = run;
  const caller = new OperationCaller(platform, run);
  const pathOf = (found: FoundObject) => pathOfObject(operation.act, definition.object, found);
  return {
    pathOf,
    async process(unitOfWork: UnitOfWork, found: FoundObject) {
      if (run.bytes > MOST_EXPORT_BYTES) throw tooLarge();
      const context = { ...(await caller.context(unitOfWork)), survivable: true };
      const { verdict, line } = await performOperation(
        operation,
        definition.object,
        await plainObject(platform, found),
        (request) => ask(platform, context, request),
      );
      if (line !== undefined) {
        requireStorableSize(pathOf(found), line, null, MOST_LINE_BYTES);
        const n = found[4]?.n ?? 0;
        await unitOfWork.write(exportLines, { run: id, number: n, object: pathOf(found), content: line });
      }
      return { verdict };
    },
    async markFailed() {},
  };
}

/** The object of an import is encrypted while it waits. */
export async function plainObject(
  { crypto }: Pick<TaskScannerPlatform, 'crypto'>,
  [id, , , , frozen]: FoundObject,
) {
  if (frozen?.line === undefined) return { id };
  const line = await openValue(crypto, frozen.line);
  return { id, line: isObject(line) ? line : {} };
}

/** What an object is called where it is told of; the object of an import by its line. */
export function pathOfObject(act: Operation['act'], resource: string, [id]: FoundObject): string {
  return act === 'import' ? `line/${id}` : formatPath([...parsePath(resource), id]);
}

function tooLarge(): RunOverError {
  return new RunOverError(413, `The export has more than ${MOST_EXPORT_BYTES} bytes`, {
    id: 'OPERATION_EXPORT_TOO_LARGE',
    hint: 'Ask for fewer fields, or for fewer objects at once',
    detail: { allowed: MOST_EXPORT_BYTES },
  });
}
