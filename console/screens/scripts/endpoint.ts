import type { Call } from '#client/index.ts';

/** As `conf/endpoint-<name>.json` declares it. */
export interface Endpoint {
  readonly _id: string;
  readonly file?: string;
  readonly type?: string;
  /** Where it answers, unless that is `endpoint/<name>`. */
  readonly context?: string;
  readonly _methods?: readonly string[];
}

export function nameOf({ _id }: Pick<Endpoint, '_id'>): string {
  return _id.replace(/^endpoint\//, '');
}

/** The path that it answers at; what may follow is left out. */
export function pathOf({ _id, context }: Endpoint): string {
  return (context ?? _id).replace(/\/?\*$/, '');
}

export const REQUESTS = ['read', 'query', 'create', 'update', 'patch', 'delete', 'action'] as const;
export type Request = (typeof REQUESTS)[number];

const METHODS: Readonly<Record<Request, Call['method']>> = {
  read: 'GET',
  query: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  action: 'POST',
};

/** The requests that it lets through; without a list it takes all. */
export function requestsOf({ _methods: methods }: Endpoint): readonly Request[] {
  return methods === undefined ? REQUESTS : REQUESTS.filter((each) => methods.includes(each));
}

export function isRead(request: Request): boolean {
  return METHODS[request] === 'GET';
}

export function takesBody(request: Request): boolean {
  return !isRead(request) && request !== 'delete';
}

export interface Asked {
  readonly request: Request;
  /** Behind the path of the endpoint. */
  readonly below: string;
  /** A line each, such as `_queryFilter=true`. */
  readonly parameters: string;
  readonly body: string;
}

/** The filter of a query, or the name of an action: without it the server takes the request for another one. */
export function parametersFor(request: Request): string {
  if (request === 'query') return '_queryFilter=true';
  return request === 'action' ? '_action=' : '';
}

/** @returns undefined where the body is no JSON */
export function callOf(endpoint: Endpoint, { request, below, parameters, body }: Asked): Call | undefined {
  const path = [...pathOf(endpoint).split('/'), ...below.split('/')].filter((part) => part !== '');
  const pairs = parameters
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line): [string, string] => {
      const at = line.indexOf('=');
      return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
    });
  const call = { method: METHODS[request], path, parameters: Object.fromEntries(pairs) };
  if (!takesBody(request)) return call;
  try {
    const sent: unknown = JSON.parse(body);
    return { ...call, body: sent };
  } catch {
    return undefined;
  }
}
