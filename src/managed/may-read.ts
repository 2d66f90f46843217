import { ForbiddenError, NotFoundError } from '#errors/index.ts';
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
    if (error instanceof ForbiddenError || error instanceof NotFoundError) return false;
    throw error;
  }
}
