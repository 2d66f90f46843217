import { Closure } from '../closure.ts';
import { missing } from '../dispatch.ts';
import { classNamed, type JavaClass } from '../java-class.ts';
import { JavaMap } from '../java-map.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import { copyClosure } from '../methods/object-methods.ts';
import { toText } from '../text.ts';
import { badArgument } from '../throwable.ts';
import { JavaObject } from '../values.ts';

const EXPANDO_CLASS = classNamed('groovy.util.Expando');

/** An object whose properties are what was put there; closures among them are its methods. */
class Expando extends JavaObject {
  readonly type: JavaClass = EXPANDO_CLASS;
  readonly properties: JavaMap;

  constructor(properties: JavaMap) {
    super();
    this.properties = properties;
  }

  method(name: string): Closure | undefined {
    const value = this.properties.find(name)?.value;
    return value instanceof Closure ? value : undefined;
  }

  /** The closure finds the properties of the object behind those of its owner. */
  invoke(closure: Closure, args: readonly unknown[]): unknown {
    const bound = copyClosure(closure);
    bound.delegate = this;
    return bound.call(args);
  }

  override toText(): string {
    const own = this.method('toString');
    if (own !== undefined) return toText(this.invoke(own, []));
    const parts = this.properties.list().map(({ key, value }) => `${toText(key)}=${toText(value)}`);
    return `{${parts.join(', ')}}`;
  }
}

defineMethods('groovy.util.Expando', 'java.lang.Object', {
  'getProperties/0': (self: Expando) => self.properties,
  'hasProperty/1': (self: Expando, name: unknown) =>
    self.properties.has(toText(name)) ? toText(name) : null,
  'propertyMissing/1-2': (self: Expando, name: string, ...values: unknown[]) =>
    values.length === 0 ? (self.properties.find(name)?.value ?? null) : self.properties.put(name, values[0]),
  'methodMissing/2': (self: Expando, name: string, args: unknown[]) => {
    const own = self.method(name);
    if (own === undefined) throw missing(self, name, args);
    return self.invoke(own, args);
  },
});
defineStatics('groovy.util.Expando', {
  'new/0-1': (given?: unknown) => {
    const properties = new JavaMap();
    if (given !== undefined && !(given instanceof JavaMap)) throw badArgument();
    if (given !== undefined) for (const { key, value } of given.list()) properties.put(toText(key), value);
    return new Expando(properties);
  },
});
