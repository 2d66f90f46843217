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
  /** Changes with the password, the key or the issuer; sessions of the old one end. */
  readonly stamp?: string;
}

/** Somebody who came in by a module before. */
export interface Known {
  /** As the module knows them. */
  readonly authenticationId: string;
  readonly component: string;
  readonly id: string;
  /** Roles that the credentials brought, and that are stored nowhere else. */
  readonly claimedRoles: readonly string[];
}

/** One way to be known. The modules of `authentication.json` are asked in order. */
export interface AuthenticationModule {
  /** As in the configuration, such as `MANAGED_USER`; callers see it as `moduleId`. */
  readonly name: string;
  /** @returns undefined when it does not know the caller; the next module is asked */
  authenticate(attempt: Attempt): Promise<Identity | undefined>;
  /** What it remembers of the same attempt, without the cost of one. */
  recall?(attempt: Attempt): Promise<Identity | undefined> | Identity | undefined;
  /** The same person now, for a session: undefined when it may come in no more. A module without it begins no session. */
  refresh?(known: Known, asked: Asked): Promise<Identity | undefined>;
  /** Whose name and password these are. Absent where callers show anything but a password. */
  verifyPassword?(attempt: Attempt): Promise<Identity | undefined>;
}

export function identity(
  facts: {
    readonly name: string;
    readonly module: string;
    readonly component: string;
    readonly id: string;
    readonly roles: readonly string[];
  },
  stamp?: string,
): Identity {
  const { name, module, component, id, roles } = facts;
  return {
    security: {
      authenticationId: name,
      authorization: { id, component, roles: [...new Set(roles)], moduleId: module },
    },
    ...(stamp === undefined ? {} : { stamp }),
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
