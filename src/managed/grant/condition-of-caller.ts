import { ForbiddenError } from '#errors/index.ts';
import { equalJson, formatPointer } from '#json/index.ts';
import { requireNoSecrets } from '#repo/index.ts';
import {
  type Context,
  parseQueryParameters,
  pointersOf,
  type QueryRequest,
  questionReaderOf,
} from '#resource/index.ts';
import type { Exchange } from '../exchange.ts';
import type { ManagedPlatform } from '../managed-platform.ts';
import type { ManagedType } from '../managed-type.ts';
import type { Governed } from '../managed-types.ts';
import { parseCondition } from './conditional-grant.ts';
import { countMeeting } from './grant-repository.ts';

/**
 * A condition says by those who meet it what stands in their objects. Who sets one from outside may query those objects by
 * it, and names nothing in it that is shown to nobody; private properties are for those who may evaluate scripts.
 *
 * @throws ForbiddenError `CONDITION_OF_HIDDEN`, `CONDITION_NOT_YOURS`, `QUERY_SECRET`; ResourceError 422 `QUERY_TOO_SLOW`
 */
export async function requireOwnCondition(
  { platform, context, object, before }: Exchange,
  governed: Governed,
  field: string,
): Promise<void> {
  const { owner } = governed;
  if (!context.client.isExternal || equalJson(object[field] ?? null, before?.[field] ?? null)) return;
  const condition = parseCondition(object[field], field);
  if (condition === null) return;
  requireNoSecrets(condition.filter, []);
  const hidden = pointersOf(condition.filter).find(([name = '']) => owner.privates.has(name));
  if (hidden !== undefined && !(await platform.resources.maySeeScripts(context))) {
    throw new ForbiddenError(`'${formatPointer(hidden)}' of managed/${owner.name} is private`, {
      id: 'CONDITION_OF_HIDDEN',
      field: `/${field}`,
      hint: 'Let the condition look at properties that are shown',
    });
  }
  await requireQuery(platform, context, owner, { field, text: String(object[field]) });
  // A query has its time; those who meet a condition are found without one, since to give it to them may take long.
  await countMeeting(await questionReaderOf(platform, context), governed, condition.filter);
}

/** The rules are asked about the condition as a query, so that they judge it by what it asks for. */
async function requireQuery(
  { resources }: ManagedPlatform,
  context: Context,
  owner: ManagedType,
  { field, text }: { readonly field: string; readonly text: string },
): Promise<void> {
  const query: QueryRequest = {
    method: 'query',
    path: ['managed', owner.name],
    fields: [],
    parameters: {},
    ...parseQueryParameters({ _queryFilter: text }),
  };
  try {
    await resources.admit(context, query);
  } catch (error) {
    if (!(error instanceof ForbiddenError)) throw error;
    throw new ForbiddenError(`The ${field} is about managed/${owner.name}, which you may not query`, {
      id: 'CONDITION_NOT_YOURS',
      field: `/${field}`,
      hint: `Leave the ${field} to somebody who may query managed/${owner.name}`,
      cause: error,
    });
  }
}
