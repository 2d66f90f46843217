import { Closure, call0, call1, naming } from './closure.ts';
import { dispatcher } from './dispatch-port.ts';
import { identityOf } from './hash-key.ts';
import { type ClassForm, JavaClass } from './java-class.ts';
import { JavaMap } from './java-map.ts';
import { JavaSet } from './java-set.ts';
import { isListView } from './list-view.ts';
import { numberText } from './number-text.ts';
import { Range } from './range.ts';
import { callScriptMethod, ScriptObject, scriptClassOf } from './script-class.ts';
import { Throwable } from './throwable.ts';
import { requireType } from './type-of.ts';
import {
  Char,
  Entry,
  EnumConstant,
  GString,
  isNumeric,
  JavaObject,
  type List,
  listKind,
  StringBuilder,
} from './values.ts';

/** What Groovy prints for a value. */
export function toText(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'object':
      return value === null ? 'null' : objectText(value);
    default:
      return 'null';
  }
}

/** What Java's own classes make of a value: they know nothing of the form that Groovy has for maps. */
export function javaText(value: unknown): string {
  if (value instanceof JavaMap) {
    const own = (part: unknown) => (part === value ? '(this Map)' : javaText(part));
    return `{${value
      .list()
      .map(({ key, value: item }) => `${own(key)}=${own(item)}`)
      .join(', ')}}`;
  }
  if (Array.isArray(value))
    return listKind(value)?.element === undefined ? itemsText(value, javaText) : toText(value);
  if (value instanceof JavaSet) return itemsText(value.list(), javaText);
  if (isListView(value)) return itemsText(value.read(), javaText);
  return toText(value);
}

/** `value.toString()`, quick for what is a text already. */
export function stringOf(value: unknown): unknown {
  if (typeof value === 'string') return value;
  return value instanceof GString ? gstringText(value) : dispatcher.invoke(value, 'toString', []);
}

const FORM_TEXT: Partial<Record<ClassForm, string>> = { interface: 'interface ', primitive: '' };

function objectText(value: object): string {
  if (value instanceof GString) return gstringText(value);
  if (Array.isArray(value)) return arrayText(value);
  if (value instanceof JavaMap) return mapText(value, toText);
  if (isNumeric(value)) return numberText(value);
  if (value instanceof Char) return value.value;
  const type = scriptClassOf(value);
  if (type !== undefined) {
    const methods = type.findMethods('toString').filter(({ isAdded }) => isAdded !== true);
    if (methods.length > 0) return toText(callScriptMethod(methods, 'toString', value, [], type.name));
  }
  if (value instanceof JavaObject) return value.toText();
  if (value instanceof Throwable) return throwableText(value);
  if (value instanceof Range) return rangeText(value, toText);
  if (value instanceof JavaSet) return itemsText(value.list(), toText);
  if (isListView(value)) return itemsText(value.read(), toText);
  if (value instanceof EnumConstant) return value.text;
  if (value instanceof Entry) return `${javaText(value.key)}=${javaText(value.value)}`;
  if (value instanceof StringBuilder) return value.text;
  if (value instanceof JavaClass) {
    return `${FORM_TEXT[value.form] ?? 'class '}${value.name}`;
  }
  if (value instanceof Closure) return `Script1$_run_closure1@${identityOf(value).toString(16)}`;
  const enumName = type?.form === 'enum' && value instanceof ScriptObject ? value.fields['$name'] : undefined;
  if (typeof enumName === 'string') return enumName;
  return `${requireType(value).name}@${identityOf(value).toString(16)}`;
}

/** What a value is in a text. */
export function partText(value: unknown): string {
  if (typeof value === 'string') return value;
  return toText(value instanceof Closure ? closureValue(value) : value);
}

export function gstringText({ strings, values }: GString): string {
  let text = strings[0]!;
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    text += partText(value);
    text += strings[index + 1]!;
  }
  return text;
}

/** A closure in a text is asked for its value; one with a parameter gets a writer for it. */
function closureValue(closure: Closure): unknown {
  if (closure.most === 0) return call0(closure);
  const writer = new StringBuilder('');
  call1(closure, writer);
  return writer.text;
}

export function throwableText(value: Throwable): string {
  const message = throwableMessage(value);
  return message === null ? value.type.name : `${value.type.name}: ${message}`;
}

/** `getMessage()`, which a class of a script may have changed. */
export function throwableMessage(value: Throwable): string | null {
  const methods = scriptClassOf(value)?.findMethods('getMessage') ?? [];
  if (methods.length > 0) return toText(callScriptMethod(methods, 'getMessage', value, [], value.type.name));
  return value.detailMessage;
}

function arrayText(list: List): string {
  if (listKind(list)?.element?.name === 'char') return list.map(toText).join('');
  return itemsText(list, toText);
}

function itemsText(items: readonly unknown[], text: (value: unknown) => string): string {
  return `[${items.map((item) => (item === items ? '(this Collection)' : text(item))).join(', ')}]`;
}

function rangeText(range: Range, text: (value: unknown) => string): string {
  if (range.openEnd !== undefined) return `${text(range.from)}..<${text(range.openEnd)}`;
  return range.isEmpty ? `${text(range.from)}..<${text(range.to)}` : `${text(range.from)}..${text(range.to)}`;
}

function mapText(map: JavaMap, text: (value: unknown) => string): string {
  if (map.size === 0) return '[:]';
  const own = (value: unknown) => (value === map ? '(this Map)' : text(value));
  return `[${map
    .list()
    .map(({ key, value }) => `${own(key)}:${own(value)}`)
    .join(', ')}]`;
}

/** As Groovy would have to be written to get the value. */
export function inspect(value: unknown): string {
  if (value instanceof GString) return `"${toText(value)}"`;
  if (typeof value === 'string' || value instanceof StringBuilder) {
    return `'${toText(value).replace(/\\/g, '\\\\').replace(/'/g, "\\'").replace(/\n/g, '\\n').replace(/\r/g, '\\r').replace(/\t/g, '\\t')}'`;
  }
  if (value instanceof Range) return rangeText(value, inspect);
  if (Array.isArray(value)) return itemsText(value, inspect);
  if (value instanceof JavaSet) return itemsText(value.list(), inspect);
  if (value instanceof JavaMap) return mapText(value, inspect);
  return toText(value);
}

/** For methods of ours that take any character sequence; undefined when it is none. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (value instanceof GString || value instanceof Char || value instanceof StringBuilder)
    return toText(value);
  return undefined;
}

naming.text = (value) => {
  try {
    return toText(value);
  } catch {
    return String(dispatcher.invoke(value, 'hashCode', []));
  }
};
