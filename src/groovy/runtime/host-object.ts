import { capitalize } from './capitalize.ts';
import { missingMethod } from './closure.ts';
import { decapitalize, hasCapitalBehind, hostCalls } from './dispatch.ts';
import { dispatcher } from './dispatch-port.ts';
import { classNamed, type JavaClass } from './java-class.ts';
import { defineMethods } from './method-table.ts';
import { toText } from './text.ts';
import { JavaObject } from './values.ts';

const GROOVY_OBJECT_CLASS = classNamed('groovy.lang.GroovyObject');

type Convert = (value: unknown) => unknown;

/** The property that a getter of the name reads. */
function propertyRead(name: string): string | undefined {
  const prefix = ['get', 'is'].find((each) => hasCapitalBehind(name, each));
  return prefix === undefined ? undefined : decapitalize(name.slice(prefix.length));
}

/** An object of the host with functions, such as `svc`: its members are methods and properties. */
export class HostObject extends JavaObject {
  readonly type: JavaClass = GROOVY_OBJECT_CLASS;
  readonly target: object;
  readonly toGroovy: Convert;
  readonly toJson: Convert;

  constructor(target: object, toGroovy: Convert, toJson: Convert) {
    super();
    this.target = target;
    this.toGroovy = toGroovy;
    this.toJson = toJson;
  }

  member(name: string): unknown {
    return Object.hasOwn(this.target, name) ? Reflect.get(this.target, name) : undefined;
  }

  /** Whether a call by the name means something. */
  has(name: string): boolean {
    if (typeof this.member(name) === 'function') return true;
    const property = propertyRead(name);
    return property !== undefined && this.member(property) !== undefined;
  }

  call(name: string, args: readonly unknown[]): unknown {
    const run = this.member(name);
    if (typeof run === 'function')
      return this.toGroovy(Reflect.apply(run, this.target, args.map(this.toJson)));
    const property = propertyRead(name);
    const value = property === undefined || args.length > 0 ? undefined : this.member(property);
    if (value === undefined) throw missingMethod('the object of the host', name, args);
    return this.toGroovy(value);
  }
}

defineMethods('groovy.lang.GroovyObject', 'java.lang.Object', {
  // All objects have one, which would hide that of `identityServer`.
  'getProperty/1': (self: unknown, name: unknown) =>
    self instanceof HostObject && typeof self.member('getProperty') === 'function'
      ? self.call('getProperty', [name])
      : dispatcher.property(self, toText(name)),
  'propertyMissing/1': (self: unknown, name: string) => {
    if (!(self instanceof HostObject)) return undefined;
    const value = self.member(name);
    if (value !== undefined && typeof value !== 'function') return self.toGroovy(value);
    for (const getter of [`get${capitalize(name)}`, `is${capitalize(name)}`]) {
      if (typeof self.member(getter) === 'function') return self.call(getter, []);
    }
    return value === undefined ? undefined : self.toGroovy(value);
  },
});

hostCalls.find = (receiver, name) => {
  if (!(receiver instanceof HostObject)) return undefined;
  return receiver.has(name) ? (args) => receiver.call(name, args) : undefined;
};
