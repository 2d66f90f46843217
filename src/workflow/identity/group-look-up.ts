import { isObject } from '#json/index.ts';
import { Connection, type Context, readerOf, systemContext } from '#resource/index.ts';
import { readRoleNames } from '#security/index.ts';
import type { GroupsOf } from '../task/task-listing-repository.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';

/**
 * The groups of a user are the names of the roles in `authzRoles`, as they are when the user logs in. Asked through the
 * router as the server itself, once for each user of a request.
 */
export function groupLookUp(platform: WorkflowPlatform, context: Context): GroupsOf {
  const asServer = { ...systemContext(), unitOfWork: context.unitOfWork };
  const connection = new Connection(platform.resources, asServer);
  const known = new Map<string, Promise<readonly string[]>>();
  return (user) => {
    let groups = known.get(user);
    if (groups === undefined) {
      groups = findGroups(user);
      known.set(user, groups);
    }
    return groups;
  };

  async function findGroups(userName: string): Promise<readonly string[]> {
    const { result } = await connection.query('managed/user', {
      queryId: 'for-userName',
      parameters: { uid: userName },
      fields: [['authzRoles']],
    });
    const content = result[0]?.content;
    return isObject(content) ? readRoleNames(await readerOf(platform, context), content['authzRoles']) : [];
  }
}
