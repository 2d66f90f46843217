import { didYouMean, ForbiddenError, NotFoundError, PayloadTooLargeError } from '#errors/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import {
  ActionTable,
  actionResult,
  answerFromMemory,
  type Context,
  type RouteHandler,
  resource,
  unsupported,
  writeContext,
} from '#resource/index.ts';
import { type ListedScript, listScripts, namesOf, readScript, revisionOfText } from './script-files.ts';
import type { SourceDirectory } from './script-sources.ts';
import { requiredLines, type ScriptUsage, usagesIn } from './script-usages.ts';

export interface ScriptFileOptions {
  /** As `script.json` declares them. */
  readonly sources: () => readonly SourceDirectory[];
  readonly maySeeScripts: (context: Context) => Promise<boolean>;
  /** What may name scripts, with its kind and its id. */
  readonly users: (context: Context) => AsyncIterable<{
    readonly kind: ScriptUsage['kind'];
    readonly id: string;
    readonly content: JsonValue;
  }>;
}

/** Of one script. */
const MOST_USAGES = 1_000;

/** `/script/file`: the scripts of the sources, which place of one wins, what stands in it, and who uses it. */
export function scriptFileResource(options: ScriptFileOptions): RouteHandler {
  const actions = new ActionTable<[path: string]>({
    usages: {
      does: 'Tells where a script is used: in configurations, schedules and other scripts',
      // Their texts are parsed.
      runsScripts: true,
      run: async (context, _request, path) => actionResult(await usagesOf(options, context, path)),
    },
  });
  return {
    async handle(context, request, { remaining }) {
      if (!(await options.maySeeScripts(context))) {
        throw new ForbiddenError('Scripts are shown to those who may evaluate scripts', {
          id: 'SCRIPT_FILES_NOT_YOURS',
        });
      }
      const path = remaining.join('/');
      if (request.method === 'query' && path === '') {
        const scripts = await listScripts(options.sources());
        return answerFromMemory(request, scripts.map(describeScript), FIELDS);
      }
      if (request.method === 'read' && path !== '') {
        const script = await findScript(options, path);
        const content = await readScript(script);
        if (content === undefined) throw tooLong(script);
        return resource(path, revisionOfText(content), { ...describeScript(script), content });
      }
      if (request.method === 'action' && path !== '') {
        return actions.run(writeContext(context), request, path);
      }
      return unsupported(request);
    },
    runsScripts: (request) => request.method === 'action' && actions.runsScripts(request),
    describe: (path) => [
      { path, kind: 'collection', title: 'scripts of the sources', methods: ['query'], actions: [] },
      {
        path: `${path}/{id}`,
        kind: 'instance',
        title: 'scripts of the sources',
        methods: ['read', 'action'],
        actions: actions.describe(),
      },
    ],
    asksOthers: false,
  };
}

const FIELDS = ['_id', 'type', 'source', 'bytes', 'sources'];

function describeScript({ path, places }: ListedScript): JsonObject {
  const [first] = places;
  return {
    _id: path,
    type: path.toLowerCase().endsWith('.groovy') ? 'groovy' : 'text/javascript',
    source: first?.source ?? null,
    bytes: first?.bytes ?? 0,
    sources: places.map(({ source }) => source),
  };
}

/** Only what is listed is shown, so no path leads anywhere else. */
async function findScript({ sources }: ScriptFileOptions, path: string): Promise<ListedScript> {
  const scripts = await listScripts(sources());
  const found = scripts.find((script) => script.path === path);
  if (found !== undefined) return found;
  const hint = didYouMean(
    path,
    scripts.map((script) => script.path),
  );
  throw new NotFoundError(`There is no script '${path}'`, {
    id: 'SCRIPT_FILE_NOT_FOUND',
    ...(hint === undefined ? {} : { hint }),
  });
}

function tooLong({ path }: ListedScript): PayloadTooLargeError {
  return new PayloadTooLargeError(`The script '${path}' is too long to be shown`, {
    id: 'SCRIPT_FILE_TOO_LONG',
    hint: 'Read it on the disk of the node',
  });
}

async function usagesOf(options: ScriptFileOptions, context: Context, path: string): Promise<JsonObject> {
  const script = await findScript(options, path);
  const names = namesOf(script, options.sources());
  const usages: JsonObject[] = [];
  for await (const { kind, id, content } of options.users(context)) {
    usages.push(
      ...usagesIn(content, names).map(({ field }) => ({ kind, id, ...(kind === 'access' ? {} : { field }) })),
    );
  }
  for (const other of await listScripts(options.sources())) {
    if (other.path === path || other.path.toLowerCase().endsWith('.groovy')) continue;
    const source = (await readScript(other)) ?? '';
    const lines = requiredLines(source, other.path, names);
    usages.push(...lines.map((line) => ({ kind: 'script', id: other.path, line })));
  }
  return {
    _id: path,
    usages: usages.slice(0, MOST_USAGES),
    truncated: usages.length > MOST_USAGES,
  };
}
