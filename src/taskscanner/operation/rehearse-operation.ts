import { toResourceError } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue, sizeOf } from '#json/index.ts';
import { isWrite, type Request, type Response, type WriteContext } from '#resource/index.ts';
import type { FoundObject } from '../claimable.ts';
import { ask, type TaskScannerPlatform } from '../scan-platform.ts';
import { partOf } from './freeze-objects.ts';
import type { Operation } from './operation.ts';
import { pathOfObject, plainObject } from './operation-task.ts';
import { performOperation } from './perform-operation.ts';
import type { OperationOrder } from './read-operation.ts';

/** So many objects are tried. */
const TRIED = 20;
/** The most bytes of all changes that are shown. */
const MOST_SHOWN_BYTES = 2 ** 18;

/**
 * What would come of an operation for the first of its objects, each tried by itself and undone: how many would be done,
 * skipped and refused, and what would change, as whoever asks may see it.
 */
export async function rehearseOperation(
  platform: TaskScannerPlatform,
  context: WriteContext,
  { definition }: OperationOrder,
  operation: Operation,
  objects: readonly FoundObject[],
): Promise<JsonObject> {
  const outcomes: JsonObject[] = [];
  let bytes = 0;
  for (const found of objects.slice(0, TRIED)) {
    const changes: JsonValue[] = [];
    const send = (request: Request) => rehearse(platform, context, request, changes);
    const object = { object: pathOfObject(operation.act, definition.object, found) };
    try {
      const plain = await plainObject(platform, found);
      const { verdict } = await performOperation(operation, definition.object, plain, send);
      bytes += sizeOf(changes).bytes;
      const shown = bytes > MOST_SHOWN_BYTES ? { truncated: true } : { changes };
      outcomes.push({ ...object, outcome: verdict, ...(changes.length === 0 ? {} : shown) });
    } catch (thrown) {
      outcomes.push({ ...object, outcome: 'failures', error: shownError(thrown) });
    }
  }
  const count = (outcome: string) => outcomes.filter((one) => one['outcome'] === outcome).length;
  return {
    tried: outcomes.length,
    successes: count('successes'),
    failures: count('failures'),
    skipped: count('skipped'),
    objects: outcomes,
  };
}

async function rehearse(
  platform: TaskScannerPlatform,
  context: WriteContext,
  request: Request,
  changes: JsonValue[],
): Promise<Response> {
  const { unitOfWork, callersAtWork = 0 } = context;
  // By itself, it is told what its maker may see; what has begun to store something waits for nobody else.
  const inside = unitOfWork.isOpen;
  const own = inside
    ? partOf(context)
    : { ...partOf(context), unitOfWork: null, callersAtWork: callersAtWork + 1 };
  if (!isWrite(request)) return ask(platform, own, request);
  const answer = await ask(platform, own, { ...request, dryRun: true });
  const report = answer.kind === 'action' && isObject(answer.content) ? answer.content : {};
  const isShown = !inside || (await platform.resources.maySeeScripts(context));
  if (isShown && Array.isArray(report['changes'])) changes.push(...report['changes']);
  return answer;
}

function shownError(thrown: unknown): JsonObject {
  const { code, message, detail } = toResourceError(thrown);
  const id = isObject(detail) ? detail['id'] : undefined;
  return { code, message, ...(id === undefined ? {} : { id }) };
}
