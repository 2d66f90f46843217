import { hash } from 'node:crypto';
import { BadRequestError, ForbiddenError } from '#errors/index.ts';
import type { JsonValue } from '#json/index.ts';
import {
  type ActionResult,
  ActionTable,
  type Context,
  type RouteHandler,
  resource,
  singleton,
  type WriteContext,
} from '#resource/index.ts';
import { refuseAction } from '../refuse-action.ts';
import type { AuthenticatorParts } from './authenticator.ts';
import { LOCKOUT } from './login-throttle.ts';
import { isForTls, writeCookie } from './session-cookie.ts';
import { SESSION_MODULE, type Sessions } from './sessions.ts';

/** What pages of this origin have kept of the session goes with it, also where the page itself cannot see to it. */
const CLEARED = { 'Clear-Site-Data': '"storage"' };

/** `/authentication`: a session for browsers, its end, and the password once more. */
export function authenticationResource(parts: () => AuthenticatorParts): RouteHandler {
  return singleton({
    description: { title: 'authentication' },

    /** By what people log in. There are no social providers; clients of the field ask for them before they show a login. */
    async read() {
      const { modules, sessions } = parts();
      return resource('', null, {
        providers: [],
        password: modules.some(({ verifyPassword }) => verifyPassword !== undefined),
        sessions: sessions !== undefined,
        lockout: LOCKOUT,
      });
    },

    actions: new ActionTable(
      {
        login: {
          does: 'Begins a session for the credentials that are shown, and sets its cookie',
          run: (context) => logIn(context, parts()),
        },
        logout: {
          does: 'Ends the session of the cookie',
          run: (context) => logOut(context, parts().sessions),
        },
        reauthenticate: {
          does: 'Says whether the password that is sent once more is right',
          run: async (context) => reauthenticate(context),
        },
      },
      { anyCase: true, refuse: refuseAction },
    ),
  });
}

function reauthenticate({ security }: Context): ActionResult {
  if (security.authorization['reauthenticated'] === true) return answer({ reauthenticated: true });
  throw new ForbiddenError('Access denied', {
    id: 'AUTH_REAUTHENTICATION_FAILED',
    hint: 'Send the password in the header X-Svc-Reauth-Password',
  });
}

async function logIn(context: WriteContext, { sessions }: AuthenticatorParts): Promise<ActionResult> {
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
  return answer(
    { authenticationId, authorization: { ...authorization, roles: [...authorization.roles] } },
    cookie(token, context, sessions),
  );
}

/** Like any change it is recorded, and told: streams of events that it has open end with it. */
async function endSession({ unitOfWork }: WriteContext, sessions: Sessions, id: string): Promise<void> {
  const user = await sessions.end(await unitOfWork.db(), id);
  if (user === undefined) return;
  const handle = hash('sha256', id);
  unitOfWork.record({ resource: `session/${handle}`, operation: 'delete', before: { user }, after: null });
}

async function logOut(context: WriteContext, sessions: Sessions | undefined): Promise<ActionResult> {
  const { sessionId } = context.security.authorization;
  if (sessions !== undefined && typeof sessionId === 'string') await endSession(context, sessions, sessionId);
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
