import { outside } from './dispatch-port.ts';
import { operations } from './operations.ts';
import { type Binding, Script } from './script.ts';
import { exception } from './throwable.ts';

type Factory = (runtime: typeof operations, script: Script) => () => unknown;

/** Runs with variables of its own. */
export type CompiledText = (binding: Binding) => unknown;

// biome-ignore lint/security/noGlobalEval: the text comes from the compiler, and this is the sandbox
const evaluate = globalThis.eval;

/** A template or a configuration that the host has compiled; it runs in this sandbox, within the limits of this run. */
export function compiledText(operation: 'groovy.template' | 'groovy.config', text: string): CompiledText {
  const answer = outside.host(operation, text);
  if (answer.problem !== undefined) throw exception('groovy.lang.GroovyRuntimeException', answer.problem);
  outside.take(answer.parts);
  const run: (entry: { run(factory: Factory): unknown }) => unknown = evaluate(
    `(function(groovy$){${answer.javascript}\n})`,
  );
  return (binding) => run({ run: (factory) => factory(operations, new Script(binding))() });
}
