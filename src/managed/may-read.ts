import { ForbiddenError } from '#errors/index.ts';
import { type Context, parsePath } from '#resource/index.ts';
import type { ManagedPlatform } from './managed-platform.ts';

/** Whether the rules let a caller read what stands at a path, such as `managed/user/42`. */
export async function mayRead(
  { resources }: ManagedPlatform,
  context: Context,
  path: string,
): Promise<boolean> {
  try {
    await resources.admit(context, { method: 'read', path: parsePath(path), fields: [], parameters: {} });
    return true;
  } catch (error) {
    if (error instanceof ForbiddenError) return false;
    throw error;
  }
}
