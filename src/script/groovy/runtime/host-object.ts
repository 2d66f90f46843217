import { missingMethod } from './closure.ts';
import { capitalize, decapitalize, hostCalls } from './dispatch.ts';
import { classNamed, type JavaClass } from './java-class.ts';
import { defineMethods } from './method-table.ts';
import { JavaObject } from './values.ts';

type Convert = (value: unknown) => unknown;

/** An object of the host with functions, such as `svc`: its members are methods and properties. */
export class HostObject extends JavaObject {
  readonly type: JavaClass = classNamed('groovy.lang.GroovyObject');
  readonly target: Record<string, unknown>;
  readonly toGroovy: Convert;
  readonly toJson: Convert;

  constructor(target: Record<string, unknown>, toGroovy: Convert, toJson: Convert) {
    super();
    this.target = target;
    this.toGroovy = toGroovy;
    this.toJson = toJson;
  }

  member(name: string): unknown {
    return Object.hasOwn(this.target, name) ? this.target[name] : undefined;
  }

  /** Whether a call by the name means something. */
  has(name: string): boolean {
    if (typeof this.member(name) === 'function') return true;
    const property = /^(?:get|is)(\p{Lu}.*)$/u.exec(name);
    return property !== null && this.member(decapitalize(property[1]!)) !== undefined;
  }

  call(name: string, args: readonly unknown[]): unknown {
    const run = this.member(name);
    if (typeof run === 'function')
      return this.toGroovy(Reflect.apply(run, this.target, args.map(this.toJson)));
    const property = /^(?:get|is)(\p{Lu}.*)$/u.exec(name);
    const value = property === null || args.length > 0 ? undefined : this.member(decapitalize(property[1]!));
    if (value === undefined) throw missingMethod('the object of the host', name, args);
    return this.toGroovy(value);
  }
}

defineMethods('groovy.lang.GroovyObject', 'java.lang.Object', {
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
