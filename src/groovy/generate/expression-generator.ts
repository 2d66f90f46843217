import type { Expression, SwitchStatement } from '../syntax/ast.ts';
import { AssignmentGenerator } from './assignment-generator.ts';
import { mark } from './generated-text.ts';
import { isAnything } from './generator-context.ts';

export abstract class ExpressionGenerator extends AssignmentGenerator {
  protected abstract switchFunction(node: SwitchStatement): string;

  protected override expression(node: Expression): string {
    switch (node.kind) {
      case 'constant':
        return JSON.stringify(node.value);
      case 'number':
        return this.number(node);
      case 'text':
        return this.text(node);
      case 'name':
        return this.name(node.name, node.at);
      case 'this':
        return this.context.self;
      case 'super':
        return this.context.self;
      case 'list':
        return `[${this.items(node.items)}]`;
      case 'map':
        return this.map(node.entries);
      case 'spread':
        throw this.source.errorAt(node.at, "'*' spreads a list in a call or a list only");
      case 'closure':
        return this.closure(node);
      case 'property':
        return this.property(node);
      case 'index':
        return this.#index(node);
      case 'call':
        return this.call(node);
      case 'new':
        return this.newValue(node);
      case 'newArray':
        return this.#newArray(node);
      case 'methodPointer':
        return this.#methodPointer(node);
      case 'unary':
        return this.unary(node);
      case 'step':
        return this.step(node, true);
      case 'binary':
        return this.binary(node);
      case 'range':
        return `${mark(node.at)}$.range(${this.expression(node.from)},${this.expression(node.to)},${node.opensLeft},${node.opensRight})`;
      case 'choice':
        return this.#choice(node);
      case 'assign':
        return this.assign(node);
      case 'assignMany':
        return this.assignMany(node.targets, this.expression(node.value));
      case 'cast':
        return this.#cast(node);
      case 'as':
        return `${mark(node.at)}$.asType(${this.expression(node.value)},${this.typeValue(node.type)})`;
      case 'instanceof': {
        const test = `$.isInstance(${this.expression(node.value)},${this.typeValue(node.type)})`;
        return node.isNegated ? `(!${test})` : test;
      }
      case 'switchValue':
        return `${this.switchFunction(node.statement)}()`;
    }
  }

  #index({ object, args, isSafe, at }: Expression & { kind: 'index' }): string {
    const receiver = this.expression(object);
    const index = this.indexValue(args);
    return `${mark(at)}$.${isSafe ? 'indexSafe' : 'index'}(${receiver},${index})`;
  }

  #newArray({ type, sizes, items, at }: Expression & { kind: 'newArray' }): string {
    const value = this.typeValue(type);
    if (items !== undefined) return `${mark(at)}$.asType(${this.expression(items)},${value})`;
    return `${mark(at)}$.newArray(${value},[${sizes.map((size) => this.expression(size)).join(',')}])`;
  }

  #methodPointer({ object, name, at }: Expression & { kind: 'methodPointer' }): string {
    const { owner, self } = this.context;
    const meaning = this.classOf(object);
    if (meaning !== undefined && name === 'new') this.checkStatic(meaning, 'new', true, at);
    return `${mark(at)}$.pointer(${this.expression(object)},${this.methodName(name)},${owner},${self})`;
  }

  #choice({ test, then, otherwise }: Expression & { kind: 'choice' }): string {
    if (then === undefined) {
      const value = this.variable();
      const tested = this.truthOf(`${value}=${this.expression(test)}`, this.kindOf(test));
      return `(${tested}?${value}:${this.expression(otherwise)})`;
    }
    return `(${this.truth(test)}?${this.expression(then)}:${this.expression(otherwise)})`;
  }

  #cast({ type, value, at }: Expression & { kind: 'cast' | 'as' }): string {
    const code = this.expression(value);
    if (isAnything(type)) return code;
    if (type.name === 'int' && type.dimensions === 0 && this.kindOf(value) === 'int') return code;
    return `${mark(at)}$.castTo(${code},${this.typeValue(type)})`;
  }
}
