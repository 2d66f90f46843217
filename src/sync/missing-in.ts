import { errorIdOf, ResourceError } from '#errors/index.ts';
import { isObject } from '#json/index.ts';

/** By what it is known that was not there, where an error says so. */
export function missingIn(error: unknown): string | null {
  const detail = error instanceof ResourceError ? error.detail : undefined;
  const print = isObject(detail) ? detail['waitsFor'] : undefined;
  return typeof print === 'string' ? print : null;
}

/** Whether something failed for the lack of what it refers to, and may succeed when that is there. */
export function isOfMissing(error: unknown): boolean {
  return errorIdOf(error) === 'SYSTEM_DEPENDENCY_MISSING' || missingIn(error) !== null;
}
