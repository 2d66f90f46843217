import type { Node } from 'acorn';
import { ScriptSyntaxError } from './failures.ts';
import { nameUses } from './name-uses.ts';
import { parseScript } from './parse-script.ts';
import type { ScriptSource } from './script-source.ts';
import { childrenOf } from './syntax-tree.ts';

/** Names of the language whose results follow from what they are given. */
const CALCULATING: ReadonlySet<string> = new Set(
  `undefined NaN Infinity String Number Boolean BigInt Array Object Map Set JSON Math RegExp Error TypeError RangeError
  parseInt parseFloat isNaN isFinite encodeURI encodeURIComponent decodeURI decodeURIComponent`.split(/\s+/),
);

/** Members that lead elsewhere, by whatever name the object has. */
const LEADING_AWAY: ReadonlySet<unknown> = new Set(['random', 'constructor', '__proto__', 'eval']);
const OPAQUE: ReadonlySet<string> = new Set(['ThisExpression', 'WithStatement', 'ImportExpression']);

/**
 * Whether the result of a script follows from these variables alone, so that equal variables always give the same: it asks neither
 * the server nor a clock. Where its text does not show that, the answer is no.
 */
export function followsFrom(script: ScriptSource, variables: ReadonlySet<string>): boolean {
  try {
    const { program, names } = parseScript(script);
    if ([...LEADING_AWAY].some((name) => names.has(String(name))) || hasOpaque(program)) return false;
    return nameUses(program).free.every(({ name }) => variables.has(name) || CALCULATING.has(name));
  } catch (error) {
    // It does not compile, or nobody can look at all of it.
    if (error instanceof ScriptSyntaxError || error instanceof RangeError) return false;
    throw error;
  }
}

function hasOpaque(node: Node): boolean {
  const isName = node.type === 'Literal' && LEADING_AWAY.has(Reflect.get(node, 'value'));
  return isName || OPAQUE.has(node.type) || childrenOf(node).some(hasOpaque);
}
