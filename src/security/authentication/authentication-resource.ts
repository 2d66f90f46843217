import { BadRequestError, ForbiddenError } from '#errors/index.ts';
import {
  type ActionResult,
  ActionTable,
  bodyOf,
  type Context,
  NO_BODY,
  type RouteHandler,
  resource,
  singleton,
  textMember,
  type WriteContext,
} from '#resource/index.ts';
import { refuseAction } from '../refuse-action.ts';
import { loginNameOf } from './authentication-module.ts';
import type { AuthenticatorParts } from './authenticator.ts';
import { answerWith, beginSession, endSession, requireSessions, sessionOf } from './begin-session.ts';
import { type IssuerLogins, providersOf } from './issuer-login.ts';
import { LOCKOUT } from './login-throttle.ts';
import { cookieScope, writeCookie } from './session-cookie.ts';
import { SESSION_MODULE, type Sessions } from './sessions.ts';

/** What pages of this origin have kept of the session goes with it, also where the page itself cannot see to it. */
const CLEARED = { 'Clear-Site-Data': '"storage"' };

/** `/authentication`: a session for browsers, its end, and the password once more. */
export function authenticationResource(parts: () => AuthenticatorParts, logins: IssuerLogins): RouteHandler {
  return singleton({
    description: { title: 'authentication' },

    /** The ways in which people log in; clients of the field ask for the providers before they show a login. */
    async read() {
      const { modules, sessions } = parts();
      return resource('', null, {
        providers: providersOf(modules),
        password: modules.some(({ verifyPassword }) => verifyPassword !== undefined),
        sessions: sessions !== undefined,
        lockout: LOCKOUT,
      });
    },

    actions: new ActionTable(
      {
        login: {
          does: 'Begins a session for the credentials that are shown, and sets its cookie',
          takes: NO_BODY,
          answers: { type: 'object' },
          run: (context) => logIn(context, parts()),
        },
        logout: {
          does: 'Ends the session of the cookie, whatever else is shown beside it',
          takes: NO_BODY,
          answers: { type: 'object' },
          run: (context) => logOut(context, parts().sessions),
        },
        redirect: {
          does: 'Says where a browser logs in at a `provider`, and remembers that it has begun; `returnTo` is the page that is shown then',
          takes: bodyOf(
            {
              provider: textMember('The name of its module'),
              returnTo: textMember('The page that is shown then'),
              port: { type: 'integer', description: 'Where a command waits for the browser' },
            },
            'provider',
          ),
          answers: bodyOf({ location: { type: 'string' } }, 'location'),
          run: (context, { content }) => logins.redirect(context, content),
        },
        callback: {
          does: 'Begins a session for whoever comes back from a provider with a `code` and the `state` that it was sent with',
          takes: bodyOf(
            {
              code: { type: 'string' },
              state: { type: 'string' },
              iss: textMember('The issuer, where it says so'),
            },
            'code',
            'state',
          ),
          answers: { type: 'object' },
          run: (context, { content }) => logins.comeBack(context, content),
        },
        reauthenticate: {
          does: 'Says whether the password that is sent once more is right',
          takes: NO_BODY,
          answers: bodyOf({ reauthenticated: { const: true } }, 'reauthenticated'),
          run: async (context) => reauthenticate(context),
        },
      },
      { anyCase: true, refuse: refuseAction },
    ),
  });
}

function reauthenticate({ security }: Context): ActionResult {
  if (security.authorization['reauthenticated'] === true) return answerWith({ reauthenticated: true });
  throw new ForbiddenError(`Reauthentication failed for ${loginNameOf(security)}`, {
    id: 'AUTH_REAUTHENTICATION_FAILED',
    hint: 'Send the password in the header X-Svc-Reauth-Password',
  });
}

async function logIn(context: WriteContext, { sessions }: AuthenticatorParts): Promise<ActionResult> {
  if (context.security.authorization['moduleId'] === SESSION_MODULE) {
    throw new BadRequestError('This request came with a session already', {
      id: 'AUTH_HAS_SESSION',
      hint: 'Send name and password in X-Svc-Username and X-Svc-Password',
    });
  }
  return beginSession(context, requireSessions(sessions));
}

async function logOut(context: WriteContext, sessions: Sessions | undefined): Promise<ActionResult> {
  const session = sessionOf(context);
  if (sessions !== undefined && session !== undefined) await endSession(context, sessions, session);
  const ended =
    sessions && writeCookie({ token: '', maxAge: 0 }, cookieScope(sessions.settings, context.client));
  return answerWith({ success: true }, ended, CLEARED);
}
