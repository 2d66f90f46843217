import { InternalServerError } from '#errors/index.ts';
import type { JsonObject, JsonValue, Pointer } from '#json/index.ts';
import { type Context, nestedContext } from '../context.ts';
import { NO_PAGING } from '../query/paging.ts';
import type { PatchOperation, QueryRequest, Request } from '../request.ts';
import { parsePath } from '../resource-path.ts';
import type { QueryResult, Resource, Response } from '../response.ts';

/** Whatever takes requests: the router, or something that carries them to one. */
export interface RequestSink {
  handle(context: Context, request: Request): Promise<Response>;
}

export interface CallOptions {
  readonly parameters?: Readonly<Record<string, string>>;
  readonly fields?: readonly Pointer[];
  readonly dryRun?: boolean;
}

export type QueryOptions = Partial<Omit<QueryRequest, 'method' | 'path' | 'fields' | 'parameters'>> &
  CallOptions;

/**
 * Requests made by the server itself, in the name of a context. They are internal: not authorized again, and
 * part of the context's unit of work.
 */
export class Connection {
  readonly #sink: RequestSink;
  readonly #context: Context;

  constructor(sink: RequestSink, context: Context) {
    this.#sink = sink;
    this.#context = context;
  }

  async create(
    path: string,
    id: string | null,
    content: JsonObject,
    options?: CallOptions,
  ): Promise<Resource> {
    return this.#resource({ method: 'create', ...base(path, options), newResourceId: id, content });
  }

  async read(path: string, options?: CallOptions): Promise<Resource> {
    return this.#resource({ method: 'read', ...base(path, options) });
  }

  async update(
    path: string,
    revision: string | null,
    content: JsonObject,
    options?: CallOptions,
  ): Promise<Resource> {
    return this.#resource({ method: 'update', ...base(path, options), revision, content });
  }

  async patch(
    path: string,
    revision: string | null,
    operations: readonly PatchOperation[],
    options?: CallOptions,
  ): Promise<Resource> {
    return this.#resource({ method: 'patch', ...base(path, options), revision, operations });
  }

  async delete(path: string, revision: string | null, options?: CallOptions): Promise<Resource> {
    return this.#resource({ method: 'delete', ...base(path, options), revision });
  }

  async action(
    path: string,
    action: string,
    content: JsonValue = null,
    options?: CallOptions,
  ): Promise<JsonValue> {
    const response = await this.#send({ method: 'action', ...base(path, options), action, content });
    if (response.kind !== 'action') throw unexpected(response);
    return response.content;
  }

  async query(path: string, options: QueryOptions): Promise<QueryResult> {
    const { parameters, fields, dryRun: _, ...query } = options;
    const response = await this.#send({
      method: 'query',
      ...base(path, {
        ...(parameters === undefined ? {} : { parameters }),
        ...(fields === undefined ? {} : { fields }),
      }),
      queryId: null,
      queryExpression: null,
      queryFilter: null,
      sortKeys: [],
      paging: NO_PAGING,
      ...query,
    });
    if (response.kind !== 'query') throw unexpected(response);
    return response;
  }

  async #resource(request: Request): Promise<Resource> {
    const response = await this.#send(request);
    // A dry run answers its report; it has no identity of its own.
    if (response.kind === 'action')
      return { kind: 'resource', id: null, revision: null, content: response.content };
    if (response.kind !== 'resource') throw unexpected(response);
    return response;
  }

  #send(request: Request): Promise<Response> {
    return this.#sink.handle(nestedContext(this.#context), request);
  }
}

function base(path: string, options: CallOptions = {}) {
  return {
    path: parsePath(path),
    fields: options.fields ?? [],
    parameters: options.parameters ?? {},
    ...(options.dryRun === true ? { dryRun: true } : {}),
  };
}

function unexpected(response: Response): InternalServerError {
  return new InternalServerError(`The resource answered a ${response.kind} where another kind was expected`);
}
