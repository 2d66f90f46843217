import { Closure } from '../closure.ts';
import { classNamed, JavaClass } from '../java-class.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import '../methods/object-methods.ts';
import { toText } from '../text.ts';
import { badArgument } from '../throwable.ts';
import { Zone, zoneOf } from '../time/zone.ts';
import { JavaObject } from '../values.ts';
import { type JsonOptions, PLAIN, writeJson } from './json-writer.ts';

class Options extends JavaObject {
  readonly type: JavaClass = classNamed('groovy.json.JsonGenerator$Options');
  options: JsonOptions = PLAIN;

  with(changes: Partial<JsonOptions>): this {
    this.options = { ...this.options, ...changes };
    return this;
  }
}

class Generator extends JavaObject {
  readonly type: JavaClass = classNamed('groovy.json.JsonGenerator');
  readonly options: JsonOptions;

  constructor(options: JsonOptions) {
    super();
    this.options = options;
  }
}

function given(args: readonly unknown[]): readonly unknown[] {
  return args.flatMap((arg) => (Array.isArray(arg) ? arg : [arg]));
}

/** A class and what takes the place of its values; the one that was added last comes first. */
function addConverter(self: Options, type: unknown, closure: unknown): Options {
  if (!(type instanceof JavaClass) || !(closure instanceof Closure)) throw badArgument();
  return self.with({ converters: [{ type, closure }, ...self.options.converters] });
}

defineStatics('groovy.json.JsonGenerator$Options', { 'new/0': () => new Options() });
defineMethods('groovy.json.JsonGenerator$Options', 'java.lang.Object', {
  'excludeNulls/0': (self: Options) => self.with({ excludesNulls: true }),
  'excludeFieldsByName/1+': (self: Options, ...names: unknown[]) =>
    self.with({
      excludedNames: new Set([...self.options.excludedNames, ...given(names).map(toText)]),
    }),
  'excludeFieldsByType/1+': (self: Options, ...types: unknown[]) =>
    self.with({
      excludedTypes: [
        ...self.options.excludedTypes,
        ...given(types).filter((type): type is JavaClass => type instanceof JavaClass),
      ],
    }),
  'dateFormat/1-2': (self: Options, pattern: unknown) => self.with({ dateFormat: toText(pattern) }),
  'timezone/1': (self: Options, zone: unknown) =>
    self.with({ zone: zone instanceof Zone ? zone : zoneOf(toText(zone)) }),
  'disableUnicodeEscaping/0': (self: Options) => self.with({ escapesUnicode: false }),
  'addConverter/2': addConverter,
  'build/0': (self: Options) => new Generator(self.options),
});
defineMethods('groovy.json.JsonGenerator', 'java.lang.Object', {
  'toJson/1': (self: Generator, value: unknown) => writeJson(value, self.options),
  'isExcludingFieldsNamed/1': (self: Generator, name: unknown) =>
    self.options.excludedNames.has(toText(name)),
});
