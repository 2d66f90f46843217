import { hash } from 'node:crypto';
import type { Database } from '#database/index.ts';
import { BadRequestError, ForbiddenError, NotFoundError } from '#errors/index.ts';
import { isObject, type JsonObject, lastOf } from '#json/index.ts';
import { pageResult } from '#repo/index.ts';
import {
  ActionTable,
  actionResult,
  bodyOf,
  type Context,
  collection,
  dbOf,
  formatPath,
  isAdministrator,
  parsePath,
  questionReaderOf,
  type Resource,
  type RouteHandler,
  resource,
  textMember,
  type WriteContext,
} from '#resource/index.ts';
import { refuseAction } from '../refuse-action.ts';
import { refuseWithoutPassword } from './refuse-without-password.ts';
import {
  endSession,
  endSessions,
  findSessionByHandle,
  type ListedSession,
  type Owner,
  querySessions,
} from './session-listing-repository.ts';

const ONCE_MORE =
  'Send your password once more in the header X-Svc-Reauth-Password, or log out to end this session alone';

export interface SessionResourceOptions {
  readonly database: Database;
  /** After so long without use a session is over. */
  readonly idleMs: () => number;
}

/**
 * `/session`: who is logged in with a cookie. Administrators, and the server itself, see and end the sessions of all,
 * everybody else their own.
 */
export function sessionResource({ database, idleMs }: SessionResourceOptions): RouteHandler {
  const platform = { database };

  async function find(context: Context, handle: string): Promise<ListedSession> {
    const db = await dbOf(platform, context);
    const found = await findSessionByHandle(db, ownerFor(context), idleMs(), handle);
    if (found === undefined) throw new NotFoundError(`Session '${handle}' not found`);
    return found;
  }

  return collection({
    description: { title: 'session' },

    read: async (context, _request, handle) => toResource(context, await find(context, handle)),

    async query(context, request) {
      const page = await querySessions(
        await questionReaderOf(platform, context),
        ownerFor(context),
        idleMs(),
        request,
      );
      return pageResult(
        page,
        ({ handle }) => handle,
        (row) => toResource(context, row),
      );
    },

    async delete(context, _request, handle) {
      const found = toResource(context, await find(context, handle));
      if ((found.content as JsonObject)['isThis'] !== true) refuseWithoutPassword(context, ONCE_MORE);
      if (!(await endSession(await dbOf(platform, context), handle))) {
        throw new NotFoundError(`Session '${handle}' not found`);
      }
      record(context, handle, found.content as JsonObject);
      return found;
    },

    collectionActions: new ActionTable(
      {
        endAll: {
          does: 'Ends the sessions of a `user`, by default the caller; with `exceptThis` the session that asks stays',
          takes: bodyOf({ user: textMember('Such as managed/user/kim'), exceptThis: { type: 'boolean' } }),
          answers: bodyOf({ ended: { type: 'integer' } }, 'ended'),
          async run(context, { content }) {
            const { user, exceptThis = false } = isObject(content) ? content : {};
            const owner = wantedOwner(context, user);
            refuseWithoutPassword(context, ONCE_MORE);
            const { sessionId } = context.security.authorization;
            const kept = exceptThis === true && typeof sessionId === 'string' ? sessionId : undefined;
            const ended = await endSessions(await dbOf(platform, context), owner, kept);
            for (const handle of ended) record(context, handle, { user: `${owner.component}/${owner.id}` });
            return actionResult({ ended: ended.length });
          },
        },
      },
      { anyCase: true, refuse: refuseAction },
    ),
  });
}

/** The owner whose sessions the caller may know of. */
function ownerFor({ client, security }: Context): Owner {
  const { authorization } = security;
  return client.isExternal && !isAdministrator(security) ? authorization : undefined;
}

function wantedOwner(context: Context, user: unknown): NonNullable<Owner> {
  if (user === undefined) return context.security.authorization;
  if (typeof user !== 'string' || parsePath(user).length < 2) {
    throw new BadRequestError(`${JSON.stringify(user)} is no path of a user`, {
      id: 'AUTH_BAD_USER',
      field: '/user',
      hint: "Such as 'managed/user/kim'",
    });
  }
  const path = parsePath(user);
  const wanted = { component: formatPath(path.slice(0, -1)), id: lastOf(path) };
  const own = ownerFor(context);
  if (own === undefined || (own.component === wanted.component && own.id === wanted.id)) return wanted;
  throw new ForbiddenError('Access denied', {
    id: 'ACCESS_DENIED',
    hint: 'Only administrators end sessions of others',
  });
}

function record({ unitOfWork }: WriteContext, handle: string, before: JsonObject): void {
  unitOfWork.record({ resource: `session/${handle}`, operation: 'delete', before, after: null });
}

function toResource({ security }: Context, row: ListedSession): Resource {
  const { sessionId } = security.authorization;
  return resource(row.handle, null, {
    authenticationId: row.authentication_id,
    user: row.user,
    moduleId: row.module,
    roles: [...row.roles],
    clientAddress: row.client_address,
    userAgent: row.user_agent,
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.seen_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    isThis: typeof sessionId === 'string' && hash('sha256', sessionId) === row.handle,
  });
}
