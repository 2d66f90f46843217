import { withoutSeals } from '#crypto/index.ts';
import type { Database } from '#database/index.ts';
import { BadRequestError, ConflictError, NotFoundError, PreconditionFailedError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { lastOf } from '#json/index.ts';
import {
  type ActionRequest,
  type Context,
  formatPath,
  newIdOf,
  type PredefinedQueries,
  plainQuery,
  type QueryFilter,
  questionReaderOf,
  type Request,
  type Resource,
  type ResourcePath,
  type Response,
  type RouteHandler,
  readerOf,
  requireSameId,
  requireStorableSize,
  resource,
  type SortKey,
  unsupported,
  warnOfUnknownField,
  writeContext,
} from '#resource/index.ts';
import {
  changeObject,
  createObject,
  deleteObject,
  findObject,
  findOwn,
  mayBePending,
} from './object-repository.ts';
import { objectStore, type StoredObject } from './object-store.ts';
import { pageTotals } from './page-result.ts';
import { queryObjects } from './query-objects.ts';
import { requireNoSecrets, sealObject } from './seal-object.ts';

export interface RepoOptions {
  /** Where commands about links are asked for, which clients of the field send to `repo/links`. */
  readonly commandLinks?: (context: Context, request: ActionRequest) => Promise<Response>;
  readonly queries: () => PredefinedQueries;
  /** Members of the objects of a collection that nobody outside is shown. */
  readonly privates: (path: ResourcePath) => ReadonlySet<string>;
  /** What the objects of a collection are declared to have; undefined where nothing is declared. */
  readonly declared: (path: ResourcePath) => readonly string[] | undefined;
}

/**
 * `/repo/<path>[/{id}]`: what is stored, raw: no hooks, no policies. Callers from outside are shown seals in place of
 * secrets, and may send them back.
 */
export function repoResource(database: Database, options: RepoOptions): RouteHandler {
  return {
    envelopes: 'judges',
    async handle(context, request, match) {
      const scope = new RepoScope(database, context, request, options);
      const onCollection = request.method === 'create' || request.method === 'query';
      const path = match.remaining;
      if (request.method === 'action' && options.commandLinks !== undefined && formatPath(path) === 'links') {
        return options.commandLinks(context, request);
      }
      if (path.length < (onCollection ? 1 : 2)) {
        throw new BadRequestError(`'${formatPath(request.path)}' is not the path of a stored object`, {
          id: 'REPO_BAD_PATH',
          hint: 'Such as repo/internal/user/<id>',
        });
      }
      return onCollection ? scope.onCollection(path) : scope.onObject(path.slice(0, -1), lastOf(path));
    },
    describe: (path) => [
      {
        path: `${path}/{type}`,
        kind: 'collection',
        title: 'raw objects',
        methods: ['create', 'query'],
        actions: [],
      },
      {
        path: `${path}/{type}/{id}`,
        kind: 'instance',
        title: 'raw objects',
        methods: ['read', 'update', 'delete'],
        actions: [],
      },
    ],
  };
}

class RepoScope {
  readonly #database: Database;
  readonly #context: Context;
  readonly #request: Request;
  readonly #options: RepoOptions;

  constructor(database: Database, context: Context, request: Request, options: RepoOptions) {
    this.#options = options;
    this.#database = database;
    this.#context = context;
    this.#request = request;
  }

  async onCollection(path: ResourcePath): Promise<Response> {
    const request = this.#request;
    if (request.method === 'create') {
      const { content, orUpdate } = request;
      const id = newIdOf(request);
      if (
        orUpdate === true &&
        (await findObject(await this.#reader(), objectStore(path), id)) !== undefined
      ) {
        return this.#update(path, id, null, content);
      }
      return this.#create(path, id, content);
    }
    if (request.method !== 'query') return unsupported(request);
    const query = plainQuery(request, this.#options.queries());
    if (this.#context.client.isExternal) {
      requireNoSecrets(query.filter, request.sortKeys, this.#options.privates(path));
    }
    const page = await queryObjects(await this.#questionReader(), objectStore(path), request, query);
    return {
      kind: 'query',
      result: page.rows.map((row) => this.#answer(path, row, query.idsOnly)),
      ...pageTotals(page),
      ...this.#doubts(path, query.filter, request.sortKeys),
    };
  }

  #doubts(path: ResourcePath, filter: QueryFilter, sortKeys: readonly SortKey[]) {
    const declared = this.#options.declared(path);
    if (declared === undefined) return {};
    const privates = this.#options.privates(path);
    const suggested = declared.filter((name) => !privates.has(name));
    return warnOfUnknownField({ filter, sortKeys }, `repo/${formatPath(path)}`, declared, suggested);
  }

  async onObject(path: ResourcePath, id: string): Promise<Response> {
    const request = this.#request;
    switch (request.method) {
      case 'read':
        return this.#answer(path, await this.#get(path, id));
      case 'update':
        requireSameId(request.content, id);
        return this.#update(path, id, request.revision, request.content);
      case 'delete':
        return this.#delete(path, id, request.revision);
      default:
        return unsupported(request);
    }
  }

  async #create(path: ResourcePath, id: string, content: JsonObject): Promise<Resource> {
    const { _id, _rev, ...given } = content;
    const data = this.#opened(path, given);
    const { unitOfWork } = writeContext(this.#context);
    const name = `repo/${formatPath([...path, id])}`;
    requireStorableSize(name, data);
    if (!(await createObject(unitOfWork, objectStore(path), id, data))) {
      throw new PreconditionFailedError(`Object '${name}' exists already`, { id: 'OBJECT_EXISTS' });
    }
    const privates = this.#options.privates(path);
    unitOfWork.record({ resource: name, operation: 'create', before: null, after: data, privates });
    return { ...this.#answer(path, { id, rev: 0, data }), created: true };
  }

  async #update(
    path: ResourcePath,
    id: string,
    revision: string | null,
    content: JsonObject,
  ): Promise<Resource> {
    const { _id, _rev, ...given } = content;
    const { unitOfWork } = writeContext(this.#context);
    const before = await this.#getForChange(path, id);
    requireRevision(path, before, revision);
    const data = this.#opened(path, given, before);
    const name = `repo/${formatPath([...path, id])}`;
    requireStorableSize(name, data, before.data);
    const rev = await changeObject(unitOfWork, objectStore(path), id, before.rev, data);
    unitOfWork.record({
      resource: name,
      operation: 'update',
      before: before.data,
      after: data,
      privates: this.#options.privates(path),
    });
    return this.#answer(path, { id, rev: rev!, data });
  }

  async #delete(path: ResourcePath, id: string, revision: string | null): Promise<Resource> {
    if (revision === null) {
      throw new ConflictError('Deleting a raw object needs its revision', {
        id: 'REPO_NEEDS_REVISION',
        hint: 'Send If-Match with the _rev of the object',
      });
    }
    const { unitOfWork } = writeContext(this.#context);
    const before = this.#found(
      path,
      id,
      await findObject(await unitOfWork.db(), objectStore(path), id, { lock: true }),
    );
    requireRevision(path, before, revision);
    await deleteObject(await unitOfWork.db(), objectStore(path), id, before.rev);
    unitOfWork.record({
      resource: `repo/${formatPath([...path, id])}`,
      operation: 'delete',
      before: before.data,
      after: null,
      privates: this.#options.privates(path),
    });
    return this.#answer(path, before);
  }

  #answer(path: ResourcePath, { id, rev, data }: StoredObject, idOnly = false): Resource {
    return resource(id, String(rev), idOnly ? {} : this.#shown(path, data));
  }

  /** Scripts of the server get what is stored as it is. */
  #shown(path: ResourcePath, data: JsonObject): JsonObject {
    return this.#context.client.isExternal ? sealObject(data, this.#options.privates(path)) : data;
  }

  #opened(path: ResourcePath, given: JsonObject, before?: StoredObject): JsonObject {
    if (!this.#context.client.isExternal) return given;
    const shown = before === undefined ? undefined : this.#shown(path, before.data);
    return withoutSeals(given, shown, before?.data);
  }

  async #getForChange(path: ResourcePath, id: string): Promise<StoredObject> {
    const { unitOfWork } = writeContext(this.#context);
    const store = objectStore(path);
    if (!mayBePending(unitOfWork, store, id)) {
      return this.#found(path, id, await findObject(await unitOfWork.db(), store, id, { lock: true }));
    }
    return this.#found(path, id, await findOwn(unitOfWork, store, id));
  }

  async #get(path: ResourcePath, id: string): Promise<StoredObject> {
    const { unitOfWork } = this.#context;
    const store = objectStore(path);
    return this.#found(
      path,
      id,
      unitOfWork === null
        ? await findObject(await this.#reader(), store, id)
        : await findOwn(unitOfWork, store, id),
    );
  }

  #found(path: ResourcePath, id: string, stored: StoredObject | undefined): StoredObject {
    if (stored === undefined) throw new NotFoundError(`Object 'repo/${formatPath([...path, id])}' not found`);
    return stored;
  }

  #questionReader() {
    return questionReaderOf({ database: this.#database }, this.#context);
  }

  #reader() {
    return readerOf({ database: this.#database }, this.#context);
  }
}

function requireRevision(path: ResourcePath, { id, rev }: StoredObject, revision: string | null): void {
  if (revision === null || revision === String(rev)) return;
  throw new PreconditionFailedError(
    `Revision '${revision}' of 'repo/${formatPath([...path, id])}' is not the current one`,
    {
      id: 'OBJECT_REVISION',
      hint: `Read it again: it is at revision '${rev}' now`,
      detail: { revision: String(rev) },
    },
  );
}
