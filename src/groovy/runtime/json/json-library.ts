import { Closure } from '../closure.ts';
import { hostCalls } from '../dispatch.ts';
import { listOf } from '../iterate.ts';
import { classNamed, type JavaClass } from '../java-class.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import '../methods/object-methods.ts';
import { textOf, toText } from '../text.ts';
import { exception } from '../throwable.ts';
import { JavaObject } from '../values.ts';
import { readJson } from './json-reader.ts';
import { JsonDelegate, type JsonOptions, mapOfClosure, PLAIN, prettyJson, writeJson } from './json-writer.ts';

const JSON_BUILDER_CLASS = classNamed('groovy.json.JsonBuilder');

class JsonSlurper extends JavaObject {
  readonly type: JavaClass;

  constructor(name: string) {
    super();
    this.type = classNamed(`groovy.json.${name}`);
  }
}

for (const name of ['JsonSlurper', 'JsonSlurperClassic']) {
  defineStatics(`groovy.json.${name}`, { 'new/0': () => new JsonSlurper(name) });
  defineMethods(`groovy.json.${name}`, 'java.lang.Object', {
    'parseText/1': (_self: JsonSlurper, text: unknown) => {
      if (text === null || toText(text) === '') {
        throw exception('java.lang.IllegalArgumentException', 'Text must not be null or empty');
      }
      return readJson(toText(text));
    },
    'parse/1-2': (_self: JsonSlurper, source: unknown) =>
      readJson(textOf(source) ?? toText(listOf(source).map(toText).join(''))),
    'setType/1': (self: JsonSlurper) => self,
  });
}

defineStatics('groovy.json.JsonOutput', {
  'toJson/1': (value: unknown) => writeJson(value),
  'prettyPrint/1-2': (text: unknown) => prettyJson(toText(text)),
  'unescaped/1': toText,
});

/** What `json-generator.ts` makes. */
function isGenerator(value: unknown): value is JavaObject & { readonly options: JsonOptions } {
  return value instanceof JavaObject && value.type.name === 'groovy.json.JsonGenerator';
}

class JsonBuilder extends JavaObject {
  readonly type: JavaClass = JSON_BUILDER_CLASS;
  content: unknown;
  readonly options: JsonOptions;

  constructor(content: unknown, options: JsonOptions) {
    super();
    this.content = content;
    this.options = options;
  }

  override toText(): string {
    return writeJson(this.content, this.options);
  }
}

defineStatics('groovy.json.JsonBuilder', {
  'new/0-2': (first: unknown = null, second?: unknown) => {
    const generator = second ?? first;
    const content = first === generator ? null : first;
    return isGenerator(generator)
      ? new JsonBuilder(content, generator.options)
      : new JsonBuilder(first, PLAIN);
  },
});
defineMethods('groovy.json.JsonBuilder', 'java.lang.Object', {
  'getContent/0': (self: JsonBuilder) => self.content,
  'toString/0': (self: JsonBuilder) => self.toText(),
  'toPrettyString/0': (self: JsonBuilder) => prettyJson(self.toText()),
  'call/0+': (self: JsonBuilder, ...args: unknown[]) => {
    self.content = contentOf(args);
    return self.content;
  },
});

/** A map, a list, what a closure makes of itself, or a closure for each item of a list. */
/** `builder.name { … }`: an object with that one member. */
const others = hostCalls.find;
hostCalls.find = (receiver, name) => {
  if (!(receiver instanceof JsonBuilder)) return others(receiver, name);
  return (args) => {
    const delegate = new JsonDelegate();
    delegate.add(name, args);
    receiver.content = delegate.content;
    return receiver.content;
  };
};

export function contentOf(args: readonly unknown[]): unknown {
  const [first, second] = args;
  if (first instanceof Closure) return mapOfClosure(first);
  if (second instanceof Closure) return new JsonDelegate().add('', args);
  if (args.length === 1) return first;
  return args;
}

defineMethods('groovy.json.JsonDelegate', 'java.lang.Object', {
  'getContent/0': (self: JsonDelegate) => self.content,
});
