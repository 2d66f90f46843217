import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { Api } from './api.ts';
import { eventually } from './eventually.ts';
import { startTestServer, type TestServer } from './server.ts';

/** A schedule whose scan is written with references to properties. */
function referring(group: string) {
  return {
    enabled: false,
    schedule: '0 0 2 * * ?',
    invokeService: 'taskscanner',
    invokeContext: {
      numberOfThreads: { $int: '&{scan.threads}' },
      scan: {
        object: 'managed/item',
        _queryFilter: `group eq "${group}"`,
        taskState: { started: '/task/started', completed: '/task/completed' },
      },
      task: { script: { type: 'text/javascript', file: 'script/sweep.js' } },
    },
  };
}

const FILES = {
  'conf/managed.json': {
    objects: [
      { name: 'mark' },
      { name: 'sync' },
      {
        name: 'item',
        schema: { properties: { serial: { type: 'string', policies: [{ policyId: 'unique' }] } } },
        onSync: {
          type: 'text/javascript',
          source:
            'if (newObject && newObject.group === "synced") svc.create("managed/sync", null, {}); null;',
        },
        onUpdate: {
          type: 'text/javascript',
          source:
            'if (object.refuses) throw { code: object.refuses === true ? 403 : object.refuses, message: "no update" };',
        },
      },
    ],
  },
  'conf/boot/boot.properties':
    'svc.taskscanner.maxcompletedruns=5\nscan.group=sweep\nscan.threads=2\nscan.password=hidden\n',
  'conf/schedule-referring.json': referring('&{scan.group}'),
  'conf/schedule-telling.json': referring('&{scan.password}'),
  'conf/schedule-sweep.json': {
    enabled: false,
    schedule: '0 0 2 * * ?',
    invokeService: 'taskscanner',
    invokeContext: {
      scan: {
        object: 'managed/item',
        _queryFilter: 'group eq "sweep"',
        taskState: { started: '/task/started', completed: '/task/completed' },
      },
      task: { script: { type: 'text/javascript', file: 'script/sweep.js' } },
    },
  },
  'script/sweep.js': 'svc.create("managed/mark", null, { item: input._id }); true;',
};

/** What a script of a scan leaves for each object. */
export const MARK = 'svc.create("managed/mark", null, { item: objectID, n: input.n }); true;';

/** What is posted for a scan of all items that have not been scanned. */
export function scan(source: string, more: object = {}, scanMore: object = {}) {
  return {
    numberOfThreads: 3,
    ...more,
    scan: {
      object: 'managed/item',
      _queryFilter: '!(/task/completed pr)',
      taskState: { started: '/task/started', completed: '/task/completed' },
      ...scanMore,
    },
    task: { script: { type: 'text/javascript', source } },
  };
}

/** A server with objects to scan, and what the tests do there. */
export function scanSite() {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({ files: FILES });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());
  afterEach(async () => {
    await sql`delete from managed_object`.execute(server.database.db);
  });

  const items = (count: number, content: object | ((n: number) => object) = {}) =>
    Promise.all(
      Array.from({ length: count }, (_, n) =>
        api('PUT', `managed/item/i${n}`, {
          body: { n, group: 'x', ...(typeof content === 'function' ? content(n) : content) },
        }),
      ),
    );
  const execute = async (body: object, parameters = '') =>
    api('POST', `taskscanner?_action=execute${parameters}`, { body });
  const perform = async (body: object) => {
    const { status, body: answer } = await execute(body, '&waitForCompletion=true');
    expect([status, answer]).toEqual([200, { _id: expect.any(String) }]);
    return (await api('GET', `taskscanner/${answer._id}`)).body;
  };
  const marks = async () =>
    (await api('GET', 'managed/mark?_queryFilter=true')).body.result
      .map((mark: { item: string }) => mark.item)
      .sort();
  const item = async (id: string) => (await api('GET', `managed/item/${id}`)).body;
  const ended = (id: string) =>
    eventually(
      async () => (await api('GET', `taskscanner/${id}`)).body,
      ({ progress }) => !['INITIALIZED', 'ACTIVE'].includes(progress.state),
    );
  return {
    get server() {
      return server;
    },
    get api() {
      return api;
    },
    items,
    execute,
    perform,
    marks,
    item,
    ended,
  };
}
