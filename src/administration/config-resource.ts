import {
  type ConfigStore,
  definitionOf,
  formatConfigId,
  parseConfigId,
  type RouterConfig,
} from '#config/index.ts';
import {
  BadRequestError,
  didYouMean,
  formatFinding,
  NotFoundError,
  PreconditionFailedError,
} from '#errors/index.ts';
import { firstOf, isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import {
  answerFromMemory,
  applyPatch,
  type Context,
  formatPath,
  hasTransform,
  isWrite,
  plainQuery,
  type Request,
  type Resource,
  type Response,
  type RouteHandler,
  requireSameId,
  requireStorableSize,
  resource,
  type Transform,
  unsupported,
  warnOfUnknownField,
  writeContext,
} from '#resource/index.ts';
import { lockOverrides, putOverride } from './config-override-repository.ts';
import { requireNothingOpened } from './operator-keys.ts';
import type { OverrideSeals } from './override-seals.ts';
import { requireCallerStays } from './require-caller-stays.ts';
import { type MeetFilters, requireWayBack } from './require-way-back.ts';
import { sealed, withKeptSecrets } from './seal-config.ts';

export interface ConfigResourceOptions {
  readonly store: ConfigStore;
  /** Encrypts the secrets of a configuration that are still plain. */
  readonly protect: (id: string, content: JsonObject) => Promise<JsonObject>;
  readonly seals: OverrideSeals;
  /** Runs the script of a `transform` operation. */
  readonly transform: (context: Context) => Transform;
  readonly meetFilters: MeetFilters;
  /** Takes over what another node or thread has changed. */
  readonly refresh: () => Promise<void>;
  /** Brings changes in force, here and on all other nodes. */
  readonly activate: () => Promise<void>;
}

/** `/config` and `/config/<id>[/<alias>]`: the configuration files, raw, and changes of them for all nodes. */
export function configResource(options: ConfigResourceOptions): RouteHandler {
  return {
    envelopes: 'judges',
    async handle(context, request, match) {
      // Whoever reads after a write sees it, whichever thread or node took the write.
      if (!isWrite(request)) await options.refresh();
      const scope = new ConfigScope(options, context, request.parameters);
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
      return scope.onConfiguration(idOf(match.remaining), request);
    },
    describe: (path) => [
      { path, kind: 'collection', title: 'configuration', methods: ['read', 'query'], actions: [] },
      {
        path: `${path}/{id}`,
        kind: 'instance',
        title: 'configuration',
        methods: ['read', 'update', 'patch', 'delete'],
        actions: [],
      },
    ],
    // Filters of router.json are tried before they come in force.
    runsScripts: (request) => hasTransform(request) || (isWrite(request) && isAbout(request, 'router')),
    asksOthers: false,
  };
}

class ConfigScope {
  readonly #options: ConfigResourceOptions;
  readonly #context: Context;
  readonly #parameters: Request['parameters'];

  constructor(options: ConfigResourceOptions, context: Context, parameters: Request['parameters']) {
    this.#options = options;
    this.#context = context;
    this.#parameters = parameters;
  }

  onRoot(request: Request): Response {
    const { store } = this.#options;
    if (request.method === 'query') {
      const rows = store.ids().map((id) => ({ ...this.#shown(id, asObject(store.findRaw(id))), _id: id }));
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
    switch (request.method) {
      case 'read':
        return resource(id, null, this.#get(id));
      case 'update':
        this.#get(id);
        return this.#write(id, request.content, 'update');
      case 'patch': {
        const after = await applyPatch(this.#get(id), request.operations, {
          budget: this.#context.budget,
          transform: this.#options.transform(this.#context),
        });
        return this.#write(id, after, 'update', true);
      }
      case 'delete': {
        const before = this.#get(id);
        await this.#write(id, null, 'delete');
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
    const written = await this.#write(id, content, exists ? 'update' : 'create');
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

  /** Checks as if it were in force already; it comes in force on all nodes after the commit. */
  async #write(
    id: string,
    sent: JsonObject | null,
    operation: 'create' | 'update' | 'delete',
    isPatch = false,
  ) {
    const { store, protect, seals, activate } = this.#options;
    const { unitOfWork, security } = writeContext(this.#context);
    const given = sent === null ? null : withoutWarnings(sent, store.definitions.has(id.split('/', 1)[0]!));
    if (given !== null) {
      requireSameId(given, id);
      requireNothingOpened(store, id, given);
    }
    const before = asObject(store.findRaw(id));
    const content =
      given === null
        ? null
        : await protect(
            id,
            withKeptSecrets(id, withoutIdentity(given), withoutIdentity(before), {
              properties: store.properties.ofFiles,
              client: this.#context.client,
            }),
          );
    const shown = content === null ? null : sealed(id, content);
    if (content !== null) requireStorableSize(`config/${id}`, content, store.findRaw(id));
    const text = content === null ? null : JSON.stringify(content, null, 2);
    const { findings, warnings, value } = await store.check(id, text ?? '{}');
    if (findings.length > 0 && (text !== null || !id.includes('/'))) {
      throw new BadRequestError(
        text === null
          ? `Configuration '${id}' cannot be deleted: the server needs it`
          : `Configuration '${id}' has ${findings.length} ${findings.length === 1 ? 'error' : 'errors'}`,
        { id: 'CONFIG_INVALID', detail: { findings: findings.map(formatFinding) } },
      );
    }
    if (id === 'authentication') requireCallerStays(this.#context, this.#parameters, before, content ?? {});
    if (id === 'router') {
      const { meetFilters } = this.#options;
      const context = writeContext(this.#context);
      await requireWayBack(context, this.#parameters, before, value as RouterConfig, meetFilters);
    }
    const db = await unitOfWork.db();
    await lockOverrides(db);
    const stored = content === null ? { content: null, sealed: null } : await seals.seal(id, content);
    await putOverride(db, { id, ...stored }, security.authenticationId);
    unitOfWork.record({
      resource: `config/${id}`,
      operation,
      isPatch,
      before: store.findRaw(id) === undefined ? null : sealed(id, before),
      after: shown,
    });
    unitOfWork.afterCommit(`configuration ${id}`, activate);
    if (text === null || warnings.length === 0) return resource(id, null, shown ?? {});
    // Who saves it is told; later reads do not repeat it.
    return resource(id, null, { ...shown, warnings: [...warnings] });
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

function asObject(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** What an answer has told may come back with it. */
function withoutWarnings({ warnings, ...content }: JsonObject, isRead: boolean): JsonObject {
  return warnings === undefined || isRead ? content : { ...content, warnings };
}

function withoutIdentity({ _id, _rev, ...content }: JsonObject): JsonObject {
  return content;
}
