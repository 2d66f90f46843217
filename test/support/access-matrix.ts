import { ADMIN_PASSWORD } from './api.ts';
import { type HostileTarget, USER_PASSWORD } from './hostile-target.ts';

const CALLERS = [
  ['anonymous', 'anonymous'],
  ['eve', USER_PASSWORD],
  ['svc-admin', ADMIN_PASSWORD],
] as const;

interface Described {
  readonly paths: Record<
    string,
    Record<string, { readonly operationId: string; readonly parameters?: readonly Parameter[] }>
  >;
}

interface Parameter {
  readonly name: string;
  readonly schema: { readonly enum?: readonly string[] };
}

interface Row {
  readonly resource: string;
  readonly what: string;
  readonly verb: string;
  readonly path: string;
}

/**
 * Asks for everything that the API description names, as anonymous, as a user and as the administrator, and writes down
 * who was let through the door. Writes are rehearsed only. Whoever says nothing of themselves gets 401 to all of it.
 *
 * @returns lines of a Markdown table
 */
export async function accessMatrix({ server }: Pick<HostileTarget, 'server'>): Promise<string[]> {
  const described = (await (await fetch(`${server.url}/docs/openapi.json`)).json()) as Described;
  const own = (await server.api('GET', 'managed/user/eve', { user: 'eve', password: USER_PASSWORD }))
    .body as object;
  const lines = [
    '| resource | request | anonymous | user | administrator |',
    '| --- | --- | --- | --- | --- |',
  ];
  for (const { resource, what, verb, path } of rowsOf(described)) {
    const cells = await Promise.all(
      CALLERS.map(async ([user, password]) => {
        const content = resource.endsWith('{own}') && verb === 'PUT' ? own : verb === 'PATCH' ? [] : {};
        const body = verb === 'GET' || verb === 'DELETE' ? {} : { body: content };
        const { status, body: answer } = await server.api(verb, path, { user, password, ...body });
        if (status === 401) throw new Error(`${user} is nobody`);
        // Policies and missing passwords are 403 too, but beyond the door.
        return status === 403 && answer.detail?.id === 'ACCESS_DENIED' ? '–' : 'yes';
      }),
    );
    const nobody = await server.api(verb, path, { user: null, ...(verb === 'GET' ? {} : { body: {} }) });
    if (nobody.status !== 401) throw new Error(`${verb} ${path} is ${nobody.status} without credentials`);
    lines.push(`| \`${resource}\` | ${what} | ${cells.join(' | ')} |`);
  }
  return lines;
}

function* rowsOf({ paths }: Described): Generator<Row> {
  for (const [resource, item] of Object.entries(paths)) {
    yield* rowsAt(resource, resource.slice(1).replace(/\{\w+\}/g, 'nothing'), item);
    // What is the caller's own.
    if (resource === '/managed/user/{id}') yield* rowsAt('/managed/user/{own}', 'managed/user/eve', item);
  }
}

function* rowsAt(resource: string, path: string, item: Described['paths'][string]): Generator<Row> {
  const at = (what: string, verb: string, parameters: string): Row => ({
    resource,
    what,
    verb,
    path: `${path}?${parameters}`,
  });
  for (const [verb, { operationId, parameters = [] }] of Object.entries(item)) {
    if (verb === 'parameters') continue;
    const names = new Set(parameters.map(({ name }) => name));
    const actions = parameters.find(({ name }) => name === '_action')?.schema.enum ?? [];
    const kind = operationId.slice(0, operationId.indexOf('-'));
    if (verb === 'get') {
      if (kind === 'read') yield at('read', 'GET', '');
      if (names.has('_queryFilter')) yield at('query', 'GET', '_queryFilter=true&_pageSize=1');
      continue;
    }
    if (kind !== 'action') yield at(kind, verb.toUpperCase(), '_dryRun=true');
    for (const action of actions) yield at(`action ${action}`, 'POST', `_action=${action}&_dryRun=true`);
  }
}
