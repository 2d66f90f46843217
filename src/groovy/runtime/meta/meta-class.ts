import { capitalize } from '../capitalize.ts';
import { Closure, missingProperty } from '../closure.ts';
import { call, callUnintercepted, hostCalls } from '../dispatch.ts';
import { dispatcher } from '../dispatch-port.ts';
import { classNamed, JavaClass } from '../java-class.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import { runWith } from '../methods/object-methods.ts';
import { ScriptClass, ScriptObject } from '../script-class.ts';
import { toText } from '../text.ts';
import { Throwable, unsupported } from '../throwable.ts';
import { requireType, typeOf } from '../type-of.ts';
import { JavaObject } from '../values.ts';
import { addMethod, methodOf, type Undo } from './class-changes.ts';
import {
  listed,
  type MetaMethod,
  type MetaProperty,
  methodsNamed,
  methodsOf,
  propertiesOf,
  propertyNamed,
  takes,
} from './meta-members.ts';

/** What was changed, so that `metaClass = null` can take it back. */
const changes = new Map<JavaClass, Undo[]>();

function remember(type: JavaClass, undo: Undo): void {
  changes.set(type, [...(changes.get(type) ?? []), undo]);
}

/** The `metaClass` of a class, or of one object, which gets a class of its own as soon as something is changed. */
class MetaClass extends JavaObject {
  readonly type = classNamed('groovy.lang.ExpandoMetaClass');
  readonly target: JavaClass;
  readonly #object: unknown;

  constructor(target: JavaClass, object?: unknown) {
    super();
    this.target = target;
    this.#object = object;
  }

  get current(): JavaClass {
    return this.#object === undefined ? this.target : requireType(this.#object);
  }

  override key(): unknown {
    return this.current;
  }

  override toText(): string {
    return `groovy.lang.ExpandoMetaClass@1[${this.target.name}]`;
  }

  /** A closure is a method, all else a property. */
  set(name: string, value: unknown, isStatic = false): void {
    if (name === 'constructor' && value instanceof Closure) {
      this.#add(methodOf('$constructor', value, true));
    } else if (name === 'invokeMethod' && value instanceof Closure) {
      this.#intercept(value, isStatic);
    } else if (name === 'getProperty' || name === 'setProperty') {
      throw unsupported(`${name} of a metaClass does not exist here: write propertyMissing, or a getter`);
    } else if (isStatic && name.endsWith('Missing') && value instanceof Closure) {
      this.#add(methodOf(`$static_${name}`, value, true));
    } else if (value instanceof Closure) this.#add(methodOf(name, value, isStatic));
    else this.#addProperty(name, value);
  }

  #add(method: ReturnType<typeof methodOf>): JavaClass {
    const type = this.#object === undefined ? this.target : singleClassOf(this.#object);
    remember(type, addMethod(type, method));
    return type;
  }

  /** `invokeMethod`: whatever is called comes to it. */
  #intercept(closure: Closure, isStatic: boolean): void {
    if (!(this.current instanceof ScriptClass))
      throw unsupported(
        `invokeMethod of a metaClass exists for classes of the script, not for ${this.target.name}: write methodMissing`,
      );
    const name = isStatic ? '$static_invokeMethod' : 'invokeMethod';
    const type = this.#add(methodOf(name, closure, isStatic)) as ScriptClass;
    const mark = isStatic ? 'isStaticIntercepted' : 'isIntercepted';
    const before = type[mark];
    type[mark] = true;
    remember(type, () => {
      type[mark] = before;
    });
  }

  /** Each object has a value of its own. */
  #addProperty(name: string, initial: unknown): void {
    const values = new WeakMap<object, unknown>();
    const get = (self: unknown) =>
      typeof self === 'object' && self !== null && values.has(self) ? values.get(self) : initial;
    const method = { isStatic: false, isPrivate: false, hasRest: false, typesOf: undefined };
    this.#add({ ...method, name: `get${capitalize(name)}`, run: get, least: 0, most: 0 });
    const set = (self: unknown, value: unknown) => {
      if (typeof self !== 'object' || self === null)
        throw unsupported(`A ${toText(typeOf(self))} keeps no values`);
      values.set(self, value);
      return null;
    };
    this.#add({ ...method, name: `set${capitalize(name)}`, run: set, least: 1, most: 1 });
  }
}

/** The class of an object that is changed alone. */
function singleClassOf(object: unknown): JavaClass {
  const type = requireType(object);
  if (type.isSingle) return type;
  const isOwn = object instanceof ScriptObject || object instanceof Throwable || object instanceof JavaObject;
  if (!isOwn || object instanceof MetaClass)
    throw unsupported(
      `An object of ${type.name} cannot be changed alone: change ${type.simpleName}.metaClass, or write a closure`,
    );
  const single =
    type instanceof ScriptClass
      ? new ScriptClass(type.name, type.form, false, type.enclosing, type.isInner)
      : new JavaClass(type.name, type.form);
  single.parent = type;
  single.isSingle = true;
  if (single instanceof ScriptClass && type instanceof ScriptClass) single.isIntercepted = type.isIntercepted;
  else single.table = Object.create(type.methods);
  Object.defineProperty(object, 'type', { value: single, configurable: true, writable: true });
  return single;
}

/** `metaClass.name` and `metaClass.static`: what can be assigned or added to. */
class MetaMember extends JavaObject {
  readonly type = classNamed('groovy.lang.ExpandoMetaClass$ExpandoMetaProperty');
  readonly meta: MetaClass;
  readonly name: string;
  readonly isStatic: boolean;

  constructor(meta: MetaClass, name: string, isStatic: boolean) {
    super();
    this.meta = meta;
    this.name = name;
    this.isStatic = isStatic;
  }
}

defineMethods('groovy.lang.ExpandoMetaClass$ExpandoMetaProperty', 'java.lang.Object', {
  'leftShift/1': (self: MetaMember, value: unknown) => {
    if (!(value instanceof Closure)) throw unsupported('Only a closure can be added');
    self.meta.set(self.name, value, self.isStatic);
    return self;
  },
  'propertyMissing/1-2': (self: MetaMember, name: string, ...values: unknown[]) => {
    if (self.name !== 'static') throw missingProperty(name, 'groovy.lang.ExpandoMetaClass');
    if (values.length === 0) return new MetaMember(self.meta, name, true);
    self.meta.set(name, values[0], true);
    return null;
  },
});

/** Inside `metaClass { … }` calls with a closure are methods; inside `static { … }` they are those of the class. */
class MetaDescription extends JavaObject {
  readonly type = classNamed('groovy.lang.ExpandoMetaClass$DefiningClosure');
  readonly meta: MetaClass;
  readonly isStatic: boolean;

  constructor(meta: MetaClass, isStatic: boolean) {
    super();
    this.meta = meta;
    this.isStatic = isStatic;
  }
}

defineMethods('groovy.lang.ExpandoMetaClass$DefiningClosure', 'java.lang.Object', {
  'propertyMissing/1-2': (self: MetaDescription, name: string, ...values: unknown[]) => {
    if (values.length === 0) return undefined;
    self.meta.set(name, values[0], self.isStatic);
    return null;
  },
});
const others = hostCalls.find;
hostCalls.find = (receiver, name) => {
  if (!(receiver instanceof MetaDescription)) return others(receiver, name);
  return (args) => {
    const [closure] = args;
    if (!(closure instanceof Closure)) throw unsupported(`metaClass { ${name} … } wants a closure`);
    if (name === 'static') describe(new MetaDescription(receiver.meta, true), closure);
    else receiver.meta.set(name, closure, receiver.isStatic);
    return null;
  };
};

function describe(description: MetaDescription, closure: unknown): void {
  runWith(description, closure);
}

/** The `metaClass` of a class that is asked, else that of the object, which may be changed alone. */
function metaClassOf(self: unknown): MetaClass {
  return self instanceof JavaClass ? new MetaClass(self) : new MetaClass(unchanged(requireType(self)), self);
}

function unchanged(type: JavaClass): JavaClass {
  return type.isSingle ? type.parent! : type;
}

function reset(type: JavaClass): void {
  for (const undo of (changes.get(type) ?? []).toReversed()) undo();
  changes.delete(type);
}

function setMetaClass(self: unknown, value: unknown): null {
  if (value !== null) throw unsupported('A metaClass can be changed, but not replaced');
  const type = self instanceof JavaClass ? self : requireType(self);
  if (self instanceof JavaClass || type.isSingle) reset(type);
  return null;
}

defineMethods('java.lang.Object', null, {
  'getMetaClass/0': metaClassOf,
  'setMetaClass/1': setMetaClass,
  'metaClass/1': (self: unknown, closure: unknown) => {
    const meta = metaClassOf(self);
    describe(new MetaDescription(meta, false), closure);
    return meta;
  },
});

function respondsTo(self: MetaClass, target: unknown, name: unknown, ...args: unknown[]): MetaMethod[] {
  const found = methodsNamed(typeOf(target) ?? self.current, toText(name), target);
  return args.length === 0 ? found : found.filter((method) => takes(method, listed(args)));
}

function metaMethod(self: MetaClass, name: unknown, ...args: unknown[]): MetaMethod | null {
  const found = methodsNamed(self.current, toText(name));
  return found.find((method) => takes(method, listed(args))) ?? null;
}

function invoke(_self: MetaClass, target: unknown, name: unknown, ...args: unknown[]): unknown {
  return callUnintercepted(target, toText(name), [...listed(args)]);
}

defineMethods('groovy.lang.ExpandoMetaClass', 'java.lang.Object', {
  'getTheClass/0': (self: MetaClass) => self.target,
  'getMethods/0': (self: MetaClass) => methodsOf(self.current),
  'getMetaMethods/0': (self: MetaClass) => methodsOf(self.current),
  'getProperties/0': (self: MetaClass): MetaProperty[] => propertiesOf(self.current),
  'respondsTo/2-3': respondsTo,
  'hasProperty/2': (self: MetaClass, target: unknown, name: unknown) =>
    propertyNamed(typeOf(target) ?? self.current, toText(name)),
  'getMetaMethod/1-2': metaMethod,
  'pickMethod/2': metaMethod,
  'getStaticMetaMethod/2': metaMethod,
  'hasMetaMethod/1-2': (self: MetaClass, name: unknown, ...args: unknown[]) =>
    metaMethod(self, name, ...args) !== null,
  'getMetaProperty/1': (self: MetaClass, name: unknown) => propertyNamed(self.current, toText(name)),
  'hasMetaProperty/1': (self: MetaClass, name: unknown) => propertyNamed(self.current, toText(name)) !== null,
  'invokeMethod/3': invoke,
  'invokeStaticMethod/3': invoke,
  'invokeConstructor/1': (self: MetaClass, args: unknown) => call(self.target, 'new', [...listed([args])]),
  'getProperty/2': (_self: MetaClass, target: unknown, name: unknown) =>
    dispatcher.property(target, toText(name)),
  'setProperty/3': (_self: MetaClass, target: unknown, name: unknown, value: unknown) => {
    dispatcher.setProperty(target, toText(name), value);
    return null;
  },
  'getAttribute/2': (_self: MetaClass, target: unknown, name: unknown) =>
    dispatcher.property(target, toText(name)),
  'registerInstanceMethod/2': (self: MetaClass, name: unknown, closure: unknown) => {
    self.set(toText(name), closure);
    return null;
  },
  'initialize/0': () => null,
  'propertyMissing/1-2': (self: MetaClass, name: string, ...values: unknown[]) => {
    if (values.length === 0) return new MetaMember(self, name, false);
    self.set(name, values[0]);
    return null;
  },
});

class MetaClassRegistry extends JavaObject {
  readonly type = classNamed('groovy.lang.MetaClassRegistry');
}

defineStatics('groovy.lang.GroovySystem', {
  'getMetaClassRegistry/0': () => new MetaClassRegistry(),
  'getVersion/0': () => '4.0.26',
});
defineMethods('groovy.lang.MetaClassRegistry', 'java.lang.Object', {
  'getMetaClass/1': (_self: unknown, type: JavaClass) => new MetaClass(type),
  'removeMetaClass/1': (_self: unknown, type: JavaClass) => {
    reset(type);
    return null;
  },
});
