import { randomUUID } from 'node:crypto';
import type { Db, UnitOfWork } from '#database/index.ts';
import { type Allowance, Budget, REQUEST_ALLOWANCE, RUN_ALLOWANCE } from './budget.ts';
import { lineOf } from './line-of.ts';

/** The identity that acts. `component` is the collection of the caller's object, such as `managed/user`. */
export interface SecurityContext {
  readonly authenticationId: string;
  readonly authorization: {
    readonly id: string;
    readonly component: string;
    readonly roles: readonly string[];
    readonly [key: string]: unknown;
  };
  /** The session whose cookie came along though the caller has shown credentials: a login takes its place, a log-out ends it. */
  readonly formerSession?: string;
  /** What the browser keeps of a login that has begun at an issuer. */
  readonly pendingLogin?: string;
  /** Stands for the module and the credential by which the caller has come in: a session that begins is bound to it. */
  readonly stamp?: string;
  /** The module that has let the caller in, or keeps the session: its place in `authentication.json` at that revision. */
  readonly cameBy?: { readonly at: number; readonly revision: string | null };
  /** Whether the roles of a caller from outside hold that of administrators, which the properties of the project name. */
  readonly administers?: boolean;
}

const ADMINISTRATORS = 'svc-admin';

/** Whether somebody has the role of administrators. */
export function isAdministrator({ administers, authorization }: SecurityContext): boolean {
  return administers ?? authorization.roles.includes(ADMINISTRATORS);
}

/** Where the request came in. `isExternal` is true for HTTP and false for everything inside the server. */
export interface ClientContext {
  readonly isExternal: boolean;
  /** The caller's, as a trusted proxy tells it. */
  readonly remoteAddress: string;
  /** The other end of the connection, where a proxy stands between. */
  readonly peerAddress?: string;
  readonly remotePort: number;
  readonly userAgent: string;
  readonly isSecure: boolean;
  /** The path below which the caller's browser finds the server, such as `/identity`. */
  readonly publicPath?: string;
}

export interface HttpContext {
  readonly method: string;
  /** The full URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly parameters: Readonly<Record<string, string>>;
}

/** How the request met its route; paths without leading slash. */
export interface RouterContext {
  readonly matchedUri: string;
  readonly remainingUri: string;
  readonly uriTemplateVariables: Readonly<Record<string, string>>;
}

/** The part of a context that can be sent to another thread. */
export interface ContextData {
  readonly id: string;
  /** The id of the outer request; those that it makes on its way append a slash and a number, and so do theirs. */
  readonly transactionId: string;
  /** Epoch ms. */
  readonly receivedAt: number;
  readonly security: SecurityContext;
  readonly client: ClientContext;
  readonly http: HttpContext | null;
}

/** The chain that a request is handled under, flattened; immutable, a nested request derives its own. */
export interface Context extends ContextData {
  /** Null outside a write: each write then makes its own. */
  readonly unitOfWork: UnitOfWork | null;
  /** Open units of work of callers that wait for this one, each with a connection in its hands. */
  readonly callersAtWork?: number;
  /**
   * What its caller has seen to be stored, as the answer to a write named it, or `everything`: a standby that answers must have it. Absent when
   * the caller does not say.
   */
  readonly seen?: string;
  /** A standby that may answer what the request itself reads. What is asked on its way, and may depend on what it writes, is not for it. */
  readonly replica?: Db;
  /** The caller may survive a failure, so a write runs under a savepoint. */
  readonly survivable: boolean;
  /** How many requests this one has made on its way; shared by all that is derived from it. */
  readonly made: { count: number };
  /** What it may cost together with all that is derived from it. */
  readonly budget: Budget;
  /** The line in which a request from outside, and all that it causes, waits when callers take turns (`lineOf`). */
  readonly line?: string;
  /** It is asked inside of the server word for word as a caller has sent it, by another name. */
  readonly saysForCaller?: boolean;
  /** Absent before the request has met its route. */
  readonly router?: RouterContext;
  /** Filters whose scripts made this request. */
  readonly filtersAtWork?: readonly object[];
  /** How many scripts have called each other to come here. */
  readonly scriptDepth?: number;
  /** What synchronisation delivers on whose way this is asked, the outermost first. */
  readonly deliveries?: readonly string[];
  /** Inside a dry run: nothing may leave the unit of work. */
  readonly rehearsed?: boolean;
  /**
   * Asks anew who has sent the request: rejects when they may not come in any more. Of requests from outside; what takes long,
   * or runs again, is done with the rights that its caller has then.
   */
  readonly renew?: () => Promise<SecurityContext>;
  /** Aborted when nobody waits for the answer any more. What was begun goes on; who only waits for it ends. */
  readonly awaited?: AbortSignal;
  /** Asked before each unit of work commits. Rejects when what works here has been given to somebody else. */
  readonly fence?: (db: Db) => Promise<void>;
  /** Aborted when what works here has been given to somebody else: scripts end at their next call. */
  readonly signal?: AbortSignal;
}

/** The context of a write, which has its unit of work. */
export interface WriteContext extends Context {
  readonly unitOfWork: UnitOfWork;
}

/** @throws Error for a write that has not come through the router, which gives each its unit of work */
export function writeContext(context: Context): WriteContext {
  if (!hasUnitOfWork(context)) throw new Error(`'${context.transactionId}' writes outside a unit of work`);
  return context;
}

function hasUnitOfWork(context: Context): context is WriteContext {
  return context.unitOfWork !== null;
}

const INTERNAL_CLIENT: ClientContext = {
  isExternal: false,
  remoteAddress: '',
  remotePort: -1,
  userAgent: '',
  isSecure: false,
};

/** The identity of the server's own work: start-up, configuration, recovery. */
export const SYSTEM: SecurityContext = {
  authenticationId: 'system',
  authorization: { id: 'system', component: 'internal/user', roles: ['system'] },
};

/** @param id of the work and of its transaction; default a new one */
export function systemContext(security: SecurityContext = SYSTEM, id: string = randomUUID()): Context {
  return rootContext({
    id,
    transactionId: id,
    receivedAt: Date.now(),
    security,
    client: INTERNAL_CLIENT,
    http: null,
  });
}

/** @param allowance of a request from outside; what begins inside the server has a larger one */
export function rootContext(data: ContextData, allowance: Allowance = REQUEST_ALLOWANCE): Context {
  const budget = new Budget(data.client.isExternal ? allowance : RUN_ALLOWANCE);
  const line = lineOf(data);
  return {
    ...data,
    unitOfWork: null,
    survivable: false,
    made: { count: 0 },
    budget,
    ...(line === undefined ? {} : { line }),
  };
}

export function contextData(context: Context): ContextData {
  const { id, transactionId, receivedAt, security, client, http } = context;
  return { id, transactionId, receivedAt, security, client: clientData(client), http: httpData(http) };
}

/** A link may find its members only when it is asked for them; copied, it has them. */
export function clientData(client: ClientContext): ClientContext {
  const { isExternal, remoteAddress, remotePort, userAgent, isSecure, publicPath = '' } = client;
  const below = publicPath === '' ? {} : { publicPath };
  return { isExternal, remoteAddress, remotePort, userAgent, isSecure, ...below };
}

export function httpData(http: HttpContext | null): HttpContext | null {
  if (http === null) return null;
  const { method, path, headers, parameters } = http;
  return { method, path, headers, parameters };
}

/** The context for what the server does on behalf of a request: same identity and work, no longer external. */
export function internalContext(context: Context): Context {
  return { ...context, client: INTERNAL_CLIENT, saysForCaller: false };
}

/** Whether the content of the request was sent by a caller, and not made up by a script of the server. */
export function isWordOfCaller({ client, saysForCaller = false }: Context): boolean {
  return client.isExternal || saysForCaller;
}

/** For a request that this one makes on its way: internal, and the next part of its transaction. */
export function nestedContext(context: Context): Context {
  return internalContext(nextContext(context));
}

/**
 * The context for what somebody asks for by this request: the next part of its transaction, judged like a request of
 * their own.
 */
export function nextContext(context: Context): Context {
  return { ...context, transactionId: nextPart(context), made: { count: 0 } };
}

/** The transaction id of the next thing that the request has done by somebody else. */
export function nextPart({ transactionId, made }: Pick<Context, 'transactionId' | 'made'>): string {
  return `${transactionId}/${made.count++}`;
}
