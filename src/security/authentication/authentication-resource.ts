import { BadRequestError, didYouMean, ForbiddenError } from '#errors/index.ts';
import type { JsonValue } from '#json/index.ts';
import { type ActionResult, type Context, type RouteHandler, resource, singleton } from '#resource/index.ts';
import type { AuthenticatorParts } from './authenticator.ts';
import { isForTls, writeCookie } from './session-cookie.ts';
import { SESSION_MODULE, type Sessions } from './sessions.ts';

const ACTIONS = ['login', 'logout', 'reauthenticate'];
/** What pages of this origin have kept of the session goes with it, also where the page itself cannot see to it. */
const CLEARED = { 'Clear-Site-Data': '"storage"' };

/** `/authentication`: a session for browsers, its end, and the password once more. */
export function authenticationResource(parts: () => AuthenticatorParts): RouteHandler {
  return singleton({
    description: { title: 'authentication', instanceActions: ACTIONS },

    /** There are no social providers; clients of the field ask for them before they show a login. */
    read: async () => resource('', null, { providers: [] }),

    async action(context, { action }): Promise<ActionResult> {
      const { sessions } = parts();
      switch (action.toLowerCase()) {
        case 'login':
          return logIn(context, parts());
        case 'logout':
          return logOut(context, sessions);
        case 'reauthenticate':
          if (context.security.authorization['reauthenticated'] === true)
            return answer({ reauthenticated: true });
          throw new ForbiddenError('Access denied', {
            id: 'AUTH_REAUTHENTICATION_FAILED',
            hint: 'Send the password in the header X-Svc-Reauth-Password',
          });
        default:
          throw new BadRequestError(`Unknown action '${action}'`, {
            id: 'RESOURCE_UNKNOWN_ACTION',
            hint: didYouMean(action, ACTIONS) ?? `Use one of ${ACTIONS.join(', ')}`,
          });
      }
    },
  });
}

async function logIn(context: Context, { sessions }: AuthenticatorParts): Promise<ActionResult> {
  const { security, unitOfWork } = context;
  const { moduleId } = security.authorization;
  if (sessions === undefined) {
    throw new BadRequestError('Sessions are switched off', {
      id: 'AUTH_NO_SESSIONS',
      hint: "authentication.json has its sessionModule disabled, or the key ring lacks 'svc-jwtsessionhmac-key'",
    });
  }
  if (moduleId === SESSION_MODULE) {
    throw new BadRequestError('This request came with a session already', {
      id: 'AUTH_HAS_SESSION',
      hint: 'Send name and password in X-Svc-Username and X-Svc-Password',
    });
  }
  const db = await unitOfWork!.db();
  if (security.formerSession !== undefined) await sessions.end(db, security.formerSession);
  const token = await sessions.begin(db, context);
  if (token === undefined) {
    throw new BadRequestError(`Who comes in by ${moduleId} begins no session`, {
      id: 'AUTH_NO_SESSION_BY_MODULE',
      hint: 'Show the credentials with each request',
    });
  }
  const { authenticationId, authorization } = security;
  return answer(
    { authenticationId, authorization: { ...authorization, roles: [...authorization.roles] } as JsonValue },
    cookie(token, context, sessions),
  );
}

async function logOut(context: Context, sessions: Sessions | undefined): Promise<ActionResult> {
  const { sessionId } = context.security.authorization;
  if (typeof sessionId === 'string') await sessions?.end(await context.unitOfWork!.db(), sessionId);
  const ended =
    sessions && writeCookie({ token: '', maxAge: 0 }, isForTls(sessions.settings, context.client.isSecure));
  return answer({ success: true }, ended, CLEARED);
}

function cookie(token: string, { client }: Context, { settings }: Sessions): string {
  const maxAge = settings.sessionOnly ? undefined : Math.ceil(settings.maxTokenLifeMinutes * 60);
  return writeCookie({ token, maxAge }, isForTls(settings, client.isSecure));
}

function answer(content: JsonValue, setCookie?: string, more?: Record<string, string>): ActionResult {
  const headers = { ...(setCookie === undefined ? {} : { 'Set-Cookie': setCookie }), ...more };
  return {
    kind: 'action',
    content,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
  };
}
