import { hash } from 'node:crypto';
import type { JsonValue } from '#json/index.ts';
import type { ClientContext, HttpContext, SecurityContext } from '#resource/index.ts';
import type { Credentials } from './credentials.ts';

/** The request that somebody comes in with. */
export interface Asked {
  readonly client: ClientContext;
  readonly http: HttpContext | null;
  readonly requestId: string;
}

/** What a caller shows to say who it is. */
export interface Attempt extends Asked {
  readonly header: (name: string) => string | undefined;
  /** Name and password, if it sent any. */
  readonly credentials: Credentials | undefined;
}

/** What a module makes of somebody it knows. */
export interface Identity {
  readonly security: SecurityContext;
  /**
   * Changes with the module that lets them in, and with the password or the key; sessions of the old one end. Absent
   * where none can begin.
   */
  readonly stamp?: string;
}

/** Somebody who came in by a module before. */
export interface Known {
  /** The name by which the module knows them. */
  readonly authenticationId: string;
  readonly component: string;
  readonly id: string;
  /** Roles that the credentials brought, and that are stored nowhere else. */
  readonly claimedRoles: readonly string[];
}

/** A login that has begun in a browser and ends there: what the issuer's answer is compared with. */
export interface PendingLogin {
  readonly provider: string;
  readonly state: string;
  readonly nonce: string;
  /** The code verifier of RFC 7636: whoever redeems the code shows it. */
  readonly verifier: string;
  /** The page of this origin that is shown then. */
  readonly returnTo: string;
  /** Where a program on the machine of the browser waits for it. */
  readonly port?: number;
}

/** An authorization code with PKCE. */
export interface CodeLogin {
  readonly provider: string;
  readonly issuer: string;
  readonly title: string;
  /** The browser comes back to its own machine, to whichever port. */
  readonly takesPort: boolean;
  /** Where the browser goes. @throws UnauthorizedError `AUTH_ISSUER_UNREACHABLE` */
  location(pending: PendingLogin): Promise<string>;
  /**
   * Who has come back with the code; undefined where it is worth nothing.
   *
   * @throws UnauthorizedError `AUTH_ISSUER_UNREACHABLE`
   * @throws ServiceUnavailableError `AUTH_ISSUER_REFUSES`, whose cause says what the issuer has against this server
   */
  redeem(code: string, pending: PendingLogin, asked: Asked): Promise<Identity | undefined>;
}

/** People whom somebody else tells apart, and the component that they have here. */
export interface People {
  readonly component: string;
  /** Who tells them apart, and by what: the same id of another one is somebody else. */
  readonly by: string;
}

/** One way to be known. The modules of `authentication.json` are asked in order. */
export interface AuthenticationModule {
  /** The name as in the configuration, such as `MANAGED_USER`; callers see it as `moduleId`. */
  readonly name: string;
  /**
   * Tells it from others of its name by whom it lets in, and not by the roles that it gives them. Absent where the
   * credential alone tells that.
   */
  readonly way?: string;
  /** The people to whom its callers belong, where nobody looks them up here. */
  readonly people?: People;
  /** @returns undefined when it does not know the caller; the next module is asked */
  authenticate(attempt: Attempt): Promise<Identity | undefined>;
  /** What it remembers of the same attempt, without the cost of one. */
  recall?(attempt: Attempt): Promise<Identity | undefined> | Identity | undefined;
  /** The same person now, for a session: undefined when it may come in no more. A module without it begins no session. */
  refresh?(known: Known, asked: Asked): Promise<Identity | undefined>;
  /** How people log in at an issuer, with a browser. */
  readonly codeLogin?: CodeLogin;
  /** Tells whose name and password these are. Absent where callers show anything but a password. */
  verifyPassword?(attempt: Attempt): Promise<Identity | undefined>;
}

/** @param settings those that decide whom a module lets in, and by what */
export function wayOf(settings: JsonValue): string {
  return hash('sha256', JSON.stringify(settings), 'base64url').slice(0, 22);
}

/** @param credential what tells it from others, and nothing about it; undefined where no session may begin */
export function identity(
  facts: {
    readonly name: string;
    readonly module: string;
    readonly component: string;
    readonly id: string;
    readonly roles: readonly string[];
    readonly way?: string;
  },
  credential?: string,
): Identity {
  const { name, module, component, id, roles, way = '' } = facts;
  return {
    security: {
      authenticationId: name,
      authorization: { id, component, roles: [...new Set(roles)], moduleId: module },
    },
    ...(credential === undefined ? {} : { stamp: hash('sha256', `${way} ${credential}`, 'base64url') }),
  };
}

/** The name that somebody came in by: that of the security context, unless a script calls them otherwise. */
export function loginNameOf({ authenticationId, authorization }: SecurityContext): string {
  const { loginName } = authorization;
  return typeof loginName === 'string' ? loginName : authenticationId;
}

/** An object of a collection: who somebody is, whatever they are called. */
interface Whoever {
  readonly component: string;
  readonly id: string;
}

export function isSame(one: Whoever, other: Whoever): boolean {
  return one.component === other.component && one.id === other.id;
}
