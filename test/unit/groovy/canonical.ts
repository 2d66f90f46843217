import { Closure } from '../../../src/groovy/runtime/closure.ts';
import { itemsOf } from '../../../src/groovy/runtime/equality.ts';
import { JavaClass } from '../../../src/groovy/runtime/java-class.ts';
import { JavaMap } from '../../../src/groovy/runtime/java-map.ts';
import { JavaSet } from '../../../src/groovy/runtime/java-set.ts';
import { Range } from '../../../src/groovy/runtime/range.ts';
import { connect, type SandboxRecord } from '../../../src/groovy/runtime/run.ts';
import type { Script } from '../../../src/groovy/runtime/script.ts';
import { scriptClassOf } from '../../../src/groovy/runtime/script-class.ts';
import { toText } from '../../../src/groovy/runtime/text.ts';
import { Throwable } from '../../../src/groovy/runtime/throwable.ts';
import { typeOf } from '../../../src/groovy/runtime/type-of.ts';
import {
  BigDecimal,
  BigInteger,
  Byte,
  Char,
  Double,
  Entry,
  EnumConstant,
  Float,
  GString,
  isNumeric,
  type List,
  listKind,
  Short,
  StringBuilder,
} from '../../../src/groovy/runtime/values.ts';

/*
 * A value with its exact type as one line of text, in the form in which the results of the original are recorded:
 * `i:1` Integer, `l:1` Long, `B:1` BigInteger, `D:1.10` BigDecimal, `d:1.0` Double, `s:"x"` String, `g:"x"` GString,
 * `[…]` list, `A[…]` array, `R[…]` range, `M{k=v}` map, `S{…}` set, `e:NAME` enum, `C:name` class, `T:ms` Date.
 */
export function canonical(value: unknown, depth = 0): string {
  if (depth > 20) return '...';
  const inner = (item: unknown) => canonical(item, depth + 1);
  if (value === null || value === undefined) return 'null';
  switch (typeof value) {
    case 'boolean':
      return `b:${value}`;
    case 'number':
      return `i:${value}`;
    case 'bigint':
      return `l:${value}`;
    case 'string':
      return `s:${quoted(value)}`;
  }
  if (isNumeric(value)) return `${numberMark(value)}:${toText(value)}`;
  if (value instanceof Char) return `c:${quoted(value.value)}`;
  if (value instanceof GString) return `g:${quoted(toText(value))}`;
  if (value instanceof Closure) return 'closure';
  if (value instanceof JavaClass) return `C:${value.name}`;
  if (value instanceof EnumConstant) return `e:${value.name}`;
  if (scriptClassOf(value)?.ancestors !== undefined && enumName(value) !== undefined)
    return `e:${enumName(value)}`;
  const type = typeOf(value)!.name;
  if (type === 'java.util.Date') return `T:${(value as { ms: number }).ms}`;
  if (value instanceof Range) return `R[${value.items.map(inner).join(', ')}]`;
  if (value instanceof Entry) return `E(${inner(value.key)}=${inner(value.value)})`;
  if (value instanceof JavaMap) {
    const entries = value.list().map((entry) => `${inner(entry.key)}=${inner(entry.value)}`);
    return `M{${(value.kind === 'HashMap' ? entries.sort() : entries).join(', ')}}`;
  }
  if (value instanceof JavaSet) {
    const items = value.list().map(inner);
    return `S{${(value.kind === 'HashSet' ? items.sort() : items).join(', ')}}`;
  }
  const items = itemsOf(value);
  if (items !== undefined) {
    const isArray = Array.isArray(value) && listKind(value as List)?.element !== undefined;
    return `${isArray ? 'A' : ''}[${items.map(inner).join(', ')}]`;
  }
  const isWritten =
    value instanceof StringBuilder ||
    value instanceof Throwable ||
    type.startsWith('java.time.') ||
    type === 'java.util.UUID' ||
    type === 'java.util.regex.Pattern';
  return `O:${type}${isWritten ? `:${quoted(toText(value))}` : ''}`;
}

function numberMark(value: unknown): string {
  if (value instanceof BigDecimal) return 'D';
  if (value instanceof BigInteger) return 'B';
  if (value instanceof Double) return 'd';
  if (value instanceof Float) return 'f';
  return value instanceof Short ? 'sh' : value instanceof Byte ? 'by' : '?';
}

function enumName(value: unknown): unknown {
  return (value as { fields: Record<string, unknown> }).fields['$name'];
}

function quoted(text: string): string {
  let result = '"';
  for (const unit of text.split('')) {
    const known = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }[unit];
    const code = unit.charCodeAt(0);
    result += known ?? (code < 32 || code > 126 ? `\\u${code.toString(16).padStart(4, '0')}` : unit);
  }
  return `${result}"`;
}

function variablesOf(script: Script): string[] {
  return script.binding.variables
    .list()
    .map(({ key, value }) => `${toText(key)}=${canonical(value)}`)
    .filter((text) => !/^(?:svc|identityServer|console|logger|out)=/.test(text))
    .sort();
}

/** The runtime with results and errors that tell their types; for this directory's tests only. */
export function install(sandbox: SandboxRecord): void {
  connect(sandbox, {
    result: (value, script) => ({ ok: canonical(value), vars: variablesOf(script) }),
    failure: (error) => {
      if (!(error instanceof Throwable)) return error;
      const message = error.detailMessage;
      const told = new Error(String(message));
      Object.assign(told, { err: error.type.name, msg: message });
      Object.defineProperty(told, 'stack', { value: error.stack });
      return told;
    },
  });
}
