import type { JsonObject, JsonValue } from '#json/index.ts';
import { coreLibrary } from '../../../src/groovy/groovy-library.ts';
import { compileGroovy, GroovySyntaxError } from '../../../src/groovy/index.ts';
import { groovyHost } from '../../../src/script/groovy-scripts.ts';
import { SandboxPool, ScriptThrownError } from '../../../src/script/javascript/index.ts';

/** What a snippet of Groovy did, in the form in which the original's results are recorded. */
export interface SnippetOutcome {
  /** The value of the last expression as `canonical.ts` writes it. */
  readonly value?: string;
  /** The class of what was thrown, or `compile`. */
  readonly error?: string;
  /** The first line of its message. */
  readonly message?: string | null;
  /** What `println` and the like wrote. */
  readonly printed?: string;
  /** Variables that the snippet made, as `name=value`. */
  readonly variables?: readonly string[];
}

/** A sandbox whose Groovy answers with exact types instead of JSON. */
export function createGroovyPool(): Promise<SandboxPool> {
  return SandboxPool.create({ libraries: coreLibrary(new URL('./canonical.ts', import.meta.url)) });
}

export async function runSnippet(pool: SandboxPool, source: string): Promise<SnippetOutcome> {
  let printed = '';
  const host = async (operation: string, args: JsonValue[]): Promise<JsonValue> => {
    if (operation === 'groovy.defaultZone') return 'UTC';
    if (operation.startsWith('logger.')) return null;
    if (operation !== 'console.log') return groovyHost.answer(operation, args);
    printed += `${args[0]}\n`;
    return null;
  };
  try {
    const { javascript, libraries } = compileGroovy({ name: 'Script1.groovy', source });
    const { value } = await pool.run({
      script: { name: 'Script1.groovy', source: javascript },
      libraries,
      bindings: { groovy$: { bindings: {}, returned: [] } },
      host,
      timeoutMs: 120_000,
    });
    const { ok, vars } = value as unknown as { ok: string; vars: readonly string[] };
    return {
      value: ok,
      ...(vars.length === 0 ? {} : { variables: vars }),
      ...printedText(printed),
    };
  } catch (error) {
    return { ...failureOf(error), ...printedText(printed) };
  }
}

/** Without the last line end, which the log of a script has anyway. */
function printedText(text: string): { printed?: string } {
  return text === '' ? {} : { printed: text.replace(/\n$/, '') };
}

function failureOf(error: unknown): SnippetOutcome {
  if (error instanceof GroovySyntaxError) return { error: 'compile', message: error.message };
  if (!(error instanceof ScriptThrownError)) throw error;
  const { err, msg } = error.thrown as JsonObject;
  // Everything that has no Java class is a fault of the runtime.
  if (typeof err !== 'string')
    return { error: 'internal', message: `${error.message}\n${error.scriptStack}` };
  return { error: err, message: typeof msg === 'string' ? msg.split('\n')[0]! : null };
}
