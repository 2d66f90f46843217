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
  properties?: JavaMap;

  override toText(): string {
    return textOf(this);
  }
}

/** One, or an object of a script class that extends it. */
type Extended = Pick<Expando, 'properties'>;

function propertiesOf(self: Extended): JavaMap {
  self.properties ??= new JavaMap();
  return self.properties;
}

function methodOf(self: Extended, name: string): Closure | undefined {
  const value = propertiesOf(self).find(name)?.value;
  return value instanceof Closure ? value : undefined;
}

/** The closure finds the properties of the object behind those of its owner. */
function invoke(self: Extended, closure: Closure, args: readonly unknown[]): unknown {
  const bound = copyClosure(closure);
  bound.delegate = self;
  return bound.call(args);
}

function textOf(self: Extended): string {
  const own = methodOf(self, 'toString');
  if (own !== undefined) return toText(invoke(self, own, []));
  const parts = propertiesOf(self)
    .list()
    .map(({ key, value }) => `${toText(key)}=${toText(value)}`);
  return `{${parts.join(', ')}}`;
}

function fill(self: Extended, given: unknown): void {
  if (given === undefined) return;
  if (!(given instanceof JavaMap)) throw badArgument();
  for (const { key, value } of given.list()) propertiesOf(self).put(toText(key), value);
}

defineMethods('groovy.util.Expando', 'java.lang.Object', {
  'toString/0': textOf,
  'getProperties/0': propertiesOf,
  'hasProperty/1': (self: Extended, name: unknown) =>
    propertiesOf(self).has(toText(name)) ? toText(name) : null,
  'propertyMissing/1-2': (self: Extended, name: string, ...values: unknown[]) =>
    values.length === 0
      ? (propertiesOf(self).find(name)?.value ?? null)
      : propertiesOf(self).put(name, values[0]),
  'methodMissing/2': (self: Extended, name: string, args: unknown[]) => {
    const own = methodOf(self, name);
    if (own === undefined) throw missing(self, name, args);
    return invoke(self, own, args);
  },
});
defineStatics('groovy.util.Expando', {
  'new/0-1': (given?: unknown) => {
    const expando = new Expando();
    fill(expando, given);
    return expando;
  },
});
