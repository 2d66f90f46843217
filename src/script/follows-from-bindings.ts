import { followsFrom } from './javascript/index.ts';
import type { ScriptReference } from './script-reference.ts';

const known = new WeakMap<ScriptReference, boolean>();

/**
 * Whether the result of a script follows from its bindings alone, because it asks neither the server nor a clock. That is known
 * only of JavaScript that stands in the configuration itself; a file may be another one tomorrow.
 *
 * @param bindings the same ones each time for a reference
 */
export function followsFromBindings(reference: ScriptReference, bindings: readonly string[]): boolean {
  const before = known.get(reference);
  if (before !== undefined) return before;
  const { language, source, globals } = reference;
  const follows =
    language === 'javascript' &&
    source !== undefined &&
    followsFrom({ name: 'script', source }, new Set([...bindings, ...Object.keys(globals)]));
  known.set(reference, follows);
  return follows;
}
