import { Closure } from '../closure.ts';
import { hostCalls } from '../dispatch.ts';
import { dispatcher } from '../dispatch-port.ts';
import { itemsOf } from '../equality.ts';
import { listOf } from '../iterate.ts';
import { classNamed, type JavaClass } from '../java-class.ts';
import { JavaMap } from '../java-map.ts';
import { JavaSet } from '../java-set.ts';
import { JsonValue } from '../json-value.ts';
import { numberText } from '../number-text.ts';
import { ScriptObject } from '../script-class.ts';
import { textOf, toText } from '../text.ts';
import { Calendar } from '../time/calendar.ts';
import { formatDate } from '../time/date-pattern.ts';
import { JavaDate } from '../time/java-date.ts';
import { UTC } from '../time/zone.ts';
import { classNameOf } from '../type-of.ts';
import { Double, EnumConstant, isNumeric, JavaObject } from '../values.ts';
import { jsonException } from './json-reader.ts';

const JSON_DELEGATE_CLASS = classNamed('groovy.json.JsonDelegate');

const DEEPEST = 200;
const WITH = new Set(['with', 'tap', 'getClass', 'toString', 'getContent']);

/** As `JsonOutput.toJson`: characters beyond ASCII are escaped, dates are texts in UTC. */
export function writeJson(value: unknown, depth = 0): string {
  if (depth > DEEPEST)
    throw jsonException('The value contains itself or is nested too deeply', 'java.lang.StackOverflowError');
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'boolean') return String(value);
  const text = textOf(value);
  if (text !== undefined) return quote(text);
  if (isNumeric(value)) {
    if (value instanceof Double && !Number.isFinite(value.value)) {
      throw jsonException(
        `Number ${numberText(value)} can't be serialized as JSON: infinite or NaN are not allowed in JSON.`,
      );
    }
    return numberText(value);
  }
  return writeObject(value as object, depth);
}

function writeObject(value: object, depth: number): string {
  if (value instanceof JavaMap) return writeMap(value, depth);
  const items = value instanceof JavaSet ? value.list() : itemsOf(value);
  if (items !== undefined) return `[${items.map((item) => writeJson(item, depth + 1)).join(',')}]`;
  if (value instanceof JavaDate || value instanceof Calendar)
    return `"${formatDate(value.ms, "yyyy-MM-dd'T'HH:mm:ssZ", UTC)}"`;
  if (value instanceof EnumConstant) return quote(value.name);
  if (value instanceof JsonValue) return writeJson(value.value, depth + 1);
  if (value instanceof ScriptObject) return writeFields(value, depth);
  if (value instanceof Closure) return writeJson(mapOfClosure(value), depth + 1);
  if (classNameOf(value) === 'groovy.util.Expando')
    return writeJson(dispatcher.invoke(value, 'getProperties', []), depth + 1);
  return quote(toText(value));
}

function writeMap(map: JavaMap, depth: number): string {
  const parts = map.list().map(({ key, value }) => {
    if (key === null)
      throw jsonException(
        "Maps with null keys can't be converted to JSON",
        'java.lang.IllegalArgumentException',
      );
    return `${quote(toText(key))}:${writeJson(value, depth + 1)}`;
  });
  return `{${parts.join(',')}}`;
}

function writeFields(value: ScriptObject, depth: number): string {
  if (typeof value.fields['$name'] === 'string') return quote(value.fields['$name']);
  const names = value.type.fields
    .filter(({ isProperty, isStatic }) => isProperty && !isStatic)
    .map(({ name }) => name);
  return `{${names.map((name) => `${quote(name)}:${writeJson(dispatcher.property(value, name), depth + 1)}`).join(',')}}`;
}

/** What the assignments and calls in a closure put into a map that is its delegate. */
export function mapOfClosure(closure: Closure): JavaMap {
  const delegate = new JsonDelegate();
  dispatcher.invoke(delegate, 'with', [closure]);
  return delegate.content;
}

/** In a closure that describes JSON every call and every assignment is a member. */
export class JsonDelegate extends JavaObject {
  readonly type: JavaClass = JSON_DELEGATE_CLASS;
  readonly content = new JavaMap();

  override toText(): string {
    return toText(this.content);
  }

  add(name: string, args: readonly unknown[]): unknown {
    const [first, second] = args;
    let value: unknown = first;
    if (first instanceof Closure) value = mapOfClosure(first);
    else if (second instanceof Closure)
      value = listOf(first).map((item) => mapOfClosure(bound(second, item)));
    else if (args.length > 1) value = [...args];
    this.content.put(name, value ?? null);
    return value;
  }
}

/** The closure with its argument in place. */
function bound(closure: Closure, item: unknown): Closure {
  const { owner, self, code } = closure;
  const copy = new Closure(owner, self, (own) => code(own, item), 0, 0, false, undefined, 'bound');
  copy.delegate = closure.delegate;
  return copy;
}

const found = hostCalls.find;
hostCalls.find = (receiver, name) => {
  if (!(receiver instanceof JsonDelegate)) return found(receiver, name);
  return WITH.has(name) ? undefined : (args) => receiver.add(name, args);
};

export function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** JSON text with line ends and four blanks a level. */
export function prettyJson(text: string): string {
  let result = '';
  let depth = 0;
  const line = () => `\n${' '.repeat(4 * depth)}`;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g)) {
    switch (token) {
      case '{':
      case '[':
        depth++;
        result += token + line();
        break;
      case '}':
      case ']':
        depth--;
        // An empty pair keeps its line, as in the original.
        result += line() + token;
        break;
      case ',':
        result += `,${line()}`;
        break;
      case ':':
        result += ': ';
        break;
      default:
        result += token;
    }
  }
  return result;
}
