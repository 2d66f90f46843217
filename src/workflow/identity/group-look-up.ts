import { isObject, type JsonValue } from '#json/index.ts';
import { Connection, type Context, systemContext } from '#resource/index.ts';
import type { GroupsOf } from '../task/task-listing-repository.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';

/**
 * The groups of a user are the ids of the roles in `authzRoles`, wherever the roles are kept. Asked through the
 * router as the server itself, once for each user of a request.
 */
export function groupLookUp({ resources }: WorkflowPlatform, context: Context): GroupsOf {
  const known = new Map<string, Promise<readonly string[]>>();
  return (user) => {
    let groups = known.get(user);
    if (groups === undefined) {
      groups = findGroups(
        new Connection(resources, { ...systemContext(), unitOfWork: context.unitOfWork }),
        user,
      );
      known.set(user, groups);
    }
    return groups;
  };
}

async function findGroups(connection: Connection, userName: string): Promise<readonly string[]> {
  const { result } = await connection.query('managed/user', {
    queryId: 'for-userName',
    parameters: { uid: userName },
    fields: [['authzRoles']],
  });
  const content = result[0]?.content;
  const roles: JsonValue = isObject(content) ? (content['authzRoles'] ?? null) : null;
  if (!Array.isArray(roles)) return [];
  return roles.flatMap((role) => {
    const reference = isObject(role) ? (role['_refResourceId'] ?? role['_ref']) : role;
    return typeof reference === 'string' ? [reference.slice(reference.lastIndexOf('/') + 1)] : [];
  });
}
