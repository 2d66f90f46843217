import { isObject, type JsonValue } from '#json/index.ts';
import type { SyncResults } from '#platform/index.ts';

/** What the log tells of a synchronization that failed: no values of objects. */
export function failuresOf({ syncDetails }: SyncResults): JsonValue {
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
