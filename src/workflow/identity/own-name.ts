import { NotFoundError } from '#errors/index.ts';
import { Connection, type Context, personName, systemContext } from '#resource/index.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';

/**
 * The name by which processes know the caller, as the access rules have it: undefined where the caller is no managed user
 * and a managed user has that name, since the name means that one.
 */
export async function ownName(platform: WorkflowPlatform, context: Context): Promise<string | undefined> {
  const name = personName(context.security);
  if (context.security.authorization.component === 'managed/user') return name;
  const asServer = { ...systemContext(), unitOfWork: context.unitOfWork };
  try {
    const { result } = await new Connection(platform.resources, asServer).query('managed/user', {
      queryId: 'for-userName',
      parameters: { uid: name },
      fields: [['_id']],
    });
    return result.length === 0 ? name : undefined;
  } catch (error) {
    // Where there are no managed users, nobody is one.
    if (error instanceof NotFoundError) return name;
    throw error;
  }
}
