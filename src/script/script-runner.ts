import type { ConfigStore, Settings } from '#config/index.ts';
import { scriptConfig } from '#config/index.ts';
import type { Crypto } from '#crypto/index.ts';
import {
  BadRequestError,
  InternalServerError,
  NotSupportedError,
  ResourceError,
  ServiceUnavailableError,
} from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import type { Observe } from '#observability/index.ts';
import type { Context, RequestSink } from '#resource/index.ts';
import { contextView } from './context-view.ts';
import {
  checkSyntax,
  SandboxPool,
  ScriptLimitError,
  type ScriptSource,
  ScriptSyntaxError,
  ScriptThrownError,
} from './javascript/index.ts';
import { hostOf } from './script-host.ts';
import type { ScriptReference } from './script-reference.ts';
import { ScriptSources } from './script-sources.ts';
import type { ScriptCall, ScriptLogLine, ScriptOutcome, Scripts } from './scripts.ts';
import { watchedWork } from './thread-server.ts';

/** How long a script may run, host calls included, unless its reference says otherwise. */
const DEFAULT_TIMEOUT_MS = 10_000;

export interface ScriptRunnerOptions {
  readonly config: ConfigStore;
  readonly settings: Settings;
  readonly resources: RequestSink;
  readonly crypto: Crypto;
  readonly observe: Observe;
}

/** Runs scripts in the sandboxes of this thread. */
export class ScriptRunner implements Scripts {
  readonly #options: ScriptRunnerOptions;
  #pool: SandboxPool | undefined;
  #sources: ScriptSources;

  constructor(options: ScriptRunnerOptions) {
    this.#options = options;
    this.#sources = this.#openSources();
    options.config.watchOnly(scriptConfig, () => {
      this.#sources = this.#openSources();
    });
  }

  async start(): Promise<void> {
    this.#pool ??= await SandboxPool.create();
  }

  async stop(): Promise<void> {
    this.#pool?.close();
    this.#pool = undefined;
  }

  async compile(reference: ScriptReference): Promise<void> {
    const script = await this.#load(reference, reference.file ?? reference.name ?? 'script');
    try {
      checkSyntax(script);
    } catch (error) {
      throw this.#translate(error);
    }
  }

  async evaluate(context: Context, call: ScriptCall): Promise<ScriptOutcome> {
    const { reference, label } = call;
    const { config, crypto, observe, resources, settings } = this.#options;
    const script = await this.#load(reference, label);
    const log: ScriptLogLine[] = [];
    const scriptContext: Context = reference.transactional
      ? { ...context, survivable: true }
      : { ...context, unitOfWork: null };
    const startedAt = performance.now();
    const ended = (outcome: 'ok' | 'thrown' | 'limit') =>
      observe({ kind: 'script.evaluated', script: script.name, ms: performance.now() - startedAt, outcome });
    try {
      const { value, bindings } = await this.#pool!.run({
        script,
        bindings: {
          ...config.get(scriptConfig).properties,
          ...reference.globals,
          context: contextView(context),
          ...call.bindings,
        } as JsonObject,
        ...(call.returnBindings === undefined ? {} : { returnBindings: call.returnBindings }),
        host: hostOf({
          context: scriptContext,
          resources,
          crypto,
          sources: this.#sources,
          settings,
          properties: config.properties,
          log: (level, message) => {
            log.push({ level, message });
            observe({
              kind: 'script.logged',
              level,
              script: script.name,
              message,
              requestId: context.transactionId,
            });
          },
        }),
        timeoutMs: reference.timeoutMs ?? DEFAULT_TIMEOUT_MS,
        debugInfo: this.#debugInfo(),
        ...watchedWork(),
      });
      ended('ok');
      return { value, bindings, log };
    } catch (error) {
      ended(error instanceof ScriptLimitError ? 'limit' : 'thrown');
      throw this.#translate(error);
    }
  }

  async #load(reference: ScriptReference, label: string): Promise<ScriptSource> {
    if (reference.language !== 'javascript') {
      throw new NotSupportedError('Groovy scripts are not available yet', { id: 'SCRIPT_NO_GROOVY' });
    }
    const revision = reference.revision === undefined ? {} : { revision: reference.revision };
    if (reference.source !== undefined) return { name: label, source: reference.source, ...revision };
    const path = reference.file ?? reference.name!;
    const file =
      reference.file === undefined ? await this.#sources.find(path) : await this.#sources.get(path);
    if (file === undefined) {
      throw new ServiceUnavailableError(`Script '${path}' is not active in the registry`, {
        id: 'SCRIPT_NOT_ACTIVE',
      });
    }
    return { name: path, source: file.text, ...revision };
  }

  /** What the caller sees of a failed script: what it threw, or where it does not compile. */
  #translate(error: unknown): unknown {
    if (error instanceof ScriptSyntaxError) {
      const where = this.#debugInfo() ? ` (${error.fileName}#${error.line})` : '';
      return new BadRequestError(`${error.message}${where}`, { cause: error });
    }
    if (error instanceof ScriptLimitError) {
      return new InternalServerError(error.message, { cause: error });
    }
    if (!(error instanceof ScriptThrownError)) return error;
    if (error.resourceError !== undefined) return error.resourceError;
    return thrownError(error);
  }

  #debugInfo(): boolean {
    return String(this.#options.config.properties.get('javascript.exception.debug.info')) === 'true';
  }

  #openSources(): ScriptSources {
    const { sources, ECMAScript } = this.#options.config.get(scriptConfig);
    return new ScriptSources(
      Object.entries(sources).map(([name, { directory }]) => ({ name, directory })),
      ECMAScript['javascript.recompile.minimumInterval'],
    );
  }
}

/** `throw {code, message, detail}` gives that status; anything else thrown is 500 with its text. */
function thrownError(error: ScriptThrownError): ResourceError {
  const { thrown } = error;
  if (!isObject(thrown) || !Number.isInteger(thrown['code'])) {
    return new InternalServerError(error.message, { cause: error });
  }
  const message = thrown['message'];
  const detail: JsonValue | undefined = thrown['detail'];
  return new ResourceError(
    thrown['code'] as number,
    typeof message === 'string' ? message : error.message,
    detail === undefined || detail === null ? {} : { detail },
  );
}
