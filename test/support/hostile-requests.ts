import { Agent, request as send } from 'node:http';

/** A request that nobody sane sends. */
export interface HostileRequest {
  readonly method: string;
  /** With its parameters, as it goes over the wire. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export interface HostileAnswer {
  /** 0 when the connection was closed without a word. */
  readonly status: number;
  readonly text: string;
}

/** Numbers that look random and are the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const METHODS = [
  'GET',
  'GET',
  'POST',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'HEAD',
  'PROPFIND',
  'TRACE',
];

const WORDS = [
  'x', 'user', 'role', '1', '-1', '0', 'null', 'true', '_id', '__proto__', 'constructor', 'toString', '%00', '%2e%2e', '%2F',
  '%C0%AF', '%', "'", '"', "';--", '$1', '*', '{}', '[]', '~0', '~1', '%F0%9F%92%A9', 'ada', 'svc-admin', '00000000-0000-0000-0000-000000000000',
  '9'.repeat(30), 'é', '\u0001', 'a'.repeat(300), '?', '#', '..', '.', ';', '%0d%0a',
] as const; // biome-ignore format: a list of words

/** Ids that lead further in. */
const SANE = ['ada', 'ben', 'x', 'query', 'roles', 'manager', '*'] as const;

const FILTERS = [
  'true', 'false', 'userName eq "ada"', 'userName eq "', 'a.b eq 1', '/a/b pr', '(((((true)))))', '!(true)', 'not true',
  '_id sw ""', '/ eq 1', '// pr', 'a co null', 'a eq 1e999', 'a eq -0', 'true and', ') or (', '"', "' or 1=1 --", 'a gt {}',
  'userName lt "\uD800"', '/__proto__/x pr', 'authzRoles eq "x"', 'a eq "\\u0000"', '_rev ge 0', 'manager/userName eq 1', '',
] as const; // biome-ignore format: a list of filters

const PARAMETERS = [
  '_queryFilter', '_queryId', '_queryExpression', '_fields', '_sortKeys', '_pageSize', '_pagedResultsOffset', '_pagedResultsCookie',
  '_totalPagedResultsPolicy', '_action', '_prettyPrint', '_dryRun', '_mimeType', '_nestedFields', '_crestapi', 'name', '_x', '__proto__',
] as const; // biome-ignore format: a list of names

const NAMES = [
  'userName', 'mail', '_id', '_rev', '__proto__', 'constructor', 'type', 'enabled', 'schedule', 'persisted', 'invokeService',
  'invokeContext', 'authzRoles', 'roles', 'manager', '_ref', '_refProperties', '$crypto', 'value', 'operation', 'field', 'from', 'password',
  '_key', '_processDefinitionId', 'variables', 'name', 'content', 'assignee', 'startTime', 'repeatInterval', 'condition', '', 'a/b',
] as const; // biome-ignore format: a list of names

const ACTIONS = [
  'create', 'patch', 'eval', 'validateQuartzCronExpression', 'pauseJobs', 'resumeJobs', 'listCurrentlyExecutingJobs', 'execute', 'complete',
  'claim', 'validateObject', 'validateProperty', 'login', 'logout', 'reauthenticate', 'deploy', 'cancel', 'message', 'signal', 'toString', '',
] as const; // biome-ignore format: a list of actions

export interface HostileOptions {
  readonly random: () => number;
  /** Paths of the API description, such as `/managed/user/{id}`. */
  readonly paths: readonly string[];
  /** Of things that there are. */
  readonly ids: readonly string[];
  /** Beside those that were thought of here. */
  readonly actions: readonly string[];
  /** Who may have sent it: the headers of one of them go with each request. */
  readonly callers: readonly Readonly<Record<string, string>>[];
}

/** The next request, by chance. */
export function hostileRequest({ random, paths, ids, actions, callers }: HostileOptions): HostileRequest {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const chance = (odds: number) => random() < odds;
  const scalar = (): unknown =>
    pick([
      null,
      true,
      -1,
      0,
      2 ** 53,
      1.5,
      '',
      'x',
      pick(WORDS),
      pick(FILTERS),
      '2020-01-01T00:00:00Z',
      '\uD800',
      '0 0 * * * ?',
    ]);
  const json = (depth: number): unknown => {
    if (depth === 0 || chance(0.4)) return scalar();
    const size = Math.floor(random() * 4);
    if (chance(0.3)) return Array.from({ length: size }, () => json(depth - 1));
    return Object.fromEntries(Array.from({ length: size }, () => [pick(NAMES), json(depth - 1)]));
  };
  const operations = () =>
    Array.from({ length: Math.floor(random() * 3) + 1 }, () => ({
      operation: pick(['add', 'replace', 'remove', 'increment', 'copy', 'move', 'x']),
      field: pick([
        '/mail',
        '',
        '/',
        '/a/b/0',
        '/-',
        '/__proto__/x',
        '/authzRoles/-',
        'mail',
        '/roles',
        '~',
        '/_id',
      ]),
      ...(chance(0.7) ? { value: json(2) } : {}),
      ...(chance(0.3) ? { from: pick(['/mail', '/x', '']) } : {}),
    }));
  const value = (name: string): string => {
    if (chance(0.2)) return pick(WORDS);
    if (name === '_queryFilter') return encodeURIComponent(wellFormed(pick(FILTERS)));
    if (name === '_queryId')
      return pick(['query-all-ids', 'query-all', 'filtered-query', 'x', 'for-userName']);
    if (name === '_action') return pick(chance(0.5) && actions.length > 0 ? actions : ACTIONS);
    if (name === '_fields' || name === '_sortKeys')
      return pick(['*', '*_ref', '*_ref/*', '-mail', '/a/b', 'roles/*/x', ',,', '*/*/*/*']);
    return pick(['true', '1', '0', '-1', 'x', '1e9', 'EXACT', '99999999999999999999', 'image/png', '']);
  };
  const method = pick(METHODS);
  let path = pick(paths).replace(/\{\w+\}/g, () => pick(chance(0.4) ? ids : chance(0.5) ? SANE : WORDS));
  if (chance(0.1)) path += `/${pick(WORDS)}`;
  if (chance(0.05)) path = `/${pick(WORDS)}${path}`;
  const parameters = Array.from({ length: Math.floor(random() * 4) }, () => {
    const name = pick(PARAMETERS);
    return `${name}=${value(name)}`;
  });
  const record = () =>
    Object.fromEntries(Array.from({ length: Math.floor(random() * 5) }, () => [pick(NAMES), json(3)]));
  const kind = random();
  const fitting =
    method === 'PATCH' ? operations : method === 'PUT' || method === 'POST' ? record : () => undefined;
  const body = kind < 0.75 ? fitting() : kind < 0.85 ? json(4) : kind < 0.9 ? operations() : undefined;
  const broken = ['{', '[1,', 'nul', '\u0000', '{"a":1}}', '"x'];
  const text = kind > 0.96 ? pick(broken) : body === undefined ? undefined : JSON.stringify(body);
  const headers: Record<string, string> = { ...pick(callers) };
  if (text !== undefined)
    headers['Content-Type'] = chance(0.95)
      ? 'application/json'
      : pick(['text/xml', '', 'application/json;charset=x', ';']);
  if (chance(0.07)) headers['If-Match'] = pick(['*', '"0"', '0', '"', 'W/"1"', '"a","b"', '']);
  if (chance(0.05)) headers['If-None-Match'] = pick(['*', '"0"', 'x']);
  if (chance(0.05)) headers['X-HTTP-Method-Override'] = pick([...METHODS, 'x y', '']);
  if (chance(0.05))
    headers['Accept-API-Version'] = pick(['protocol=2.1', 'protocol=9', 'resource=1.0', '=', 'protocol=1.0']);
  if (chance(0.05)) headers['X-Requested-With'] = 'x';
  const search = parameters.length === 0 ? '' : `?${parameters.join('&')}`;
  return { method, path: sendable(`/svc${path}${search}`), headers, body: text };
}

/** Node sends no control characters and nothing beyond Latin-1 in a path. */
function sendable(path: string): string {
  return path.replace(/[^\u0021-\u00ff]/g, (character) => encodeURIComponent(character));
}

function wellFormed(text: string): string {
  return text.toWellFormed();
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

export function sendHostile(
  url: string,
  { method, path, headers, body }: HostileRequest,
): Promise<HostileAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    // Node frames no body of a GET by itself.
    const framed =
      body === undefined ? headers : { ...headers, 'Content-Length': String(Buffer.byteLength(body)) };
    const sent = send({ hostname, port, method, path, headers: framed, agent }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
      );
      answer.on('error', () => resolve({ status: 0, text: '' }));
    });
    sent.on('error', () => resolve({ status: 0, text: '' }));
    sent.end(body);
  });
}

/** Why an answer is none that a sound server gives; undefined for a good one. */
export function faultOf({ method }: HostileRequest, { status, text }: HostileAnswer): string | undefined {
  if (status === 0) return 'no answer';
  if (status === 500 || status > 501) return `status ${status}`;
  if (status < 400 || method === 'HEAD') return undefined;
  const body = (() => {
    try {
      return JSON.parse(text) as { code?: unknown; message?: unknown; detail?: unknown };
    } catch {
      return undefined;
    }
  })();
  if (body === undefined || body.code !== status || typeof body.message !== 'string') return 'no clean error';
  // What only somebody who sees the inside could say.
  return /\bat \S+ \(|node_modules|\.ts:\d+|syntax error at or near|relation "|column "|pg_/.test(text)
    ? 'a leak'
    : undefined;
}
