import type { RouterConfig } from '#config/index.ts';
import { ConflictError } from '#errors/index.ts';
import { equalJson, type JsonObject } from '#json/index.ts';
import {
  type CreateRequest,
  type Handle,
  type Request,
  type Response,
  resource,
  type WriteContext,
} from '#resource/index.ts';

/** Has a request meet the filters of a `router.json` that is not in force. */
export type MeetFilters = (
  filters: RouterConfig,
  context: WriteContext,
  request: Request,
  last: Handle,
) => Promise<Response>;

/**
 * Refuses filters through which whoever writes them could not put back those that were: they may refuse everybody, and no
 * rule of access lets administrators around them. The parameter `force=true` has them all the same.
 *
 * @throws ConflictError `ROUTER_LOCKS_OUT`
 */
export async function requireWayBack(
  context: WriteContext,
  { force }: Readonly<Record<string, string>>,
  before: JsonObject,
  after: RouterConfig,
  meet: MeetFilters,
): Promise<void> {
  if (!context.client.isExternal || force === 'true' || after.filters.length === 0) return;
  const back: CreateRequest = {
    method: 'create',
    path: ['config'],
    newResourceId: 'router',
    orUpdate: true,
    content: before,
    fields: [],
    parameters: {},
  };
  const tried = { ...context, rehearsed: true, survivable: false };
  // What their scripts do on the way is only tried.
  const isPutBack = context.unitOfWork.savepoint(
    async () => {
      let arrived: JsonObject | undefined;
      await meet(after, tried, back, async (_, request) => {
        arrived = request.method === 'create' ? request.content : {};
        return resource('router', null, before);
      });
      return equalJson(arrived?.['filters'] ?? [], before['filters'] ?? []);
    },
    { keep: false },
  );
  if (await isPutBack.catch((error: Error) => refuse(error.message, error))) return;
  refuse('they change what is sent');
}

function refuse(why: string, cause?: Error): never {
  throw new ConflictError(`Through these filters you could not put back those that are in force: ${why}`, {
    id: 'ROUTER_LOCKS_OUT',
    hint: 'Have them let config/router pass, such as by their pattern, or send force=true',
    cause,
  });
}
