import type { Argument, CallExpression, Expression, PropertyExpression } from '../syntax/ast.ts';
import { pathText } from '../syntax/path-text.ts';
import type { ClassMeaning } from './class-names.ts';
import { mark } from './generated-text.ts';
import { classVariable } from './generator-context.ts';
import { PATTERN_METHODS } from './pattern-literal.ts';
import { TEXT_METHODS } from './text-methods.ts';
import { ValueGenerator } from './value-generator.ts';

/** What is refused by name, because nothing like it exists or may exist here. */
const REFUSED_CALLS: Readonly<Record<string, string>> = {
  evaluate: 'Scripts cannot compile other scripts; write a closure.',
};
const REFUSED_METHODS: Readonly<Record<string, string>> = {
  getClassLoader: 'There are no class loaders here.',
};
const REFUSED_PROPERTIES = new Set(['classLoader']);

/** Names of members that are no different in JavaScript. */
const MEMBER = /^(?!__proto__$)[a-zA-Z_$][\w$]*$/;

/** Those of a resource path that a text has not, or that mean something else there. */
const PATH_METHODS = new Set(['head', 'tail', 'leaf', 'parent', 'size', 'get', 'child', 'concat']);

/** Calls, properties, `new`. */
export abstract class CallGenerator extends ValueGenerator {
  protected call(node: CallExpression): string {
    const { callee, args, at } = node;
    if (callee.kind === 'name') return this.#callByName(callee.name, args, callee.at);
    if (callee.kind === 'constant' && typeof callee.value === 'string') {
      return this.#callByName(callee.value, args, callee.at);
    }
    if (callee.kind === 'property') return this.#methodCall(callee, args);
    if (callee.kind === 'this' || callee.kind === 'super') {
      throw this.source.errorAt(at, `${callee.kind}() must be the first statement of a constructor`);
    }
    return `${mark(at)}$.callValue(${this.expression(callee)},${this.argumentList(args)})`;
  }

  protected override argumentList(args: readonly Argument[]): string {
    const named = args.filter(({ key }) => key !== undefined);
    const values = this.items(args.filter(({ key }) => key === undefined).map(({ value }) => value));
    if (named.length === 0) return `[${values}]`;
    const map = this.map(
      named.map(({ key, value }) => (key!.kind === 'spread' ? { value: key! } : { key: key!, value })),
    );
    return values === '' ? `[${map}]` : `[${map},${values}]`;
  }

  #callByName(name: string, args: readonly Argument[], at: number): string {
    const local = this.scope.find(name);
    if (local !== undefined) return `${mark(at)}$.callValue(${local.js},${this.argumentList(args)})`;
    if (Object.hasOwn(REFUSED_CALLS, name) && args.length > 0 && !this.directMethods.has(name)) {
      throw this.source.errorAt(at, `${name}() is not supported here`, REFUSED_CALLS[name]);
    }
    if (this.classes.newified.has(name))
      return this.newValue({ kind: 'new', type: { name, dimensions: 0, at }, args, at });
    const { declaration, owner } = this.context;
    if (declaration === undefined) {
      const direct = this.#directCall(name, args, at);
      if (direct !== undefined) return direct;
    }
    const isOwn = declaration?.methods.some((method) => method.name === name) ?? false;
    if (!isOwn && !this.directMethods.has(name) && this.classes.missing.isImported(name))
      this.classes.missing.report(name, at);
    if (!isOwn && !this.directMethods.has(name)) {
      const imported = this.#importedStatic(name, true, at);
      if (imported !== undefined)
        return `${mark(at)}$.call(${imported.type},${imported.member},${this.argumentList(args)})`;
    }
    if (this.context.isStatic && isOwn && owner === '$t') {
      return `${mark(at)}$.call($t,${JSON.stringify(name)},${this.argumentList(args)})`;
    }
    return `${mark(at)}$.callName(${owner},${this.free(name)},${this.argumentList(args)})`;
  }

  #importedStatic(name: string, isCall: boolean, at: number): { type: string; member: string } | undefined {
    const single = this.classes.staticNames.get(name);
    if (single !== undefined) {
      const meaning = { kind: 'known', name: single.className } as const;
      this.checkStatic(meaning, single.member, isCall, at);
      return { type: this.meaningValue(meaning), member: JSON.stringify(single.member) };
    }
    for (const className of this.classes.staticStars) {
      if (this.isStaticMember(className, name, isCall)) {
        return { type: this.meaningValue({ kind: 'known', name: className }), member: JSON.stringify(name) };
      }
    }
    return undefined;
  }

  protected abstract isStaticMember(className: string, member: string, isCall: boolean): boolean;

  #directCall(name: string, args: readonly Argument[], at: number): string | undefined {
    const method = this.directMethods.get(name);
    if (method === undefined || args.length < method.least || args.length > method.most) return undefined;
    if (args.some(({ key, value }) => key !== undefined || value.kind === 'spread')) return undefined;
    const values = args.map(({ value }, index) => {
      const type = method.types[index];
      const code = this.expression(value);
      if (type === undefined || (type.name === 'int' && this.kindOf(value) === 'int')) return code;
      return `$.argument(${code},${this.typeValue(type)},${JSON.stringify(name)})`;
    });
    return `${mark(at)}${method.js}(${values.join(',')})`;
  }

  #methodCall(callee: PropertyExpression, args: readonly Argument[]): string {
    const { object, name, access, at, isField } = callee;
    const list = () => this.argumentList(args);
    if (isField) return `${mark(at)}$.callValue(${this.property(callee)},${list()})`;
    const method = this.methodName(name);
    if (typeof name === 'string' && Object.hasOwn(REFUSED_METHODS, name)) {
      throw this.source.errorAt(at, `${name}() is not supported here`, REFUSED_METHODS[name]);
    }
    if (name === 'execute' && startsProgram(object)) {
      throw this.source.errorAt(at, 'A text or a list cannot be executed', 'Scripts cannot start programs.');
    }
    if (object.kind === 'super') {
      const type = classVariable(this.context.className);
      return `${mark(at)}$.superCall(${type},${this.context.self},${method},${list()})`;
    }
    if (object.kind === 'text' && name === 'toString' && args.length === 0) {
      return this.plainText(object);
    }
    const meaning = this.classOf(object);
    if (meaning !== undefined && typeof name === 'string') this.checkStatic(meaning, name, true, at);
    if (object.kind === 'property') this.refuseUnknownClass(object);
    const quick = access === '.' && !this.#isPath(object, name) ? this.#textCall(callee, args) : undefined;
    if (quick !== undefined) return quick;
    const receiver = this.#isPath(object, name) ? this.#path(object) : this.expression(object);
    if (typeof name === 'string' && PATTERN_METHODS.has(name)) this.notePattern(args[0]?.value);
    if (access === '*.') return `${mark(at)}$.callEach(${receiver},${method},${list()})`;
    if (access === '?.') return `${mark(at)}$.callSafe(${receiver},${method},()=>${list()})`;
    // The only place where the static type of an argument decides: list.remove((Object) 3).
    const [only] = args;
    if (name === 'remove' && args.length === 1 && only!.key === undefined && isObjectCast(only!.value)) {
      return `${mark(at)}$.call(${receiver},"removeElement",${list()})`;
    }
    return `${mark(at)}${this.#plainCall(receiver, method, args)}`;
  }

  /** In the field `resourceName` is no text, and its methods are those of a path. */
  #isPath(object: Expression, name: string | Expression): boolean {
    if (object.kind !== 'name' || object.name !== 'resourceName') return false;
    return typeof name === 'string' && PATH_METHODS.has(name) && this.scope.find(object.name) === undefined;
  }

  #path(object: Expression): string {
    const value = this.variable();
    const type = this.constant('$.type("org.forgerock.json.resource.ResourcePath")');
    return `(typeof(${value}=${this.expression(object)})==="string"?$.call(${type},"valueOf",[${value}]):${value})`;
  }

  /** What JavaScript can do itself when the receiver is a text. */
  #textCall({ object, name, at }: PropertyExpression, args: readonly Argument[]): string | undefined {
    if (this.changesClasses) return undefined;
    const method = typeof name === 'string' && args.length === 0 ? TEXT_METHODS[name] : undefined;
    if (method === undefined || object.kind === 'super' || this.classOf(object) !== undefined)
      return undefined;
    const receiver = this.expression(object);
    if (this.kindOf(object) === 'string') return method.code(receiver);
    if (name === 'toString') return `${mark(at)}$.stringOf(${receiver})`;
    const isLocal = object.kind === 'name' && this.scope.find(object.name) !== undefined;
    const value = isLocal ? receiver : this.variable();
    const code = method.code(value);
    const test = `typeof ${isLocal ? value : `(${value}=${receiver})`}==="string"`;
    return `(${test}?${code}:${mark(at)}$.callBare(${value},${JSON.stringify(name)}))`;
  }

  /** Most calls have one argument or none, and need no list of them. */
  #plainCall(receiver: string, method: string, args: readonly Argument[]): string {
    const [only] = args;
    if (only === undefined) return `$.callBare(${receiver},${method})`;
    if (args.length > 1 || only.key !== undefined || only.value.kind === 'spread')
      return `$.call(${receiver},${method},${this.argumentList(args)})`;
    return `$.callWith(${receiver},${method},${this.expression(only.value)})`;
  }

  protected methodName(name: string | Expression): string {
    if (typeof name === 'string') return JSON.stringify(name);
    this.computesMethods = true;
    return `$.toText(${this.expression(name)})`;
  }

  protected property(node: PropertyExpression): string {
    const { object, name, access, isField, at } = node;
    const meaning = access === '.' && !isField ? this.classOf(node) : undefined;
    if (meaning !== undefined) return this.meaningValue(meaning);
    if (typeof name === 'string' && REFUSED_PROPERTIES.has(name) && object.kind !== 'name') {
      throw this.source.errorAt(at, `${name} is not supported here`, 'There are no class loaders here.');
    }
    const owner = this.classOf(object);
    if (owner !== undefined && name === 'class') return this.#classNamedBy(object, owner);
    if (owner !== undefined && name === 'this') {
      const isOuter = owner.kind === 'declared' && owner.name !== this.context.className;
      return isOuter ? `$.outerOf(${this.context.self},${this.meaningValue(owner)})` : this.context.self;
    }
    if (owner !== undefined && typeof name === 'string') this.checkStatic(owner, name, false, at);
    this.refuseUnknownClass(node);
    const key = typeof name === 'string' ? JSON.stringify(name) : `$.toText(${this.expression(name)})`;
    if (object.kind === 'super') {
      return `${mark(at)}$.superProperty(${classVariable(this.context.className)},${this.context.self},${key})`;
    }
    if (typeof name === 'string') this.#noteBindingAccess(object, name);
    const receiver = this.expression(object);
    if (isField) return `${mark(at)}$.field(${receiver},${key})`;
    if (access === '?.') return `${mark(at)}$.propertySafe(${receiver},${key})`;
    if (access === '*.') return `${mark(at)}$.propertyEach(${receiver},${key})`;
    if (object.kind === 'this' && owner === undefined) {
      const own = this.ownField(String(name));
      if (own !== undefined && typeof name === 'string') return own;
    }
    if (object.kind === 'this' || typeof name !== 'string' || !MEMBER.test(name))
      return `${mark(at)}$.property(${receiver},${key})`;
    return this.#quickProperty(object, receiver, name, at);
  }

  /** `String[].class` is the class of the arrays. */
  #classNamedBy(object: Expression, meaning: ClassMeaning): string {
    const dimensions = pathText(object)?.match(/\[\]/g)?.length ?? 0;
    const type = this.meaningValue(meaning);
    return dimensions === 0 ? type : this.constant(`$.arrayType(${type},${dimensions})`);
  }

  /** Most properties are texts in maps that came as JSON; they are read without a call. */
  #quickProperty(object: Expression, receiver: string, name: string, at: number): string {
    const isLocal = object.kind === 'name' && this.scope.find(object.name) !== undefined;
    const holder = isLocal ? receiver : this.variable();
    if (name === 'key' || name === 'value') {
      const entry = isLocal ? holder : `(${holder}=${receiver})`;
      return `(${entry}?.isEntry$?${holder}.${name}:${mark(at)}$.property(${holder},"${name}"))`;
    }
    const value = this.variable();
    const found = `${value}=${isLocal ? holder : `(${holder}=${receiver})`}?.json?.${name}`;
    return `(typeof (${found})==="string"?${value}:${mark(at)}$.property(${holder},${JSON.stringify(name)}))`;
  }

  /** `this.x` in a script is its variable. */
  #noteBindingAccess(object: Expression, name: string): void {
    if (object.kind === 'this' || pathText(object)?.startsWith('binding') === true) this.freeNames.add(name);
  }

  /** A field of the class around, named inside its own methods: no getter is asked. */
  protected ownField(name: string): string | undefined {
    const { declaration, self, owner, isStatic } = this.context;
    if (declaration === undefined || owner !== self) return undefined;
    const field = declaration.fields.find((candidate) => candidate.name === name);
    if (field === undefined) return undefined;
    const isStaticField = field.modifiers.has('static');
    if (isStaticField) return `${classVariable(this.context.className)}.statics[${JSON.stringify(name)}]`;
    return isStatic ? undefined : `${self}.fields[${JSON.stringify(name)}]`;
  }

  protected name(name: string, at: number): string {
    const local = this.scope.find(name);
    if (local !== undefined) return local.js;
    if (name === 'it' && this.context.owner !== '$c' && this.context.declaration === undefined) {
      return `${mark(at)}$.name(${this.context.owner},${this.free(name)})`;
    }
    const own = this.ownField(name);
    if (own !== undefined) return own;
    const meaning = this.classes.find(name.replaceAll('[]', ''), this.context.className);
    if (meaning !== undefined) {
      const type = { name, dimensions: 0, at };
      return name.endsWith('[]') ? this.typeValue(type) : this.meaningValue(meaning);
    }
    if (this.classes.missing.isImported(name)) {
      this.classes.missing.report(name, at);
      return 'null';
    }
    const imported = this.#importedStatic(name, false, at);
    if (imported !== undefined) return `${mark(at)}$.property(${imported.type},${imported.member})`;
    return this.#freeName(name, at);
  }

  /** A variable of the script itself is looked at first: most names are one, and have a value. */
  #freeName(name: string, at: number): string {
    const { owner } = this.context;
    const general = `${mark(at)}$.name(${owner},${this.free(name)})`;
    if (owner !== '$s') return general;
    return `(${this.variableEntry(name)}?.value??${general})`;
  }

  protected newValue(node: Expression & { kind: 'new' }): string {
    const { type, args, body, at } = node;
    const list = this.argumentList(args);
    if (body !== undefined) {
      const { owner } = this.context;
      const value = this.typeValue(type);
      const name = `${this.context.className === '' ? 'Script1' : this.context.className}$${this.temporary().slice(1)}`;
      const definition = this.classDefinition(body, name);
      return `${mark(at)}$.newAnonymous(${JSON.stringify(name)},${value},${owner},${list},${classVariable(name)}=>(${definition}))`;
    }
    const meaning = this.classes.get(type, this.context.className);
    this.checkStatic(meaning, 'new', true, at);
    const declared = meaning.kind === 'declared' ? meaning.declaration : undefined;
    if (declared?.modifiers.has('abstract') || declared?.form === 'interface') {
      throw this.source.errorAt(at, `You cannot create an instance from the abstract class '${type.name}'`);
    }
    const isNested = meaning.kind === 'declared' && meaning.name.includes('$');
    const around = isNested && this.context.declaration !== undefined && !this.context.isStatic;
    return `${mark(at)}$.create(${this.meaningValue(meaning)},${list}${around ? `,${this.context.self}` : ''})`;
  }
}

function startsProgram({ kind, ...object }: Expression): boolean {
  return kind === 'text' || kind === 'list' || ('value' in object && typeof object.value === 'string');
}

function isObjectCast(node: Expression): boolean {
  return node.kind === 'cast' && (node.type.name === 'Object' || node.type.name === 'Integer');
}
