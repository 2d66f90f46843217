import { TooManyRequestsError } from '#errors/index.ts';
import type { Filter, Request } from '#resource/index.ts';

const RETRY_AFTER_SECONDS = 5;

/**
 * Lets so many bulk requests be under way at once: a thousand operations with their hooks work a script thread for many seconds, and
 * others need one, too.
 *
 * @throws TooManyRequestsError `SCIM_BULK_CROWDED`
 */
export function bulkRoom(most: number): Filter {
  let underWay = 0;
  return async (context, request, next) => {
    if (!isBulk(request)) return next(context, request);
    if (underWay >= most) throw crowded(most);
    underWay += 1;
    try {
      return await next(context, request);
    } finally {
      underWay -= 1;
    }
  };
}

function isBulk(request: Request): boolean {
  const [first, ...more] = request.path;
  return first === 'scim' && more.length === 0 && request.method === 'action' && request.action === 'bulk';
}

function crowded(most: number): TooManyRequestsError {
  return new TooManyRequestsError(`Bulk requests are under way already, as many as may be at once: ${most}`, {
    id: 'SCIM_BULK_CROWDED',
    hint: `Try again in ${RETRY_AFTER_SECONDS} s; send one bulk request after the other`,
    detail: { retryAfterSeconds: RETRY_AFTER_SECONDS, allowed: most },
  });
}
