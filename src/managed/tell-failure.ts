import { isObject, type JsonValue } from '#json/index.ts';
import type { SyncResults } from '#platform/index.ts';
import type { WriteContext } from '#resource/index.ts';
import type { ManagedPlatform } from './managed-platform.ts';

/** Tells the operator of a synchronization that failed, if it has come to stay: a rehearsal leaves nothing to be mended. */
export function tellFailure(
  {
    context,
    platform,
  }: { readonly context: WriteContext; readonly platform: Pick<ManagedPlatform, 'observe'> },
  resource: string,
  results: SyncResults,
): void {
  context.unitOfWork.afterCommit(`failed synchronization of ${resource}`, () =>
    platform.observe({ kind: 'sync.failed', resource, details: failuresOf(results) }),
  );
}

/** No values of objects. */
function failuresOf({ syncDetails }: SyncResults): JsonValue {
  if (!Array.isArray(syncDetails)) return syncDetails;
  return syncDetails
    .filter(isObject)
    .flatMap(({ mapping, linkQualifier, situation, action, result, cause }) => {
      if (result !== 'FAILED') return [];
      const message = isObject(cause) ? (cause['message'] ?? null) : null;
      return [
        {
          mapping: mapping ?? null,
          linkQualifier: linkQualifier ?? null,
          situation: situation ?? null,
          action: action ?? null,
          message,
        },
      ];
    });
}
