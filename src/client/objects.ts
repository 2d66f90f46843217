import type { Filter } from './filter.ts';
import type { Transport } from './transport.ts';

export interface JsonObject {
  readonly [name: string]: unknown;
}

/** An object as the server has it. */
export type Stored<T> = T & { readonly _id: string; readonly _rev: string };

export interface Change {
  readonly resource: string;
  readonly operation: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** What a rehearsal answers: the result, and all that would have changed. */
export interface DryRun<T> {
  readonly dryRun: true;
  readonly result: T;
  readonly changes: readonly Change[];
  readonly effects: readonly unknown[];
  readonly log: readonly JsonObject[];
  readonly trace: readonly JsonObject[];
  /** Something was left out because there is too much of it. */
  readonly truncated?: true;
  /** Something was left out that the caller may not see. */
  readonly withheld?: true;
}

/** The answer to a request with the options `O`: a rehearsal answers with its report. */
export type Answer<T, O> = O extends { readonly dryRun: true }
  ? DryRun<T>
  : O extends { readonly dryRun: boolean }
    ? T | DryRun<T>
    : T;

export interface PatchOperation {
  readonly operation: 'add' | 'remove' | 'replace' | 'increment' | 'move' | 'copy' | 'transform';
  /** A JSON pointer. */
  readonly field: string;
  readonly value?: unknown;
  readonly from?: string;
}

export interface Page<T> {
  readonly result: readonly T[];
  readonly resultCount: number;
  readonly pagedResultsCookie: string | null;
  readonly totalPagedResults: number;
  readonly estimated?: true;
  readonly warnings?: readonly unknown[];
}

export interface Query {
  /** Default: all. */
  readonly filter?: Filter;
  /** A query by its name instead: processes and tasks know those alone, such as `filtered-query`. */
  readonly queryId?: string;
  /** What a query by name takes, such as `{ assignee: 'avo' }`. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly fields?: readonly string[];
  /** Such as `['-sn', 'givenName']`. */
  readonly sort?: readonly string[];
  /** How many objects are asked for at once; default 100. */
  readonly pageSize?: number;
  readonly total?: 'ESTIMATE' | 'EXACT';
  readonly signal?: AbortSignal;
}

/** What a query finds, one by one or page by page. Each page is asked for when it is needed. */
export interface Results<T> extends AsyncIterable<T> {
  pages(): AsyncIterable<Page<T>>;
}

interface ReadOptions {
  readonly fields?: readonly string[];
  /** What the resource takes besides. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

interface WriteOptions extends ReadOptions {
  /** Rehearses: the answer is a report, and nothing is changed. */
  readonly dryRun?: boolean;
}

interface ChangeOptions extends WriteOptions {
  /** The revision that was read; at another one the change is refused (`ConflictError`). */
  readonly revision?: string;
}

interface ActionOptions extends WriteOptions {
  /** The id of the object that the action is about; without it, it is about all of them. */
  readonly id?: string;
  readonly body?: unknown;
  readonly parameters?: Readonly<Record<string, string>>;
}

const PAGE_SIZE = 100;

/** The objects below one path. */
export class Objects<T extends object = JsonObject> {
  readonly #transport: Transport;
  readonly #path: readonly string[];

  constructor(transport: Transport, path: readonly string[]) {
    this.#transport = transport;
    this.#path = path;
  }

  query(asked: Query = {}): Results<Stored<T>> {
    const transport = this.#transport;
    const path = this.#path;
    const { filter, queryId, fields, sort, pageSize = PAGE_SIZE, total, signal } = asked;
    async function* pages(): AsyncGenerator<Page<Stored<T>>, void> {
      let cookie: string | null | undefined;
      do {
        const page: Page<Stored<T>> = await transport.send<Page<Stored<T>>>({
          method: 'GET',
          path,
          parameters: {
            ...(queryId === undefined ? { _queryFilter: filter?.text ?? 'true' } : { _queryId: queryId }),
            ...asked.parameters,
            _fields: fields?.join(','),
            _sortKeys: sort?.join(','),
            _pageSize: String(pageSize),
            _totalPagedResultsPolicy: total,
            _pagedResultsCookie: cookie ?? undefined,
          },
          signal,
        });
        yield page;
        cookie = page.pagedResultsCookie;
      } while (cookie !== null && cookie !== undefined);
    }
    return {
      pages,
      async *[Symbol.asyncIterator]() {
        for await (const page of pages()) yield* page.result;
      },
    };
  }

  read(id: string, { fields, parameters, signal }: ReadOptions = {}): Promise<Stored<T>> {
    return this.#transport.send({
      method: 'GET',
      path: this.#at(id),
      parameters: { ...parameters, _fields: fields?.join(',') },
      signal,
    });
  }

  /** With an `id` the object gets that one, unless there is one already (`ConflictError`). */
  create<const O extends WriteOptions & { readonly id?: string }>(
    content: T,
    options?: O,
  ): Promise<Answer<Stored<T>, O>> {
    const { id } = options ?? {};
    return this.#transport.send({
      ...(id === undefined
        ? { method: 'POST', path: this.#path }
        : { method: 'PUT', path: this.#at(id), headers: { 'If-None-Match': '*' } }),
      parameters: { ...parametersOf(options), ...(id === undefined ? { _action: 'create' } : {}) },
      body: content,
      signal: options?.signal,
    });
  }

  /** Replaces the whole object; one that there is not stays so (`NotFoundError`). */
  update<const O extends ChangeOptions>(id: string, content: T, options?: O): Promise<Answer<Stored<T>, O>> {
    return this.#transport.send({
      method: 'PUT',
      path: this.#at(id),
      headers: { 'If-Match': revisionOf(options) ?? '*' },
      parameters: parametersOf(options),
      body: content,
      signal: options?.signal,
    });
  }

  patch<const O extends ChangeOptions>(
    id: string,
    operations: readonly PatchOperation[],
    options?: O,
  ): Promise<Answer<Stored<T>, O>> {
    return this.#transport.send({
      method: 'PATCH',
      path: this.#at(id),
      headers: ifMatch(options),
      parameters: parametersOf(options),
      body: operations,
      signal: options?.signal,
    });
  }

  /** @returns what there was */
  delete<const O extends ChangeOptions>(id: string, options?: O): Promise<Answer<Stored<T>, O>> {
    return this.#transport.send({
      method: 'DELETE',
      path: this.#at(id),
      headers: ifMatch(options),
      parameters: parametersOf(options),
      signal: options?.signal,
    });
  }

  /** `R` is what it answers, which the name alone does not say. */
  action<R = unknown, const O extends ActionOptions = ActionOptions>(
    name: string,
    options?: O,
  ): Promise<Answer<R, O>> {
    const { id, body, parameters } = options ?? {};
    return this.#transport.send({
      method: 'POST',
      path: id === undefined ? this.#path : this.#at(id),
      parameters: { ...parameters, ...parametersOf(options), _action: name },
      body,
      signal: options?.signal,
    });
  }

  #at(id: string): readonly string[] {
    return [...this.#path, id];
  }
}

export function parametersOf({ dryRun, fields }: WriteOptions = {}): Record<string, string | undefined> {
  return { _dryRun: dryRun === true ? 'true' : undefined, _fields: fields?.join(',') };
}

function revisionOf({ revision }: ChangeOptions = {}): string | undefined {
  return revision === undefined ? undefined : `"${revision}"`;
}

function ifMatch(options: ChangeOptions | undefined): Record<string, string> {
  const revision = revisionOf(options);
  return revision === undefined ? {} : { 'If-Match': revision };
}
