import { hash } from 'node:crypto';
import { BadRequestError } from '#errors/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import type { ActionResult, Context, WriteContext } from '#resource/index.ts';
import { cookieScope, writeCookie } from './session-cookie.ts';
import type { Sessions } from './sessions.ts';

/** @throws BadRequestError `AUTH_NO_SESSIONS` */
export function requireSessions(sessions: Sessions | undefined): Sessions {
  if (sessions !== undefined) return sessions;
  throw new BadRequestError('Sessions are switched off', {
    id: 'AUTH_NO_SESSIONS',
    hint: "authentication.json has its sessionModule disabled, or the key ring lacks 'svc-jwtsessionhmac-key'",
  });
}

/**
 * Begins one for the caller, in place of the one that the browser had.
 *
 * @param more what is answered besides who the caller is
 */
export async function beginSession(
  context: WriteContext,
  sessions: Sessions,
  more: JsonObject = {},
): Promise<ActionResult> {
  const { security, unitOfWork } = context;
  const { moduleId } = security.authorization;
  const db = await unitOfWork.db();
  if (security.formerSession !== undefined) await endSession(context, sessions, security.formerSession);
  const token = await sessions.begin(db, context);
  if (token === undefined) {
    throw new BadRequestError(`Who comes in by ${moduleId} begins no session`, {
      id: 'AUTH_NO_SESSION_BY_MODULE',
      hint: 'Show the credentials with each request',
    });
  }
  const { authenticationId, authorization } = security;
  const caller = { authenticationId, authorization: { ...authorization, roles: [...authorization.roles] } };
  return answerWith({ ...caller, ...more }, cookie(token, context, sessions));
}

/** The session that the browser has, by which the caller came in or beside what was shown. */
export function sessionOf({ security }: Context): string | undefined {
  const { sessionId } = security.authorization;
  return typeof sessionId === 'string' ? sessionId : security.formerSession;
}

/** Ends a session. Like any change that is recorded, and told: streams of events that the session has open end with it. */
export async function endSession(
  { unitOfWork }: WriteContext,
  sessions: Sessions,
  id: string,
): Promise<void> {
  const user = await sessions.end(await unitOfWork.db(), id);
  if (user === undefined) return;
  const handle = hash('sha256', id);
  unitOfWork.record({ resource: `session/${handle}`, operation: 'delete', before: { user }, after: null });
}

function cookie(token: string, { client }: Context, { settings }: Sessions): string {
  const maxAge = settings.sessionOnly ? undefined : Math.ceil(settings.maxTokenLifeMinutes * 60);
  return writeCookie({ token, maxAge }, cookieScope(settings, client));
}

export function answerWith(
  content: JsonValue,
  setCookie?: string,
  more?: Record<string, string>,
): ActionResult {
  const headers = { ...(setCookie === undefined ? {} : { 'Set-Cookie': setCookie }), ...more };
  return {
    kind: 'action',
    content,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
  };
}
