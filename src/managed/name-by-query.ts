import { ForbiddenError } from '#errors/index.ts';
import { isObject, type JsonValue } from '#json/index.ts';
import type { Context, QueryRequest } from '#resource/index.ts';
import type { ManagedPlatform } from './managed-platform.ts';
import type { ManagedType } from './managed-type.ts';

/** Shipped queries that ask for a name and nothing else. */
const BY_NAME: ReadonlySet<string> = new Set(['for-userName', 'credential-internaluser-query']);

/**
 * That an action finds an object by a query tells something about the properties that the query looks at. A caller who may
 * not run the query itself can only name an object: by a property of which no two objects have the same value, or by a query
 * that `repo.json` declares.
 *
 * @throws ForbiddenError `QUERY_NOT_A_NAME`
 */
export async function requireNameOnly(
  platform: ManagedPlatform,
  type: ManagedType,
  context: Context,
  query: QueryRequest,
): Promise<void> {
  if (!context.client.isExternal || isName(platform, type, query)) return;
  try {
    await platform.resources.admit(context, query);
  } catch (error) {
    if (!(error instanceof ForbiddenError)) throw error;
    throw new ForbiddenError('An object that you may not query is named by what only one can have', {
      id: 'QUERY_NOT_A_NAME',
      field: '_queryFilter',
      hint: `Write ${namesOf(type)
        .map((name) => `${name} eq "…"`)
        .join(' or ')}`,
      cause: error,
    });
  }
}

function isName(
  platform: ManagedPlatform,
  type: ManagedType,
  { queryFilter, queryId }: QueryRequest,
): boolean {
  if (queryId !== null) return BY_NAME.has(queryId) || platform.queries().has(queryId);
  if (queryFilter?.kind === 'literal') return true;
  if (queryFilter?.kind !== 'compare' || queryFilter.operator !== 'eq') return false;
  const [name = '', ...below] = queryFilter.pointer;
  return below.length === 0 && namesOf(type).includes(name);
}

/** Properties of which no two objects have the same value: those that are unique, and what people log in by. */
function namesOf({ properties, privates }: ManagedType): readonly string[] {
  const unique = Object.keys(properties).filter((name) => isUnique(properties[name]) && !privates.has(name));
  return [...new Set(['_id', 'userName', ...unique])];
}

/** Whether a policy keeps any two objects from having the same value. */
export function isUnique(property: JsonValue | undefined): boolean {
  const policies = isObject(property) ? property['policies'] : undefined;
  return (
    Array.isArray(policies) && policies.some((policy) => isObject(policy) && policy['policyId'] === 'unique')
  );
}
