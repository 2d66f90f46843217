import type { Context, Request } from '#resource/index.ts';
import type { ManagedPlatform } from '../managed-platform.ts';

/** Whether `onRetrieve` and `onRead` run for an answer: `executeOnRetrieve=false` is for those who may see what they leave out. */
export async function runsHooks(
  { resources }: ManagedPlatform,
  context: Context,
  { parameters }: Request,
): Promise<boolean> {
  return parameters['executeOnRetrieve'] !== 'false' || !(await resources.maySeeScripts(context));
}
