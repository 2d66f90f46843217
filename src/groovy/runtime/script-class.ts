import { arrays, missingMethod, parameterTypes } from './closure.ts';
import { addKeyMaker } from './hash-key.ts';
import { type ClassForm, JavaClass } from './java-class.ts';
import { Throwable } from './throwable.ts';
import { listKind } from './values.ts';

/** A method of a class or script, as the compiler hands it over. */
export interface ScriptMethod {
  readonly name: string;
  readonly isStatic: boolean;
  readonly isPrivate: boolean;
  /** A script has added it while it ran: Java's own callers, as those of texts, do not see it. */
  readonly isAdded?: boolean;
  /** Somebody below has to write it; nobody calls it here. */
  readonly isAbstract?: boolean;
  /** Takes the object first. */
  readonly run: (self: unknown, ...args: unknown[]) => unknown;
  readonly least: number;
  readonly most: number;
  readonly hasRest: boolean;
  readonly typesOf: (() => (JavaClass | null)[]) | undefined;
}

export interface ScriptField {
  readonly name: string;
  readonly isStatic: boolean;
  readonly isFinal: boolean;
  /** Whether it has no access modifier, and so a getter and a setter. */
  readonly isProperty: boolean;
  /** `@Delegate`: the object has the methods of this one. */
  readonly isDelegate?: boolean;
  readonly type?: () => JavaClass;
  readonly value?: (self: unknown) => unknown;
}

/** A class that a script declares. */
export class ScriptClass extends JavaClass {
  override readonly isDeclared = true;
  readonly statics: Record<string, unknown> = Object.create(null);
  readonly methodsByName = new Map<string, ScriptMethod[]>();
  readonly isAbstract: boolean;
  /** Its `invokeMethod` is asked whatever is called on its objects: what it has is found by its metaClass alone. */
  isIntercepted = false;
  /** The same of what is called on the class itself. */
  isStaticIntercepted = false;
  fields: ScriptField[] = [];
  constants: unknown[] = [];
  initializers: ((self: unknown) => unknown)[] = [];
  /** What stands around an anonymous class. */
  outer: unknown = null;
  /** The class in which it is declared. */
  readonly enclosing: ScriptClass | null;
  /** Whether its objects belong to an object of the class in which it is declared. */
  readonly isInner: boolean;

  constructor(
    name: string,
    form: ClassForm,
    isAbstract: boolean,
    enclosing: ScriptClass | null = null,
    isInner = false,
  ) {
    super(name, form);
    this.isAbstract = isAbstract;
    this.enclosing = enclosing;
    this.isInner = isInner;
  }

  addMethod(method: ScriptMethod): void {
    const known = this.methodsByName.get(method.name);
    if (known === undefined) this.methodsByName.set(method.name, [method]);
    else known.push(method);
  }

  /** The methods of that name here or above, the nearest first. */
  findMethods(name: string): ScriptMethod[] {
    const found: ScriptMethod[] = [];
    const visit = (type: JavaClass | null) => {
      if (!(type instanceof ScriptClass)) return;
      found.push(...(type.methodsByName.get(name) ?? []).filter(({ isAbstract }) => isAbstract !== true));
      visit(type.parent);
      for (const each of type.interfaces) visit(each);
    };
    visit(this);
    return found;
  }

  /** The names of fields and of what getters give, those of the parents first. */
  propertyNames(): ReadonlySet<string> {
    const names = new Set(this.parent instanceof ScriptClass ? this.parent.propertyNames() : []);
    for (const { name } of this.fields) names.add(name);
    for (const [method, [first]] of this.methodsByName) {
      const [, prefix, letter, rest] = /^(get|is)([A-Z])(.*)$/.exec(method) ?? [];
      if (prefix !== undefined && letter !== undefined && first?.least === 0)
        names.add(letter.toLowerCase() + rest);
    }
    return names;
  }

  /** The fields of objects of the class, its own before those of its parents. */
  allFields(): ScriptField[] {
    return [...this.fields, ...(this.parent instanceof ScriptClass ? this.parent.allFields() : [])];
  }

  findField(name: string): ScriptField | undefined {
    const own = this.fields.find((field) => field.name === name);
    if (own !== undefined) return own;
    return this.parent instanceof ScriptClass ? this.parent.findField(name) : undefined;
  }

  /** The class here or above whose static field it is. */
  staticHome(name: string): ScriptClass | undefined {
    if (name in this.statics) return this;
    for (const type of [this.parent, ...this.interfaces]) {
      const home = type instanceof ScriptClass ? type.staticHome(name) : undefined;
      if (home !== undefined) return home;
    }
    return undefined;
  }
}

export class ScriptObject {
  readonly type: ScriptClass;
  readonly fields: Record<string, unknown> = Object.create(null);

  constructor(type: ScriptClass) {
    this.type = type;
  }
}

/** The object around each object of an inner class. */
const outerObjects = new WeakMap<object, unknown>();

export function setOuter(self: object, outer: unknown): void {
  outerObjects.set(self, outer);
}

/** Where an object looks for what its class and those above do not have, the nearest first. */
export function surroundings(self: object): unknown[] {
  const found: unknown[] = [];
  for (
    let type: JavaClass | null = scriptClassOf(self) ?? null;
    type instanceof ScriptClass;
    type = type.parent
  ) {
    if (type.outer !== null) found.push(type.outer);
    else if (outerObjects.has(self)) found.push(outerObjects.get(self));
    for (let around = type.enclosing; around !== null; around = around.enclosing) found.push(around);
  }
  return found;
}

/** The object of a class that is `self` or stands around it. */
export function outerOf(self: unknown, wanted: ScriptClass): unknown {
  for (let at = self; at instanceof ScriptObject; at = outerObjects.get(at))
    if (at.type.isSubclassOf(wanted)) return at;
  return null;
}

/** The class of an object that a script's class made, exceptions included. */
export function scriptClassOf(value: unknown): ScriptClass | undefined {
  if (value instanceof ScriptObject) return value.type;
  return value instanceof Throwable && value.type instanceof ScriptClass ? value.type : undefined;
}

/** The method that fits the arguments best with the arguments as it wants them. */
export function selectMethod(
  methods: readonly ScriptMethod[],
  args: readonly unknown[],
): { readonly method: ScriptMethod; readonly args: unknown[] } | undefined {
  let best: { method: ScriptMethod; args: unknown[]; cost: number } | undefined;
  for (const method of methods) {
    const fitting = fitArguments(method, args);
    if (fitting !== undefined && (best === undefined || fitting.cost < best.cost))
      best = { method, ...fitting };
  }
  return best;
}

function fitArguments(
  method: ScriptMethod,
  args: readonly unknown[],
): { args: unknown[]; cost: number } | undefined {
  const { least, most, hasRest } = method;
  if (args.length < least || (args.length > most && !hasRest)) return undefined;
  const types = method.typesOf?.() ?? [];
  const given = hasRest ? packRest(args, most, types[most - 1] ?? null) : [...args];
  let cost = hasRest ? 50 : 0;
  for (const [index, value] of given.entries()) {
    const type = types[index] ?? null;
    if (type === null || value === undefined) {
      cost += value === null ? 0 : 10;
      continue;
    }
    const fitting = parameterTypes.fit(value, type);
    if (fitting === undefined) return undefined;
    cost += typeDistance(value, type, fitting.value);
    given[index] = fitting.value;
  }
  return { args: given, cost };
}

/** Filled in by whoever knows the class of any value. */
export const typing = { typeOf: (_value: unknown): JavaClass | null => null };

function typeDistance(value: unknown, type: JavaClass, fitted: unknown): number {
  if (value !== fitted) return 8;
  const own = typing.typeOf(value);
  if (own === null) return type.name === 'java.lang.Object' ? 0 : 1;
  if (own === type) return 0;
  if (type.name === 'java.lang.Object') return 10;
  return type.form === 'interface' ? 3 : 2;
}

function packRest(args: readonly unknown[], most: number, type: JavaClass | null): unknown[] {
  const fixed = most - 1;
  const last = args[fixed];
  const isPacked = args.length === most && Array.isArray(last) && listKind(last)?.element !== undefined;
  const packed: unknown[] = args.slice(0, fixed);
  while (packed.length < fixed) packed.push(undefined);
  packed.push(isPacked ? last : arrays.make(args.slice(fixed), type));
  return packed;
}

export function callScriptMethod(
  methods: readonly ScriptMethod[],
  name: string,
  self: unknown,
  args: readonly unknown[],
  className: string,
): unknown {
  const selected = selectMethod(methods, args);
  if (selected === undefined) throw missingMethod(className, name, args);
  return selected.method.run(self, ...selected.args);
}

const equals = new Map<string, object[]>();

/** The first object that this one is equal to, by the class's own `hashCode` and `equals`. */
addKeyMaker(
  (value): value is object => scriptClassOf(value) !== undefined,
  (value) => {
    const type = scriptClassOf(value);
    if (type === undefined) return value;
    const hashing = type.findMethods('hashCode');
    const comparing = type.findMethods('equals');
    if (hashing.length === 0 || comparing.length === 0) return value;
    const hash = `${type.name} ${String(callScriptMethod(hashing, 'hashCode', value, [], type.name))}`;
    const known = equals.get(hash) ?? [];
    const same = known.find(
      (other) => callScriptMethod(comparing, 'equals', value, [other], type.name) === true,
    );
    if (same !== undefined) return same;
    equals.set(hash, [...known, value]);
    return value;
  },
);
