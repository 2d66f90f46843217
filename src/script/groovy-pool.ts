import { type CompiledGroovy, coreLibrary, ENTRY, type GroovyWarning, librariesOf } from '#groovy/index.ts';
import { cloneJson, getMember, isObject, type JsonObject, type JsonValue, setMember } from '#json/index.ts';
import { compiledGroovy, groovyHost } from './groovy-scripts.ts';
import {
  SandboxPool,
  type SandboxPoolOptions,
  type SandboxResult,
  type SandboxRun,
  type ScriptSource,
  ScriptThrownError,
} from './javascript/index.ts';

/** More come from scripts that make names up. */
const MOST_NAMES = 50;

interface Grown {
  readonly names: ReadonlySet<string>;
  readonly libraries: readonly ScriptSource[];
}

/**
 * Runs Groovy scripts: compiles them, and has sandboxes of its own with the runtime in them, so that JavaScript pays
 * nothing for it.
 */
export class GroovyPool {
  readonly #pool: SandboxPool;
  /** What scripts turned out to need of the library beyond what they mention. */
  readonly #grown = new WeakMap<CompiledGroovy, Grown>();

  private constructor(pool: SandboxPool) {
    this.#pool = pool;
  }

  static async create(options: SandboxPoolOptions = {}): Promise<GroovyPool> {
    // It takes over from `reviveBinding`, so it comes before those that use it.
    const libraries = [...coreLibrary(), ...(options.libraries ?? [])];
    return new GroovyPool(await SandboxPool.create({ ...options, libraries }));
  }

  get stats() {
    return this.#pool.stats;
  }

  close(): void {
    this.#pool.close();
  }

  /** Runs a script like SandboxPool; rejects with ScriptSyntaxError for what does not compile. */
  async run(request: SandboxRun): Promise<SandboxResult> {
    const { script, bindings, host, debugInfo, returnBindings = [] } = request;
    const compiled = compiledGroovy(script);
    const { freeNames } = compiled;
    // A binding with a dollar is a matter between the caller and the runtime: no script names it.
    const isSeen = (name: string) => freeNames === 'all' || freeNames.has(name) || name.startsWith('$');
    const given: JsonObject = {};
    for (const name of Object.keys(bindings)) {
      if (isSeen(name)) setMember(given, name, getMember(bindings, name)!);
    }
    try {
      const { bindings: after, ...result } = await this.#pool.run({
        ...request,
        script: { name: script.name, source: compiled.javascript },
        libraries: this.#grown.get(compiled)?.libraries ?? compiled.libraries,
        bindings: { [ENTRY]: { bindings: given, returned: returnBindings.filter(isSeen) } },
        returnBindings: [ENTRY],
        host: (operation, args) => {
          if (!groovyHost.knows(operation)) return host(operation, args);
          if (operation === 'groovy.library') this.#grow(compiled, script, String(args[0]));
          return groovyHost.answer(operation, args);
        },
        debugInfo: false,
      });
      return { ...result, bindings: statesOf(request, after[ENTRY]) };
    } catch (error) {
      throw error instanceof ScriptThrownError
        ? inGroovyPlaces(error, compiled, script.name, debugInfo === true)
        : error;
    }
  }

  /** The next run of the script finds in place what this one has asked for. */
  #grow(compiled: CompiledGroovy, { source }: ScriptSource, name: string): void {
    const names = new Set(this.#grown.get(compiled)?.names).add(name);
    if (names.size > MOST_NAMES) return;
    this.#grown.set(compiled, { names, libraries: librariesOf(source, names) });
  }

  /** What may be wrong although it compiles; nothing of the script runs. @throws ScriptSyntaxError */
  check(script: ScriptSource): readonly GroovyWarning[] {
    return compiledGroovy(script).warnings;
  }
}

/** What the script left of the bindings that are wanted; one that it does not name never went in. */
function statesOf({ bindings, returnBindings = [] }: SandboxRun, after: JsonValue | undefined): JsonObject {
  const states: JsonObject = {};
  for (const name of returnBindings) {
    const state = isObject(after) ? getMember(after, name) : undefined;
    setMember(states, name, state === undefined ? cloneJson(getMember(bindings, name) ?? null) : state);
  }
  return states;
}

const FRAME = /^at (.*) \(.*:(\d+):(\d+)\)$/;

/** The same error with the places of the Groovy source instead of those of the JavaScript made of it. */
function inGroovyPlaces(
  error: ScriptThrownError,
  compiled: CompiledGroovy,
  fileName: string,
  debugInfo: boolean,
): ScriptThrownError {
  const { position, thrownName, resourceError } = error;
  const place = position === undefined ? undefined : { fileName, ...compiled.positionOf(position) };
  const scriptStack = groovyTrace(error.scriptStack, compiled, fileName);
  const where = debugInfo && place !== undefined ? ` (${place.fileName}#${place.line})` : '';
  return new ScriptThrownError({
    thrown: error.thrown,
    message: `${error.message}${where}`,
    scriptStack,
    ...(thrownName === undefined ? {} : { thrownName }),
    ...(place === undefined ? {} : { position: place }),
    ...(resourceError === undefined ? {} : { resourceError }),
  });
}

/** The outermost frame is the call of the script itself, which nobody wrote. */
function groovyTrace(trace: string, compiled: CompiledGroovy, fileName: string): string {
  const lines = trace.split('\n').flatMap((line) => {
    const match = FRAME.exec(line);
    if (match === null) return [];
    const { line: at, column } = compiled.positionOf({ line: Number(match[2]), column: Number(match[3]) });
    return [`at ${match[1]!.replace(/^M\$/, '')} (${fileName}:${at}:${column})`];
  });
  return lines.slice(0, -1).join('\n');
}
