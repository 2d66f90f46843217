import type { Database } from '#database/index.ts';
import { BadRequestError, NotFoundError } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import {
  ActionTable,
  actionResult,
  answerFromMemory,
  bodyOf,
  collection,
  dbOf,
  type RouteHandler,
  readAddress,
  resource,
  textMember,
} from '#resource/index.ts';
import { refuseAction } from '../refuse-action.ts';
import { listFailures, type ThrottleRow } from './login-failure-repository.ts';
import { accountKey } from './login-throttle.ts';
import { type Locked, unlock } from './unlock.ts';

const MOST_LISTED = 1_000;

/**
 * `/authentication/lockout`: who has to wait after failed logins, and the end of that. An instance is the name of an
 * account; the list knows accounts by a hash of theirs, as the database does.
 */
export function lockoutResource(database: Database): RouteHandler {
  return collection({
    description: { title: 'lockouts' },

    query: async (_context, request) =>
      answerFromMemory(request, (await listFailures(database.db, {}, MOST_LISTED)).map(view), FIELDS),

    async read(_context, _request, id) {
      const rows = await listFailures(database.db, { account: accountKey(id) }, MOST_LISTED);
      return resource(id, null, {
        account: accountKey(id),
        blocked: rows.some(({ blocked }) => blocked),
        failures: rows.map(view),
      });
    },

    collectionActions: new ActionTable(
      {
        unlock: {
          does: 'Forgets the failed logins of a `userName` or an `address`, who need not wait any longer',
          takes: bodyOf({
            userName: textMember('An account'),
            address: textMember('Instead of it, an address'),
          }),
          answers: bodyOf({ forgotten: { type: 'integer' } }, 'forgotten'),
          run: async (context, { content }) =>
            actionResult({ forgotten: await unlock(await dbOf({ database }, context), whom(content)) }),
        },
      },
      { anyCase: true, refuse: refuseAction },
    ),

    async delete(context, _request, id) {
      if ((await unlock(await dbOf({ database }, context), { userName: id })) === 0) {
        throw new NotFoundError(`No login of '${id}' has failed of late`);
      }
      return resource(id, null, {});
    },
  });
}

/** @throws BadRequestError unless it names one account or one address */
function whom(content: JsonValue): Locked {
  const { userName, address } = isObject(content) ? content : {};
  if (typeof userName === 'string' && address === undefined) return { userName };
  if (typeof address === 'string' && userName === undefined && readAddress(address) !== undefined) {
    return { address };
  }
  throw new BadRequestError('Nobody is named to be unlocked', {
    id: 'AUTH_UNLOCK_WHOM',
    hint: 'Send {"userName": "ada"} or {"address": "203.0.113.7"}',
  });
}

const FIELDS = [
  '_id',
  'kind',
  'account',
  'address',
  'failures',
  'lastAt',
  'blockedUntil',
  'blocked',
] as const;

function view({
  kind,
  account,
  address,
  failures,
  last_at,
  blocked_until,
  blocked,
}: ThrottleRow): JsonObject {
  return {
    _id: [kind, account, address].filter((part) => part !== null).join(' '),
    kind,
    ...(account === null ? {} : { account }),
    ...(address === null ? {} : { address }),
    failures,
    lastAt: last_at.toISOString(),
    ...(blocked ? { blockedUntil: blocked_until.toISOString() } : {}),
    blocked,
  };
}
