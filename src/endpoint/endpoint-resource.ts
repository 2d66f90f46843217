import type { Crypto } from '#crypto/index.ts';
import { errorIdOf, ResourceError } from '#errors/index.ts';
import { isObject, type JsonObject } from '#json/index.ts';
import {
  type Context,
  type CreateRequest,
  formatPath,
  notFound,
  type Request,
  type ResourceDescription,
  type Response,
  type RouteHandler,
  type RouteMatch,
  unsupported,
} from '#resource/index.ts';
import {
  type BindingsOf,
  FIELD_SCRIPT,
  REQUEST,
  requestView,
  ScriptError,
  type Scripts,
  type ScriptUse,
} from '#script/index.ts';
import type { Endpoint } from './endpoint.ts';
import { endpointResponse } from './endpoint-response.ts';

/** The script of an endpoint. */
export const ENDPOINT_USE = {
  title: 'an endpoint; the value is the answer',
  bindings: {
    request: REQUEST,
    resourcePath: { type: 'string', says: 'what stands in the path behind that of the endpoint' },
    resourceName: { type: 'string', says: 'the same' },
  },
} as const satisfies ScriptUse;

export interface EndpointPlatform {
  readonly scripts: Scripts;
  readonly crypto: Crypto;
}

/** The resource of one endpoint: every request runs its script. */
export class EndpointResource implements RouteHandler {
  readonly answersFreely = true;
  readonly #endpoint: Endpoint;
  readonly #platform: EndpointPlatform;
  /** The script has compiled at least once; before that the endpoint is not there. */
  #isActive = false;
  #globals: Promise<JsonObject> | undefined;

  constructor(endpoint: Endpoint, platform: EndpointPlatform) {
    this.#endpoint = endpoint;
    this.#platform = platform;
  }

  runsScripts(): boolean {
    return true;
  }

  /** What its script makes of a request is known to the script only. */
  describe(path: string): readonly ResourceDescription[] {
    const title = `endpoint ${this.#endpoint.name}`;
    return [{ path, kind: 'singleton', title, methods: this.#endpoint.methods, actions: [] }];
  }

  /** Compiles the script. @throws ResourceError when it cannot be found or does not compile */
  async activate(): Promise<void> {
    await this.#platform.scripts.compile(this.#endpoint.reference);
    this.#isActive = true;
  }

  async handle(context: Context, request: Request, match: RouteMatch): Promise<Response> {
    if (!this.#isActive) {
      // The file may have been mended since the last look.
      await this.activate().catch((error: unknown) =>
        Promise.reject(errorIdOf(error) === FIELD_SCRIPT ? error : notFound(request)),
      );
    }
    if (!this.#endpoint.methods.includes(request.method)) return unsupported(request);
    try {
      return request.method === 'create' && request.orUpdate === true
        ? await this.#createOrUpdate(context, request, match)
        : await this.#run(context, request, match);
    } catch (error) {
      throw error instanceof ResourceError ? withDetail(error) : error;
    }
  }

  /** A PUT without preconditions creates; when the script says 412 to that, it is asked to update. */
  async #createOrUpdate(context: Context, request: CreateRequest, match: RouteMatch): Promise<Response> {
    const { orUpdate: _, newResourceId, ...rest } = request;
    const create = () => this.#run(context, { ...rest, newResourceId }, match);
    try {
      return await (context.unitOfWork?.savepoint(create) ?? create());
    } catch (error) {
      if (!(error instanceof ResourceError) || error.code !== 412 || newResourceId === null) throw error;
      const id = newResourceId;
      const update = { ...rest, method: 'update', path: [...request.path, id], revision: null } as const;
      return this.#run(context, update, { ...match, remaining: [...match.remaining, id] });
    }
  }

  async #run(context: Context, request: Request, match: RouteMatch): Promise<Response> {
    const { reference, name } = this.#endpoint;
    const resourcePath = formatPath(match.remaining);
    const { value } = await this.#platform.scripts.evaluate(context, {
      reference: { ...reference, globals: await this.#decryptedGlobals() },
      label: `endpoint ${name}`,
      bindings: {
        request: requestView(request, resourcePath),
        resourcePath,
        resourceName: resourcePath,
      } satisfies BindingsOf<typeof ENDPOINT_USE>,
    });
    return endpointResponse(request, value);
  }

  /** Decrypted once; again after a failure, for instance when a key was missing. */
  #decryptedGlobals(): Promise<JsonObject> {
    this.#globals ??= this.#platform.crypto
      .decrypt(this.#endpoint.reference.globals)
      .then((globals) => globals as JsonObject)
      .catch((error) => {
        this.#globals = undefined;
        throw error;
      });
    return this.#globals;
  }
}

/** Errors of endpoints always have a detail; with debug information it tells where the script threw. */
function withDetail(error: ResourceError): ResourceError {
  const position = error instanceof ScriptError ? error.position : undefined;
  const { detail = {} } = error;
  if (position === undefined || !isObject(detail) || PLACES.some((place) => detail[place] !== undefined)) {
    return error.detail === undefined ? copyOf(error, {}) : error;
  }
  const { fileName, line, column } = position;
  return copyOf(error, { ...detail, fileName, lineNumber: line, columnNumber: column });
}

const PLACES = ['fileName', 'lineNumber', 'columnNumber'] as const;

function copyOf(error: ResourceError, detail: JsonObject): ResourceError {
  const cause = error.cause === undefined ? {} : { cause: error.cause };
  return new ResourceError(error.code, error.message, { detail, ...cause });
}
