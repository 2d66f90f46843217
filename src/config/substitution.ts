import { isObject, type JsonObject, type JsonValue, lastOf, setMember } from '#json/index.ts';
import { coerce, coercionIn } from './coercion.ts';
import type { PropertySource } from './property-source.ts';

export interface Substitution {
  readonly value: JsonValue;
  /** Names without a value, in order of appearance; their references stay in the text. */
  readonly unresolved: readonly string[];
  /** Values that are not of the type that they are said to be, such as `{"$int": "many"}`; they stay as written. */
  readonly mistyped: readonly Mistyped[];
}

export interface Mistyped {
  readonly path: readonly PropertyKey[];
  /** Such as `"$int" needs a whole number`. */
  readonly message: string;
}

/** Look-ups per string; properties that refer to each other may multiply, and this is where it ends. */
const LOOKUP_LIMIT = 1000;

/**
 * Replaces `&{name}` in every string of a value, at any depth, but not in keys. References nest, inner first;
 * one that is a whole string keeps the type of its property, and `&{name|text}` is the text where the property has no
 * value. There is no escape. `${…}` means something else and is left alone. Then `{"$int": "&{name}"}` and its like
 * become what they say.
 */
export function substitute(value: JsonValue, properties: PropertySource): Substitution {
  const unresolved = new Set<string>();
  const mistyped: Mistyped[] = [];
  return { value: visit(value, []), unresolved: [...unresolved], mistyped };

  function visit(part: JsonValue, path: readonly PropertyKey[]): JsonValue {
    if (typeof part === 'string') return expand(part, { properties, unresolved, open: [], lookups: 0 });
    if (Array.isArray(part)) return part.map((element, index) => visit(element, [...path, index]));
    if (!isObject(part)) return part;
    const copy: JsonObject = {};
    for (const [key, member] of Object.entries(part)) setMember(copy, key, visit(member, [...path, key]));
    return typed(copy, part, path);
  }

  function typed(copy: JsonObject, written: JsonObject, path: readonly PropertyKey[]): JsonValue {
    const coercion = coercionIn(copy);
    if (coercion === undefined) return copy;
    const given = copy[coercion];
    if (given === undefined) return copy;
    const result = coerce(coercion, given);
    if ('value' in result) return result.value;
    // A reference without a value is told of by itself.
    if (typeof given === 'string' && given.includes('&{')) return given;
    mistyped.push({ path, message: `${JSON.stringify(written)} needs ${result.expected}` });
    return copy;
  }
}

interface Expansion {
  readonly properties: PropertySource;
  readonly unresolved: Set<string>;
  /** Names whose values are being expanded: one that comes up again refers to itself. */
  readonly open: string[];
  lookups: number;
}

/** A reference whose closing brace has not come yet; the bottom frame is the text itself. */
interface Frame {
  text: string;
  readonly startedAt: number;
  intact: boolean;
}

function expand(source: string, expansion: Expansion): JsonValue {
  if (!source.includes('&{')) return source;
  const frames: Frame[] = [{ text: '', startedAt: 0, intact: true }];
  for (let at = 0; at < source.length; at++) {
    const top = lastOf(frames);
    if (source.startsWith('&{', at)) {
      frames.push({ text: '', startedAt: at, intact: true });
      at++;
    } else if (source[at] === '}' && frames.length > 1) {
      frames.pop();
      const parent = lastOf(frames);
      const found = top.intact ? lookUp(top.text, expansion) : undefined;
      if (found === undefined) {
        parent.intact = false;
        parent.text += source.slice(top.startedAt, at + 1);
      } else if (frames.length === 1 && top.startedAt === 0 && at === source.length - 1) {
        return found;
      } else {
        parent.text += typeof found === 'string' ? found : JSON.stringify(found);
      }
    } else {
      top.text += source[at];
    }
  }
  return frames.map((frame, index) => (index === 0 ? '' : '&{') + frame.text).join('');
}

function lookUp(reference: string, expansion: Expansion): JsonValue | undefined {
  const { open, properties, unresolved } = expansion;
  expansion.lookups++;
  const bar = reference.indexOf('|');
  const name = bar < 0 ? reference : reference.slice(0, bar);
  const value = open.includes(name) || expansion.lookups > LOOKUP_LIMIT ? undefined : properties.get(name);
  if (value === undefined && bar >= 0) return reference.slice(bar + 1);
  if (value === undefined) unresolved.add(name);
  if (typeof value !== 'string') return value;
  open.push(name);
  try {
    return expand(value, expansion);
  } finally {
    open.pop();
  }
}
