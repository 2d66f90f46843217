import type { Database } from '#database/index.ts';
import type { Context, QueryResult, Request, Resource, Response, Router } from '#resource/index.ts';
import type { ResourceType } from './resource-type.ts';

/** What the resources of SCIM stand on. */
export interface ScimPlatform {
  readonly database: Database;
  readonly router: Router;
  /** The most bytes of the body of a request. */
  readonly bodyLimitBytes: number;
  readonly types: () => readonly ResourceType[];
}

/** Asks for managed objects: with the rights of the server, or with those of the caller for `/Me`. */
export interface Ask {
  /** Whether everything that it asks for is granted, and may be asked for many at once. */
  readonly isServer: boolean;
  one(request: Exclude<Request, { method: 'query' | 'action' }>): Promise<Resource>;
  all(request: Extract<Request, { method: 'query' }>): Promise<QueryResult>;
}

interface AskOptions {
  readonly isServer?: boolean;
  readonly tell?: (error: unknown) => unknown;
}

/**
 * @param context as whom
 * @param options.tell what becomes of an error
 */
export function askAs(
  router: Pick<Router, 'handle'>,
  context: () => Context,
  { isServer = false, tell = (error) => error }: AskOptions = {},
): Ask {
  const unexpected = ({ kind }: Response) => new Error(`a ${kind} came where another kind was asked for`);
  return {
    isServer,
    async one(request) {
      const answer = await router.handle(context(), request).catch((error: unknown) => {
        throw tell(error);
      });
      if (answer.kind !== 'resource') throw unexpected(answer);
      return answer;
    },
    async all(request) {
      const answer = await router.handle(context(), request);
      if (answer.kind !== 'query') throw unexpected(answer);
      return answer;
    },
  };
}

/** What one request for resources of a type has at hand. */
export interface Scope {
  readonly platform: ScimPlatform;
  readonly context: Context;
  readonly type: ResourceType;
  readonly ask: Ask;
  /** The schemas of what may be asked for. */
  readonly schemas: readonly string[];
  /** Whether resources of all types are asked for: an attribute that one lacks has no value there (RFC 7644, 3.4.2.1). */
  readonly isOfAll: boolean;
}

const PATH = '/scim/v2';

/** Where the service is, by the address that the client has named; every resource that is shown has it. */
export function baseOf({ http }: Context): string {
  const known = http === null ? undefined : bases.get(http);
  if (known !== undefined) return known;
  const url = http?.path ?? '';
  const at = url.search(/\/scim\/v2(?=[/?]|$)/);
  const base = at === -1 ? `${URL.parse(url)?.origin ?? ''}${PATH}` : url.slice(0, at) + PATH;
  if (http !== null) bases.set(http, base);
  return base;
}

const bases = new WeakMap<object, string>();

/** The client whose names the `externalId`s are. */
export function clientOf({ security }: Context): string {
  const { component, id } = security.authorization;
  return `${component}/${id}`;
}

export function pathOf({ collection }: ResourceType, id?: string): readonly string[] {
  return [...collection.split('/'), ...(id === undefined ? [] : [id])];
}

/** The type under which objects are stored. */
export function storedTypeOf({ collection }: ResourceType): string {
  return collection.slice(collection.indexOf('/') + 1);
}
