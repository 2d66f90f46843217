import { isInstance } from '../casting.ts';
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
import { UTC, type Zone } from '../time/zone.ts';
import { classNameOf } from '../type-of.ts';
import { Double, EnumConstant, isNumeric, JavaObject } from '../values.ts';
import { jsonException } from './json-reader.ts';

const JSON_DELEGATE_CLASS = classNamed('groovy.json.JsonDelegate');

const DEEPEST = 200;
const WITH = new Set(['with', 'tap', 'getClass', 'toString', 'getContent']);

/** What a JsonGenerator does otherwise. */
export interface JsonOptions {
  readonly excludesNulls: boolean;
  readonly excludedNames: ReadonlySet<string>;
  readonly excludedTypes: readonly JavaClass[];
  readonly dateFormat: string;
  readonly zone: Zone;
  readonly escapesUnicode: boolean;
  /** What takes the place of a value of a class; it may be told the name of the member. */
  readonly converters: readonly { readonly type: JavaClass; readonly closure: Closure }[];
}

export const PLAIN: JsonOptions = {
  excludesNulls: false,
  excludedNames: new Set(),
  excludedTypes: [],
  dateFormat: "yyyy-MM-dd'T'HH:mm:ssZ",
  zone: UTC,
  escapesUnicode: true,
  converters: [],
};

/** As `JsonOutput.toJson`: characters beyond ASCII are escaped, dates are texts in UTC. */
export function writeJson(value: unknown, options: JsonOptions = PLAIN): string {
  return written(value, options, 0, null);
}

function written(given: unknown, options: JsonOptions, depth: number, name: string | null): string {
  if (depth > DEEPEST)
    throw jsonException('The value contains itself or is nested too deeply', 'java.lang.StackOverflowError');
  const value = converted(given, options, name);
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'boolean') return String(value);
  const text = textOf(value);
  if (text !== undefined) return quoted(text, options);
  if (isNumeric(value)) {
    if (value instanceof Double && !Number.isFinite(value.value)) {
      throw jsonException(
        `Number ${numberText(value)} can't be serialized as JSON: infinite or NaN are not allowed in JSON.`,
      );
    }
    return numberText(value);
  }
  return writeObject(value, options, depth);
}

function converted(value: unknown, { converters }: JsonOptions, name: string | null): unknown {
  if (value === null || value === undefined || converters.length === 0) return value;
  const found = converters.find(({ type }) => isInstance(value, type));
  if (found === undefined) return value;
  return found.closure.call(found.closure.most > 1 ? [value, name] : [value]);
}

function isLeftOut(value: unknown, { excludesNulls, excludedTypes }: JsonOptions): boolean {
  if (value === null || value === undefined) return excludesNulls;
  return excludedTypes.some((type) => isInstance(value, type));
}

function quoted(text: string, { escapesUnicode }: JsonOptions): string {
  return escapesUnicode ? quote(text) : JSON.stringify(text);
}

function writeObject(value: object, options: JsonOptions, depth: number): string {
  const inner = (item: unknown) => written(item, options, depth + 1, null);
  if (value instanceof JavaMap) return writeMap(value, options, depth);
  const items = value instanceof JavaSet ? value.list() : itemsOf(value);
  if (items !== undefined)
    return `[${items
      .filter((item) => !isLeftOut(item, options))
      .map(inner)
      .join(',')}]`;
  if (value instanceof JavaDate || value instanceof Calendar)
    return quoted(formatDate(value.ms, options.dateFormat, options.zone), options);
  if (value instanceof EnumConstant) return quoted(value.name, options);
  if (value instanceof JsonValue) return inner(value.value);
  if (value instanceof ScriptObject) return writeFields(value, options, depth);
  if (value instanceof Closure) return inner(mapOfClosure(value));
  if (classNameOf(value) === 'groovy.util.Expando')
    return inner(dispatcher.invoke(value, 'getProperties', []));
  return quoted(toText(value), options);
}

function writeMembers(
  members: readonly (readonly [name: string, value: unknown])[],
  options: JsonOptions,
  depth: number,
): string {
  const parts = members
    .filter(([name, value]) => !options.excludedNames.has(name) && !isLeftOut(value, options))
    .map(([name, value]) => `${quoted(name, options)}:${written(value, options, depth + 1, name)}`);
  return `{${parts.join(',')}}`;
}

function writeMap(map: JavaMap, options: JsonOptions, depth: number): string {
  const members = map.list().map(({ key, value }) => {
    if (key === null)
      throw jsonException(
        "Maps with null keys can't be converted to JSON",
        'java.lang.IllegalArgumentException',
      );
    return [toText(key), value] as const;
  });
  return writeMembers(members, options, depth);
}

function writeFields(value: ScriptObject, options: JsonOptions, depth: number): string {
  if (typeof value.fields['$name'] === 'string') return quoted(value.fields['$name'], options);
  const names = value.type
    .allFields()
    .filter(({ isProperty, isStatic }) => isProperty && !isStatic)
    .map(({ name }) => name);
  return writeMembers(
    names.map((name) => [name, dispatcher.property(value, name)] as const),
    options,
    depth,
  );
}

/** What the assignments and calls in a closure put into a map that is its delegate. */
export function mapOfClosure(closure: Closure): JavaMap {
  const delegate = new JsonDelegate();
  dispatcher.invoke(delegate, 'with', [closure]);
  return delegate.content;
}

function merged(first: JavaMap, second: JavaMap): JavaMap {
  const result = new JavaMap();
  for (const { key, value } of [...first.list(), ...second.list()]) result.put(key, value);
  return result;
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
    else if (second instanceof Closure && first instanceof JavaMap)
      value = merged(first, mapOfClosure(second));
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
