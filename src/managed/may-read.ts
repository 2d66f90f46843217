import { errorIdOf, ResourceError } from '#errors/index.ts';
import { type Context, parsePath, type ReadRequest } from '#resource/index.ts';
import type { ManagedPlatform } from './managed-platform.ts';

/** Whether the rules let a caller read what stands at a path, such as `managed/user/42`. */
export async function mayRead(
  { resources }: ManagedPlatform,
  context: Context,
  path: string,
): Promise<boolean> {
  const request: ReadRequest = { method: 'read', path: parsePath(path), fields: [], parameters: {} };
  try {
    await resources.admitRead(context, request);
    return true;
  } catch (error) {
    if (isKept(error)) return false;
    throw error;
  }
}

/** Whether an error keeps something from the caller, by whatever code a filter does it, and no more than that. */
export function isKept(error: unknown): boolean {
  if (!(error instanceof ResourceError) || error.code >= 500) return false;
  // With a spent budget nothing can be asked any more, and what is left out would be missing without a reason.
  return errorIdOf(error) !== 'BUDGET_SPENT';
}
