import { type GeneratedScript, generateScript } from './generate/generate-script.ts';
import type { NameUses } from './generate/name-uses.ts';
import { everyName, librariesOf } from './groovy-library.ts';
import { instanceMethods } from './runtime/method-table.ts';
import type { ScriptSource } from './script-source.ts';
import { parseGroovy } from './syntax/parser.ts';
import { SourceText } from './syntax/source-text.ts';

/** A Groovy script as JavaScript for the sandbox with the Groovy runtime in it. */
export interface CompiledGroovy extends GeneratedScript {
  /** The parts of the library that it mentions. */
  readonly libraries: readonly ScriptSource[];
}

/** Nothing of the script runs. @throws GroovySyntaxError */
export function compileGroovy(script: ScriptSource): CompiledGroovy {
  const source = new SourceText(script.name, script.source);
  try {
    const parsed = parseGroovy(source);
    const generated = generateScript(parsed, source);
    const libraries = librariesOf(
      `${script.source}\n${parsed.added}`,
      generated.computesMethods ? everyName() : [],
    );
    return { libraries, ...generated, uses: withoutMethods(generated.uses) };
  } catch (error) {
    if (error instanceof RangeError) throw source.errorAt(0, 'The script is nested too deeply');
    throw error;
  }
}

/** What every script has is not unknown: methods such as `println`, properties such as `metaClass`. */
function withoutMethods(uses: NameUses): NameUses {
  const methods = instanceMethods('groovy.lang.Script') ?? {};
  const isOwn = ({ name, isCalled }: NameUses['free'][number]) =>
    (isCalled ? name : `get${name.charAt(0).toUpperCase()}${name.slice(1)}`) in methods;
  return { ...uses, free: uses.free.filter((one) => !isOwn(one)) };
}
