import { Closure } from '../closure.ts';
import { call, hostCalls } from '../dispatch.ts';
import { classNamed, type JavaClass } from '../java-class.ts';
import { JavaMap } from '../java-map.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import '../methods/object-methods.ts';
import { JavaObject } from '../values.ts';
import { contentOf } from './json-library.ts';
import { jsonException } from './json-reader.ts';
import { JsonDelegate, type JsonOptions, PLAIN, writeJson } from './json-writer.ts';

/** Writes each piece of JSON as soon as it is described. */
class StreamingJsonBuilder extends JavaObject {
  readonly type: JavaClass = classNamed('groovy.json.StreamingJsonBuilder');
  readonly #writer: unknown;
  readonly #options: JsonOptions;

  constructor(writer: unknown, options: JsonOptions) {
    super();
    this.#writer = writer;
    this.#options = options;
  }

  write(value: unknown): unknown {
    call(this.#writer, 'write', [writeJson(value, this.#options)]);
    return value;
  }
}

const OWN = new Set(['with', 'tap', 'getClass', 'toString', 'getMetaClass']);
const others = hostCalls.find;
hostCalls.find = (receiver, name) => {
  if (!(receiver instanceof StreamingJsonBuilder)) return others(receiver, name);
  if (OWN.has(name)) return undefined;
  return (args) => {
    const [first, second] = args;
    const isFitting =
      args.length === 0 || first instanceof JavaMap || first instanceof Closure || second instanceof Closure;
    if (!isFitting || args.length > 2)
      throw jsonException(
        'Expected no arguments, a single map, a single closure, or a map and closure as arguments.',
      );
    const delegate = new JsonDelegate();
    delegate.add(name, args.length === 0 ? [new JavaMap()] : args);
    return receiver.write(delegate.content);
  };
};

defineStatics('groovy.json.StreamingJsonBuilder', {
  'new/1-3': (writer: unknown, ...others: unknown[]) => {
    const generator = others.find(
      (each): each is JavaObject & { readonly options: JsonOptions } =>
        each instanceof JavaObject && each.type.name === 'groovy.json.JsonGenerator',
    );
    const builder = new StreamingJsonBuilder(writer, generator?.options ?? PLAIN);
    const [content] = others.filter((each) => each !== generator);
    if (content !== undefined && content !== null) builder.write(content);
    return builder;
  },
});
defineMethods('groovy.json.StreamingJsonBuilder', 'java.lang.Object', {
  'call/0+': (self: StreamingJsonBuilder, ...args: unknown[]) => self.write(contentOf(args)),
});
