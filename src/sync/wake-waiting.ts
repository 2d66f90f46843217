import type { JsonObject } from '#json/index.ts';
import { missingPrint, parsePath } from '#resource/index.ts';
import { isOutside } from './outside.ts';
import type { Scope } from './stage.ts';
import { takeWaiting } from './waiting-repository.ts';
import { wake } from './wake.ts';

/** Values that an object may be known by are not longer. */
const LONGEST_NAME = 1_000;

/** Has delivered what has failed because the target that a mapping has made just now, or given another name, was not there. */
export async function wakeWaiting(
  { platform, context, mapping, hasWaiting = false }: Scope,
  id: string,
  content: JsonObject,
): Promise<void> {
  if (context.rehearsed === true) return;
  // Much is stored inside in little time; what has begun to wait meanwhile comes in its own time.
  if (!isOutside(mapping.target) && !hasWaiting) return;
  const { unitOfWork } = context;
  for (const name of await takeWaiting(await unitOfWork.db(), printsOf(mapping.target, id, content)))
    await wake(platform, unitOfWork, { name }, 0);
}

function printsOf(target: string, id: string, content: JsonObject): readonly string[] {
  if (!isOutside(target)) return [missingPrint(target, id)];
  // Which of its values others refer to it by is the other system's affair.
  const place = parsePath(target).slice(0, 2).join('/');
  const values = Object.values(content).filter((one) => typeof one === 'string' || typeof one === 'number');
  const names = new Set([id, ...values.map(String)].filter(({ length }) => length <= LONGEST_NAME));
  return [...names].map((name) => missingPrint(place, name));
}
