import { type ConfigStore, definitionOf, formatConfigId, parseConfigId } from '#config/index.ts';
import {
  BadRequestError,
  ConflictError,
  didYouMean,
  NotFoundError,
  PreconditionFailedError,
} from '#errors/index.ts';
import { firstOf, isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import {
  ActionTable,
  actionResult,
  answerFromMemory,
  applyPatch,
  bodyOf,
  type Context,
  formatPath,
  hasTransform,
  isWrite,
  NO_BODY,
  parsePath,
  plainQuery,
  type Request,
  type Resource,
  type Response,
  type RouteHandler,
  resource,
  type Transform,
  unsupported,
  warnOfUnknownField,
  writeContext,
} from '#resource/index.ts';
import { besideAskedFor, findingView, refusedFiles, viewBeside } from './config-view.ts';
import { asObject, type ConfigWrite, ConfigWriter, type ConfigWriterOptions } from './config-writer.ts';
import { listChanges } from './list-changes.ts';
import { sealed } from './seal-config.ts';

export interface ConfigResourceOptions extends ConfigWriterOptions {
  /** Runs the script of a `transform` operation. */
  readonly transform: (context: Context) => Transform;
  /** Takes over what another node or thread has changed. */
  readonly refresh: () => Promise<void>;
}

/** `/config` and `/config/<id>[/<alias>]`: the configuration files, raw, and changes of them for all nodes. */
export function configResource(options: ConfigResourceOptions): RouteHandler {
  return {
    envelopes: 'judges',
    async handle(context, request, match) {
      // Whoever reads after a write sees it, whichever thread or node took the write.
      if (!isWrite(request) || request.method === 'action') await options.refresh();
      const scope = new ConfigScope(options, context, request);
      if (request.method === 'create') {
        const path = [...match.remaining, ...(request.newResourceId === null ? [] : [request.newResourceId])];
        if (request.newResourceId === null) {
          throw new BadRequestError('A configuration needs an id', {
            id: 'CONFIG_NO_ID',
            hint: 'PUT it to /config/<id> or /config/<factory>/<alias>',
          });
        }
        if (path.length === 1 && isFactory(options.store, firstOf(path))) {
          throw new BadRequestError(`'${path[0]}' is the name of many configurations`, {
            id: 'CONFIG_NO_ID',
            hint: `PUT it to /config/${path[0]}/<alias>`,
          });
        }
        requireNoFileName(options.store, path);
        return scope.create(idOf(path), request.content, request.orUpdate === true);
      }
      if (match.remaining.length === 0) return scope.onRoot(request);
      if (request.method === 'read' && match.remaining.join('/') === '_refused') {
        return refusedFiles(options.store);
      }
      if (request.method === 'action')
        return ACTIONS.run(writeContext(context), request, scope, idOf(match.remaining));
      return scope.onConfiguration(idOf(match.remaining), request);
    },
    describe: (path) => [
      { path, kind: 'collection', title: 'configuration', methods: ['read', 'query'], actions: [] },
      {
        path: `${path}/{id}`,
        kind: 'instance',
        title: 'configuration',
        methods: ['read', 'update', 'patch', 'delete', 'action'],
        actions: ACTIONS.describe(),
      },
      { path: `${path}/_refused`, kind: 'singleton', title: 'refused files', methods: ['read'], actions: [] },
    ],
    // Filters of router.json are tried before they come in force.
    runsScripts: (request) => hasTransform(request) || (isWrite(request) && isAbout(request, 'router')),
    asksOthers: false,
  };
}

const ACTIONS = new ActionTable<[scope: ConfigScope, id: string]>(
  {
    plan: {
      does: 'Tells what would follow from a `content`: what is wrong or doubtful, what changes, what it means for what there is',
      takes: bodyOf(
        { content: { type: ['object', 'null'], description: 'null: that it is deleted' } },
        'content',
      ),
      answers: { type: 'object' },
      run: async (_context, request, scope, id) => actionResult(await scope.plan(id, request.content)),
    },
    revertToFile: {
      does: 'Takes back what was set through /config, so that the file is in force again',
      takes: NO_BODY,
      answers: { type: 'object' },
      run: async (_context, _request, scope, id) => ({
        ...actionResult(await scope.revertToFile(id)),
        shows: ['config', ...parsePath(id)],
      }),
    },
  },
  { anyCase: true, refuse: (request) => unsupported(request) },
);

class ConfigScope {
  readonly #options: ConfigResourceOptions;
  readonly #context: Context;
  readonly #request: Request;
  readonly #writer: ConfigWriter;

  constructor(options: ConfigResourceOptions, context: Context, request: Request) {
    this.#options = options;
    this.#context = context;
    this.#request = request;
    this.#writer = new ConfigWriter(options, context, request);
  }

  async onRoot(request: Request): Promise<Response> {
    const { store } = this.#options;
    if (request.method === 'query') {
      const beside = await this.#beside(store.ids());
      const rows = store.ids().map((id) => ({
        ...this.#shown(id, asObject(store.findRaw(id))),
        ...beside(id),
        _id: id,
        ...(this.#context.client.isExternal ? { _rev: store.revisionOf(id) } : {}),
      }));
      const fields = [...new Set(rows.flatMap((row) => Object.keys(row)))];
      const asked = { ...plainQuery(request), sortKeys: request.sortKeys };
      return { ...answerFromMemory(request, rows), ...warnOfUnknownField(asked, 'config', fields) };
    }
    if (request.method !== 'read') return unsupported(request);
    const configurations = store.ids().map((id) => {
      const factory = id.includes('/') ? definitionOf(id) : null;
      return { _id: id, pid: id.replace('/', '.'), factoryPid: factory };
    });
    return resource('', null, { configurations });
  }

  async onConfiguration(id: string, request: Request): Promise<Resource> {
    const revision = 'revision' in request ? request.revision : null;
    switch (request.method) {
      case 'read':
        return this.#resource(id, { ...this.#get(id), ...(await this.#beside([id]))(id) });
      case 'update':
        this.#get(id);
        return this.#write({ id, operation: 'update', revision, sent: request.content });
      case 'patch': {
        if (hasTransform(request)) {
          await this.#options.requireScriptRight(this.#context, '/value/script');
        }
        const after = await applyPatch(this.#get(id), request.operations, {
          budget: this.#context.budget,
          transform: this.#options.transform(this.#context),
        });
        return this.#write({ id, operation: 'update', isPatch: true, revision, sent: after });
      }
      case 'delete': {
        const before = this.#get(id);
        await this.#write({ id, operation: 'delete', revision, sent: null });
        return resource(id, null, before);
      }
      default:
        return unsupported(request);
    }
  }

  async create(id: string, content: JsonObject, orUpdate: boolean): Promise<Resource> {
    const exists = this.#options.store.findRaw(id) !== undefined;
    if (exists && !orUpdate) {
      throw new PreconditionFailedError(`Configuration '${id}' exists already`, { id: 'CONFIG_EXISTS' });
    }
    const operation = exists ? 'update' : 'create';
    const written = await this.#write({ id, operation, revision: null, sent: content });
    return exists ? written : { ...written, created: true };
  }

  #get(id: string): JsonObject {
    const raw = this.#options.store.findRaw(id);
    if (raw === undefined) throw unknownConfiguration(this.#options.store, id);
    return this.#shown(id, asObject(raw));
  }

  #shown(id: string, content: JsonObject): JsonObject {
    return sealed(id, content, !this.#context.client.isExternal);
  }

  /** Takes back what was set through `/config`. */
  async revertToFile(id: string): Promise<JsonObject> {
    const { store } = this.#options;
    const { kind } = store.originOf(id);
    if (kind !== 'override') {
      throw new ConflictError(`Configuration '${id}' is that of its file already`, {
        id: 'CONFIG_NO_OVERRIDE',
        hint: 'Only what was set through /config is taken back',
      });
    }
    const isKept = store.fileText(id) !== undefined || !id.includes('/');
    const operation = isKept ? (store.findRaw(id) === undefined ? 'create' : 'update') : 'delete';
    const { shown } = await this.#writer.write({ id, operation, revision: null });
    return { _id: id, ...shown };
  }

  /** What would follow from a content, or from none. */
  async plan(id: string, sent: JsonValue): Promise<JsonObject> {
    const { content } = asObject(sent);
    // What was forgotten is no deletion.
    if (content === undefined || (content !== null && !isObject(content))) {
      throw new BadRequestError('A plan needs the content that the configuration is to have', {
        id: 'CONFIG_NO_CONTENT',
        field: '/content',
        hint: 'An object, or null for what follows when it is deleted',
      });
    }
    const operation = content === null ? 'delete' : 'update';
    const plan = await this.#writer.plan({ id, operation, revision: null, sent: content });
    return {
      findings: plan.findings.map(findingView),
      warnings: plan.warnings.map(findingView),
      changes: listChanges(plan.before, plan.after),
      effects: [...plan.effects],
    };
  }

  async #write(write: ConfigWrite): Promise<Resource> {
    const { shown, revision, warnings } = await this.#writer.write(write);
    const known = this.#context.client.isExternal ? revision : null;
    if (shown === null || warnings.length === 0) return resource(write.id, known, shown ?? {});
    // Warnings are part of the answer to the write; later reads do not repeat them.
    return resource(write.id, known, { ...shown, warnings: [...warnings] });
  }

  #beside(ids: readonly string[]): Promise<(id: string) => JsonObject> {
    return viewBeside(this.#options, ids, besideAskedFor(this.#request));
  }

  /** Scripts of the server are shown a configuration as it is written, and no more. */
  #resource(id: string, content: JsonObject): Resource {
    const { isExternal } = this.#context.client;
    return resource(id, isExternal ? this.#options.store.revisionOf(id) : null, content);
  }
}

function unknownConfiguration(store: ConfigStore, id: string): NotFoundError {
  const hint = didYouMean(
    id.replace(/^(\w+)-/, (_, name) => (isFactory(store, name) ? `${name}/` : `${name}-`)),
    store.ids(),
  );
  return new NotFoundError(`Configuration '${id}' not found`, hint === undefined ? {} : { hint });
}

/** `endpoint-x` is how the file is named; as an id it would be a configuration that nobody reads. */
function requireNoFileName(store: ConfigStore, [name = '', ...rest]: readonly string[]): void {
  const [, factory = '', alias = ''] = /^([^-]+)-(.+)$/.exec(name) ?? [];
  if (rest.length > 0 || !isFactory(store, factory)) return;
  throw new BadRequestError(`'${name}' is the name of a file, and not the id of a configuration`, {
    id: 'CONFIG_BAD_ID',
    hint: `Did you mean '${factory}/${alias}'?`,
  });
}

/** Whether the name stands for many configurations, each with an alias. */
function isFactory(store: ConfigStore, name: string): boolean {
  return store.definitions.get(name)?.kind === 'factory';
}

function isAbout(request: Request, id: string): boolean {
  return (request.method === 'create' ? request.newResourceId : request.path[1]) === id;
}

function idOf(path: readonly string[]): string {
  return formatConfigId(parseConfigId(formatPath(path)));
}
