import { scriptConfig } from '#config/index.ts';
import { ForbiddenError } from '#errors/index.ts';
import { isObject, type JsonValue } from '#json/index.ts';
import type { Feature, Platform } from '#platform/index.ts';
import {
  Connection,
  type Context,
  NO_PAGING,
  parseQueryFilter,
  type QueryResult,
  type Request,
  type RequestSink,
  resourceBody,
} from '#resource/index.ts';
import {
  bindingResource,
  type ScriptStore,
  type ScriptUses,
  ScriptWriter,
  scriptFileResource,
  scriptResource,
} from '#script/index.ts';
import { type AccessRules, accessRules, evaluateAccessFile } from '#security/index.ts';

/**
 * `/script`.
 *
 * @param uses of all features
 * @param store of scripts that are set through REST
 */
export function scriptFeature(platform: Platform, uses: ScriptUses, store: ScriptStore): Feature {
  const { scripts, config, router } = platform;
  const writer = new ScriptWriter({
    config,
    store,
    requireScriptRight: (context, field) => router.requireScriptRight(context, field),
    async mayWriteRules(context, text, path) {
      const rules = accessRules(config, () => scripts);
      rules.replace(await evaluateAccessFile(platform, text));
      const asked = { fields: [], parameters: {}, content: {} };
      const folder = ['script', 'file', ...path.split('/').slice(0, -1)];
      const newResourceId = path.split('/').at(-1) ?? path;
      const back = [
        { ...asked, method: 'create', path: folder, newResourceId, orUpdate: true },
        { ...asked, method: 'update', path: [...folder, newResourceId], revision: null },
      ] as const;
      const handle: typeof router.handle = (...request) => router.handle(...request);
      const granted = await Promise.all(back.map((request) => grantsOf(rules, context, request, handle)));
      return granted.every(Boolean);
    },
  });
  return {
    resources: {
      'script*': scriptResource(scripts, uses),
      'script/file*': scriptFileResource({
        sources: () =>
          Object.entries(config.get(scriptConfig).sources).map(([name, { directory }]) => ({
            name,
            directory,
          })),
        maySeeScripts: (context) => router.maySeeScripts(context),
        overlay: config.scripts,
        refresh: () => store.refresh(),
        writer,
        users: (context) => usersOfScripts(platform, context),
      }),
      'script/binding': bindingResource({
        uses,
        properties: () => config.get(scriptConfig).properties,
        // With the rights of the caller, and not as what the server itself asks.
        async readType(context: Context, type: string) {
          const request = {
            method: 'read',
            path: ['schema', 'managed', type],
            fields: [],
            parameters: {},
          } as const;
          const answer = await router.handle(context, request);
          const shown = answer.kind === 'resource' ? resourceBody(answer) : null;
          return isObject(shown) ? shown : {};
        },
      }),
    },
  };
}

/** A condition may say no with words of its own. */
async function grantsOf(
  rules: AccessRules,
  context: Context,
  request: Request,
  handle: RequestSink['handle'],
): Promise<boolean> {
  try {
    return await rules.grants(context, request, handle);
  } catch (error) {
    if (error instanceof ForbiddenError) return false;
    throw error;
  }
}

/** Where the server itself finds its rules. */
const ACCESS_FILE = 'script/access.js';
const PAGE = 500;

/** All that may name a script, but for other scripts. */
async function* usersOfScripts({ config, router }: Platform, context: Context) {
  yield { kind: 'access', id: 'access', content: ACCESS_FILE } as const;
  for (const id of config.ids()) {
    yield { kind: 'configuration', id, content: config.findRaw(id) ?? null } as const;
  }
  const connection = new Connection(router, context);
  let cookie: string | null = null;
  do {
    const page: QueryResult = await connection.query('scheduler/job', {
      queryFilter: parseQueryFilter('true'),
      paging: { ...NO_PAGING, pageSize: PAGE, ...(cookie === null ? {} : { cookie }) },
    });
    for (const job of page.result) {
      const { _id, ...content } = asMembers(resourceBody(job));
      // Schedules of files are told as configurations.
      if (config.findRaw(`schedule/${String(_id)}`) !== undefined) continue;
      yield { kind: 'schedule', id: String(_id), content } as const;
    }
    cookie = page.pagedResultsCookie;
  } while (cookie !== null);
}

function asMembers(body: JsonValue) {
  return isObject(body) ? body : {};
}
