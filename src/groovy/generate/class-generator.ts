import type { ClassDeclaration, FieldDeclaration, MethodDeclaration, Statement } from '../syntax/ast.ts';
import { ClassChecks } from './class-checks.ts';
import { mark } from './generated-text.ts';
import { classVariable, type FunctionContext } from './generator-context.ts';
import { StatementGenerator } from './statement-generator.ts';

/** Parents that a class of a script may have, besides other classes of the script. */
const OPEN_PARENT = /^(?:java\.lang\.Object|groovy\.util\.Expando|.*(?:Exception|Error|Throwable))$/;

export abstract class ClassGenerator extends StatementGenerator {
  /** All classes of a list with those inside them, each behind its parents. */
  protected declareClasses(
    declarations: readonly ClassDeclaration[],
    prefix = '',
  ): { name: string; node: ClassDeclaration }[] {
    return declarations.flatMap((node) => {
      const name = prefix === '' ? node.name : `${prefix}$${node.name}`;
      if (this.classes.isDeclared(name)) {
        throw this.source.errorAt(node.at, `Invalid duplicate class definition of class ${name}`);
      }
      this.classes.declare(name, node);
      return [{ name, node }, ...this.declareClasses(node.classes, name)];
    });
  }

  protected classDefinitions(declared: readonly { name: string; node: ClassDeclaration }[]): string {
    const news = declared.map(({ name, node }) => {
      const facts = `${JSON.stringify(name)},${JSON.stringify(node.form)},${node.modifiers.has('abstract')}${this.#place(node, name)}`;
      return `const ${classVariable(name)}=$.newClass(${facts});\n`;
    });
    const ordered = [...declared].sort(
      (left, right) => this.#depth(left.node, left.name) - this.#depth(right.node, right.name),
    );
    const checks = new ClassChecks(this.classes, this.source);
    for (const each of declared) checks.check(each);
    const definitions = ordered.map(
      ({ name, node }) => `$.defineClass(${classVariable(name)},$s,${this.classDefinition(node, name)});\n`,
    );
    return news.join('') + definitions.join('');
  }

  /** The class around it, and whether its objects belong to one of that. */
  #place(node: ClassDeclaration, name: string): string {
    const end = name.lastIndexOf('$');
    if (end < 0) return '';
    return `,${classVariable(name.slice(0, end))},${node.form === 'class' && !node.modifiers.has('static')}`;
  }

  #depth(node: ClassDeclaration, name: string, seen = new Set<string>()): number {
    if (seen.has(name))
      throw this.source.errorAt(node.at, `Cycle detected: the class ${name} is its own parent`);
    seen.add(name);
    const parents = [...(node.parent === undefined ? [] : [node.parent]), ...node.interfaces];
    const depths = parents.map((type) => {
      const meaning = this.classes.find(type.name, name);
      return meaning?.kind === 'declared'
        ? this.#depth(meaning.declaration, meaning.name, new Set(seen)) + 1
        : 0;
    });
    return Math.max(0, ...depths);
  }

  protected override classDefinition(node: ClassDeclaration, name: string): string {
    const context: FunctionContext = {
      owner: '$t',
      self: '$t',
      declaration: node,
      className: name,
      isStatic: false,
    };
    return this.inContext(context, () => {
      const parent = node.parent === undefined ? 'null' : this.#parent(node.parent);
      const interfaces = node.interfaces.map((type) => this.typeValue(type));
      const fields = node.fields.map((field) => this.#field(field, context));
      const methods = node.methods.map((method) => this.#method(method, context));
      const constants = node.constants.map(({ name: constant, args, body, at }, index) => {
        const inner = `${name}$${index + 1}`;
        const definition =
          body === undefined ? 'null' : `${classVariable(inner)}=>(${this.classDefinition(body, inner)})`;
        return `{name:${JSON.stringify(constant)},args:()=>${mark(at)}${this.argumentList(args)},body:${definition}}`;
      });
      const initializers = node.initializers.map(({ isStatic, body }) => {
        const code = this.#inFunction({ ...context, isStatic }, () => `($t)=>{${this.functionBody(body)}}`);
        return `{isStatic:${isStatic},run:${code}}`;
      });
      const parts = [
        `parent:${parent}`,
        `interfaces:[${interfaces.join(',')}]`,
        `fields:[${fields.join(',\n')}]`,
        `methods:[${methods.join(',\n')}]`,
        `constants:[${constants.join(',')}]`,
        `initializers:[${initializers.join(',')}]`,
      ];
      return `{${parts.join(',\n')}}`;
    });
  }

  #parent(type: ClassDeclaration['parent'] & object): string {
    const meaning = this.classes.get(type, this.context.className);
    if (meaning.kind === 'known' && !OPEN_PARENT.test(meaning.name)) {
      throw this.source.errorAt(
        type.at,
        `A class cannot extend ${meaning.name} here`,
        'Keep an object of that class in a property instead.',
      );
    }
    return this.meaningValue(meaning);
  }

  #field({ name, type, value, modifiers, at }: FieldDeclaration, context: FunctionContext): string {
    if (type !== undefined) this.typeValue(type);
    const isStatic = modifiers.has('static');
    const isProperty = !['private', 'protected', 'public', 'PackageScope'].some((word) =>
      modifiers.has(word),
    );
    const initial =
      value === undefined
        ? ''
        : `,value:${this.#inFunction({ ...context, isStatic }, () => `($t)=>(${mark(at)}${this.converted(this.expression(value), type, this.kindOf(value))})`)}`;
    const typed = type === undefined ? '' : `,type:()=>${this.typeValue(type)}`;
    const facts = `isStatic:${isStatic},isFinal:${modifiers.has('final')},isProperty:${isProperty}${modifiers.has('Delegate') ? ',isDelegate:true' : ''}`;
    return `{name:${JSON.stringify(name)},${facts}${typed}${initial}}`;
  }

  #method(node: MethodDeclaration, context: FunctionContext): string {
    const isStatic = node.modifiers.has('static');
    const { returns: type } = node;
    if (type !== undefined) this.typeValue(type);
    const own = { ...context, isStatic, ...(type === undefined ? {} : { returns: type }) };
    const code =
      node.body === undefined
        ? 'null'
        : this.#inFunction(own, () =>
            this.parameterized(node.parameters, '$t', () => this.#methodBody(node)),
          );
    const isPrivate = node.modifiers.has('private');
    const run = node.modifiers.has('Memoized') ? `$.memoized(${code},true)` : code;
    return `{name:${JSON.stringify(node.name)},isStatic:${isStatic},isPrivate:${isPrivate},run:${run},shape:[${this.shape(node.parameters)}]}`;
  }

  /** A constructor may begin with `this(…)` or `super(…)`; without, the fields get their values first. */
  #methodBody(node: MethodDeclaration): string {
    const body = node.body ?? [];
    if (node.name !== '<init>') return this.functionBody(body);
    const [first, ...rest] = body;
    const type = classVariable(this.context.className);
    const value = first?.kind === 'expression' && first.value.kind === 'call' ? first.value : undefined;
    const kind = value?.callee.kind;
    if (value === undefined || (kind !== 'this' && kind !== 'super')) {
      return `$.superConstructor(${type},$t,[]);${this.#constructorBody(body)}`;
    }
    const start = kind === 'this' ? 'thisConstructor' : 'superConstructor';
    return `${mark(value.at)}$.${start}(${type},$t,${this.argumentList(value.args)});${this.#constructorBody(rest)}`;
  }

  #constructorBody(body: readonly Statement[]): string {
    const { returns: _returns, ...context } = this.context;
    return this.inContext(context, () => this.functionBody(body));
  }

  #inFunction<T>(context: FunctionContext, body: () => T): T {
    return this.inContext(context, () =>
      this.inScope(context.className.includes('$') ? 'closure' : 'method', body),
    );
  }
}
