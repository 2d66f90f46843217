import type { ConfigStore, Settings } from '#config/index.ts';
import type { Crypto } from '#crypto/index.ts';
import { slowForScript } from '#database/index.ts';
import { InternalServerError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { Observe } from '#observability/index.ts';
import type { Context, RequestSink } from '#resource/index.ts';
import { bindingLibraries } from './binding-libraries.ts';
import { contextView } from './context-view.ts';
import { type Diagnosis, diagnosisOf, type ScriptScope } from './diagnosis.ts';
import { doubtfulModules, doubtfulNames } from './doubtful-names.ts';
import { furtherName, withoutName } from './field-names.ts';
import { findMistakes } from './find-mistakes.ts';
import type { GroovyPool } from './groovy-pool.ts';
import { warningText } from './groovy-warning.ts';
import {
  MODULE_FUNCTIONS,
  SandboxPool,
  ScriptLimitError,
  ScriptSyntaxError,
  SERVER_OBJECTS,
} from './javascript/index.ts';
import { compileFailure, runFailure } from './script-error.ts';
import { hostOf } from './script-host.ts';
import { notActive, ScriptLibrary } from './script-library.ts';
import { ScriptLog } from './script-log.ts';
import type { ScriptLanguage, ScriptReference } from './script-reference.ts';
import type { ScriptCall, ScriptOutcome, Scripts } from './scripts.ts';
import { engineOfThread, watchedWork } from './thread-server.ts';

/** How long a script may run, host calls included, unless its reference says otherwise. */
const DEFAULT_TIMEOUT_MS = 10_000;

/** Each level holds a sandbox until the inner one has answered. */
const DEEPEST = 32;

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
  readonly #library: ScriptLibrary;
  #pool: SandboxPool | undefined;
  /** The pool for Groovy, made when the first Groovy script comes; whoever has none pays nothing for it. */
  #groovy: Promise<GroovyPool> | undefined;
  #languageNames: readonly string[] | undefined;

  constructor(options: ScriptRunnerOptions) {
    this.#options = options;
    this.#library = new ScriptLibrary(options.config);
  }

  async start(): Promise<void> {
    const module = await engineOfThread();
    this.#pool ??= await SandboxPool.create({ libraries: this.#libraries, module });
  }

  async stop(): Promise<void> {
    this.#library.close();
    this.#pool?.close();
    this.#pool = undefined;
    const groovy = await this.#groovy?.catch(() => undefined);
    groovy?.close();
    this.#groovy = undefined;
  }

  get #libraries() {
    return [...bindingLibraries, ...furtherName(this.#furtherName)];
  }

  /** What scripts may call `svc`, too. */
  get #furtherName(): string | undefined {
    return this.#options.config.properties.compat?.name;
  }

  /** Sandboxes in which something runs. */
  get sandboxes(): number {
    const { instances = 0, idle = 0 } = this.#pool?.stats ?? {};
    return instances - idle;
  }

  async compile(reference: ScriptReference): Promise<readonly string[]> {
    const script = await this.#library.load(reference);
    try {
      const pool = await this.#poolOf(reference.language);
      return pool.check(script).map(warningText);
    } catch (error) {
      // A name stands for a script that is registered already, so it is the server's fault.
      throw reference.name === undefined || !(error instanceof ScriptSyntaxError)
        ? compileFailure(error, this.#debugInfo())
        : notActive(reference.name);
    }
  }

  async diagnose(reference: ScriptReference, scope: ScriptScope): Promise<Diagnosis> {
    const { language, globals } = reference;
    const script = await this.#library.load(reference);
    const findings = await findMistakes(script, language);
    const { uses, modules = [] } = findings;
    if (uses === undefined) return diagnosisOf(script.source, findings, []);
    const known = new Set([
      ...Object.keys(SERVER_OBJECTS),
      ...(this.#furtherName === undefined ? [] : [this.#furtherName]),
      ...(language === 'javascript' ? await this.#ofLanguage() : []),
      ...Object.keys(this.#library.properties),
      ...Object.keys(globals),
      ...scope.names,
    ]);
    return diagnosisOf(script.source, findings, [
      ...doubtfulNames(uses, known, scope),
      ...(await doubtfulModules(modules, (name) =>
        this.#library.resolveModule(name, reference.file ?? null),
      )),
    ]);
  }

  /** What JavaScript itself calls by a name, and modules find. */
  async #ofLanguage(): Promise<readonly string[]> {
    if (this.#languageNames === undefined) {
      const pool = await this.#poolOf('javascript');
      const { value } = await pool.run({
        script: { name: 'names', source: 'Object.getOwnPropertyNames(globalThis)' },
        bindings: {},
        host: () => Promise.resolve(null),
        timeoutMs: DEFAULT_TIMEOUT_MS,
      });
      const names = Array.isArray(value) ? value.map(String) : [];
      this.#languageNames = [...names, ...Object.keys(MODULE_FUNCTIONS), 'arguments', 'exports', 'module'];
    }
    return this.#languageNames;
  }

  async evaluate(context: Context, call: ScriptCall): Promise<ScriptOutcome> {
    const { reference } = call;
    const { observe } = this.#options;
    const depth = context.scriptDepth ?? 0;
    if (depth >= DEEPEST) throw tooDeep();
    const script = await this.#library.load(reference, call.label);
    // The name of one that a caller sent says nothing: it was made of its text.
    const name = reference.source !== undefined && call.label === undefined ? undefined : script.name;
    const log = new ScriptLog(script.name, context, observe, call.onLog);
    const startedAt = performance.now();
    const ended = (outcome: 'ok' | 'thrown' | 'limit') =>
      observe({ kind: 'script.evaluated', script: script.name, ms: performance.now() - startedAt, outcome });
    const timeoutMs = reference.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    try {
      const { bindings, ...result } = await (await this.#poolOf(reference.language)).run({
        script,
        bindings: {
          ...withoutName(this.#library.properties, this.#furtherName),
          ...withoutName(reference.globals, this.#furtherName),
          // Made for scripts that mention it.
          get context() {
            return contextView(context);
          },
          ...withoutName(call.bindings, this.#furtherName),
        } as JsonObject,
        ...(call.returnBindings === undefined ? {} : { returnBindings: call.returnBindings }),
        host: this.#hostOf({ ...contextOfCalls(context, reference), scriptDepth: depth + 1 }, log, call),
        isNested: depth > 0,
        ...(context.signal === undefined ? {} : { signal: context.signal }),
        timeoutMs,
        debugInfo: this.#debugInfo(),
        ...watchedWork(name),
      });
      ended('ok');
      return { ...result, bindings, log: log.lines };
    } catch (error) {
      ended(error instanceof ScriptLimitError ? 'limit' : 'thrown');
      const isOver = error instanceof ScriptLimitError && error.limit === 'time';
      throw (
        (isOver ? slowForScript(timeoutMs) : undefined) ??
        runFailure(error, this.#debugInfo(), call.label, name)
      );
    }
  }

  async #poolOf(language: ScriptLanguage): Promise<SandboxPool | GroovyPool> {
    if (language === 'javascript') return this.#pool!;
    // The compiler is a hundred files, which every thread would load at its start.
    this.#groovy ??= import('./groovy-pool.ts').then(async ({ GroovyPool }) =>
      GroovyPool.create({ libraries: this.#libraries, module: await engineOfThread() }),
    );
    return this.#groovy;
  }

  #hostOf(context: Context, log: ScriptLog, { operations, isAlone }: ScriptCall) {
    const { config, crypto, resources, settings } = this.#options;
    return hostOf({
      context,
      resources,
      crypto,
      library: this.#library,
      settings,
      properties: config.properties,
      log: (level, message) => log.add(level, message),
      isAlone: isAlone === true,
      ...(operations === undefined ? {} : { operations }),
    });
  }

  #debugInfo(): boolean {
    return String(this.#options.config.properties.get('javascript.exception.debug.info')) === 'true';
  }
}

function tooDeep(): InternalServerError {
  return new InternalServerError(`Scripts call each other more than ${DEEPEST} levels deep`, {
    id: 'SCRIPT_TOO_DEEP',
    hint: 'A hook or an endpoint that calls itself, directly or through others, needs a condition to end',
  });
}

/** A script that is not transactional makes each of its calls on its own, unless all is a rehearsal anyway. */
function contextOfCalls(context: Context, { transactional }: ScriptReference): Context {
  if (transactional || context.rehearsed === true) return { ...context, survivable: true };
  const { unitOfWork, callersAtWork = 0 } = context;
  return { ...context, unitOfWork: null, callersAtWork: callersAtWork + (unitOfWork?.isOpen ? 1 : 0) };
}
