import { ForbiddenError } from '#errors/index.ts';
import {
  equalJson,
  formatPointer,
  getAt,
  type JsonObject,
  type JsonValue,
  type Pointer,
} from '#json/index.ts';
import { type PatchOperation, type PatchRequest, type ReadRequest, resource } from '#resource/index.ts';
import { aside } from '../aside.ts';
import type { Change } from '../exchange.ts';

/**
 * Looks at operations whose outcome would tell what stands in the object: a copy under another name, and a removal of what it may be.
 * What a filter takes from a read is told by neither, be it there or not.
 *
 * @returns what each operation of a caller is asked, in their order; it throws ForbiddenError `PATCH_OF_HIDDEN`
 */
export function refuseFiltered(exchange: Change<PatchRequest>): (operation: PatchOperation) => Promise<void> {
  const sent: Pointer[] = [];
  let shown: Promise<JsonValue | undefined> | undefined;
  return async (operation) => {
    const { field } = operation;
    if (operation.operation === 'add' || operation.operation === 'replace') sent.push(field);
    const looked = lookedAt(exchange, operation);
    // What the patch itself has brought is known to who has sent it.
    if (looked === undefined || sent.some((whole) => isAtOrBelow(looked, whole))) return;
    shown ??= shownOf(exchange);
    const left = await shown;
    if (left === undefined) return;
    const value = getAt(left, looked);
    if (value !== undefined && equalJson(value, getAt(exchange.before, looked) ?? null)) return;
    throw new ForbiddenError(
      `'${operation.operation}' of '${formatPointer(looked)}' would tell what is there`,
      {
        id: 'PATCH_OF_HIDDEN',
        field: formatPointer(looked),
        hint: `'${formatPointer(looked)}' is not shown to you, or is not there: replace or remove the whole of it`,
      },
    );
  };
}

function lookedAt(
  { type }: Change,
  { operation, field, from, value = null }: PatchOperation,
): Pointer | undefined {
  if (from !== undefined) return from;
  const [name] = field;
  const removesValue = operation === 'remove' && value !== null;
  return removesValue && name !== undefined && !type.relationships.has(name) ? field : undefined;
}

/** The object as filters leave it; undefined where nothing is taken from the caller. */
async function shownOf(exchange: Change<PatchRequest>): Promise<JsonValue | undefined> {
  const { platform, context, type, id, rev, before } = exchange;
  const { resources } = platform;
  const read: ReadRequest = { method: 'read', path: ['managed', type.name, id], fields: [], parameters: {} };
  if (!resources.judgesAnswer(read) || (await resources.maySeeScripts(context))) return undefined;
  const content: JsonObject = { ...before };
  for (const name of [...type.privates, ...type.secrets.map(({ name }) => name)]) delete content[name];
  const answer = await aside(context, (asking) =>
    resources.shown(asking, read, resource(id, String(rev), content)),
  );
  return answer?.kind === 'resource' ? answer.content : {};
}

function isAtOrBelow(pointer: Pointer, whole: Pointer): boolean {
  return whole.every((token, at) => token === pointer[at]);
}
