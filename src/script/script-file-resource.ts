import type { ScriptOverlay } from '#config/index.ts';
import {
  BadRequestError,
  didYouMean,
  ForbiddenError,
  NotFoundError,
  PayloadTooLargeError,
  PreconditionFailedError,
} from '#errors/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import {
  ActionTable,
  actionResult,
  answerFromMemory,
  type Context,
  isWrite,
  NO_BODY,
  type Request,
  type Resource,
  type RouteHandler,
  resource,
  unsupported,
  type WriteContext,
  writeContext,
} from '#resource/index.ts';
import { type ListedScript, listScripts, namesOf, readScript, revisionOfText } from './script-files.ts';
import type { SourceDirectory } from './script-sources.ts';
import { requiredLines, type ScriptUsage, usagesIn } from './script-usages.ts';
import { requireSet, type ScriptWriter } from './script-writer.ts';

export interface ScriptFileOptions {
  /** As `script.json` declares them. */
  readonly sources: () => readonly SourceDirectory[];
  readonly maySeeScripts: (context: Context) => Promise<boolean>;
  /** The scripts that were set through REST. */
  readonly overlay: ScriptOverlay;
  /** Takes over what another node or thread has changed. */
  readonly refresh: () => Promise<void>;
  readonly writer: ScriptWriter;
  /** What may name scripts, with its kind and its id. */
  readonly users: (context: Context) => AsyncIterable<{
    readonly kind: ScriptUsage['kind'];
    readonly id: string;
    readonly content: JsonValue;
  }>;
}

/** How many usages of one script are shown. */
const MOST_USAGES = 1_000;

/**
 * `/script/file`: the scripts of the sources, which place of one wins, what stands in it, and who uses it. What is written here
 * stands in front of the files, on all nodes.
 */
export function scriptFileResource(options: ScriptFileOptions): RouteHandler {
  const actions = new ActionTable<[path: string]>({
    usages: {
      does: 'Tells where a script is used: in configurations, schedules and other scripts',
      takes: NO_BODY,
      answers: { type: 'object' },
      // Their texts are parsed.
      runsScripts: true,
      run: async (context, _request, path) => actionResult(await usagesOf(options, context, path)),
    },
    revertToFile: {
      does: 'Takes back what was set through /script/file, so that the file is in force again, if there is one',
      takes: NO_BODY,
      answers: { type: 'object' },
      runsScripts: true,
      run: async (context, request, path) => {
        requireSet(options.overlay.texts, path);
        const written = await write(options, context, { path, text: undefined, request });
        return actionResult(written.content);
      },
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
      // Whoever reads after a write sees it, whichever thread or node took the write.
      await options.refresh();
      if (request.method === 'create') {
        if (request.newResourceId === null) {
          throw new BadRequestError('A script needs a path', {
            id: 'SCRIPT_FILE_BAD_PATH',
            hint: 'PUT it to /script/file/<path>',
          });
        }
        const at = [...remaining, request.newResourceId].join('/');
        return write(options, writeContext(context), { path: at, text: textOf(request.content), request });
      }
      if (request.method === 'update' && path !== '') {
        return write(options, writeContext(context), { path, text: textOf(request.content), request });
      }
      if (request.method === 'delete' && path !== '') {
        return write(options, writeContext(context), { path, text: null, request });
      }
      if (request.method === 'query' && path === '') {
        const scripts = await listed(options);
        return answerFromMemory(request, scripts.map(describeScript), FIELDS);
      }
      if (request.method === 'read' && path !== '') {
        const script = (await namedScript(options, path)) ?? (await findScript(options, path));
        const content = await readScript(script);
        if (content === undefined) throw tooLong(script);
        return resource(script.path, revisionOfText(content), { ...describeScript(script), content });
      }
      if (request.method === 'action' && path !== '') {
        return actions.run(writeContext(context), request, path);
      }
      return unsupported(request);
    },
    // What is written is compiled, and rules are tried.
    runsScripts: (request) => (request.method === 'action' ? actions.runsScripts(request) : isWrite(request)),
    describe: (path) => [
      { path, kind: 'collection', title: 'scripts of the sources', methods: ['query'], actions: [] },
      {
        path: `${path}/{id}`,
        kind: 'instance',
        title: 'scripts of the sources',
        methods: ['read', 'update', 'delete', 'action'],
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

function listed({ sources, overlay }: ScriptFileOptions): Promise<readonly ListedScript[]> {
  return listScripts(sources(), overlay.texts);
}

/** @param asked text: null to delete it, undefined for what the sources have */
async function write(
  options: ScriptFileOptions,
  context: WriteContext,
  { path, text, request }: { path: string; text: string | null | undefined; request: Request },
): Promise<Resource> {
  const before = (await listed(options)).find((script) => script.path === path);
  if (before === undefined && (request.method === 'update' || request.method === 'delete')) {
    await findScript(options, path);
  }
  if (before !== undefined && request.method === 'create' && request.orUpdate !== true) {
    throw new PreconditionFailedError(`There is a script '${path}' already`, { id: 'SCRIPT_FILE_EXISTS' });
  }
  const files = (await listScripts(options.sources())).find((script) => script.path === path);
  // Nothing stays of a script that is in no file.
  const kept = text === null && files === undefined ? undefined : text;
  const operation = text === null ? 'delete' : before === undefined ? 'create' : 'update';
  const warnings = await options.writer.write(context, options.sources(), {
    path,
    operation,
    revision: 'revision' in request ? request.revision : null,
    text: kept,
    before,
    force: request.parameters['force'] === 'true',
  });
  const after = new Map(options.overlay.texts);
  if (kept === undefined) after.delete(path);
  else after.set(path, kept);
  const written = (await listScripts(options.sources(), after)).find((script) => script.path === path);
  const shown = text === null ? before : written;
  if (shown === undefined) return resource(path, null, { _id: path });
  const content = (await readScript(shown)) ?? '';
  const said = warnings.length === 0 ? {} : { warnings: [...warnings] };
  const answer = resource(path, revisionOfText(content), { ...describeScript(shown), content, ...said });
  return operation === 'create' && request.method === 'create' ? { ...answer, created: true } : answer;
}

/** @throws BadRequestError when it is no text */
function textOf({ content }: JsonObject): string {
  if (typeof content === 'string' && !content.includes('\0')) return content;
  throw new BadRequestError('A script is sent as the text of `content`', {
    id: 'SCRIPT_FILE_NO_CONTENT',
    field: '/content',
    hint: 'Such as {"content": "1 + 1"}',
  });
}

/** By what configurations and scripts may call it, such as `script/access.js` for `access.js`; its own path comes first. */
async function namedScript(options: ScriptFileOptions, name: string): Promise<ListedScript | undefined> {
  const scripts = await listed(options);
  const own = scripts.find((script) => script.path === name);
  return own ?? scripts.find((script) => namesOf(script, options.sources()).has(name));
}

/** Finds only scripts that are listed, so no path leads anywhere else. */
async function findScript(options: ScriptFileOptions, path: string): Promise<ListedScript> {
  const scripts = await listed(options);
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
  for (const other of await listed(options)) {
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
