import { didYouMean } from '#errors/index.ts';
import { getMember } from '#json/index.ts';
import {
  CoercionError,
  compare,
  describe,
  isEmpty,
  isEqual,
  toBoolean,
  toNumber,
  toText,
} from './coercion.ts';
import { dateOf } from './date-value.ts';
import { ExpressionError } from './expression-error.ts';
import { callMethod, methodNames } from './method.ts';
import type { BinaryOperator, Expression, Node } from './node.ts';
import { chain, HostObject, isObject, type MaybePromise, type Value } from './value.ts';
import { callFunction } from './variable-function.ts';

/** Where an expression finds its names. */
export interface ExpressionScope {
  /** A variable, an implicit name or a delegate; undefined when there is none. */
  find(name: string): Value | undefined;
  /** A variable only, for the `vars:` functions. */
  findVariable(name: string): Value | undefined;
  /** The fields of a task, for `task:get`; null when there is none of that id. */
  findTask?(id: string): MaybePromise<Value>;
}

/**
 * The value of an expression: that of its `${…}` when it is nothing else, otherwise a text. A promise only
 * when a method that was called gave one.
 *
 * @throws ExpressionError for an unknown name or method, or a value of the wrong kind, with its position;
 *   whatever a called method throws
 */
export function evaluate(expression: Expression, scope: ExpressionScope): MaybePromise<Value> {
  const [first] = expression.parts;
  const evaluator = new Evaluator(expression.text, scope);
  if (first === undefined) return '';
  if (expression.parts.length === 1) return typeof first === 'string' ? first : evaluator.value(first);
  return chain(
    evaluator.all(expression.parts, (part) => (typeof part === 'string' ? part : evaluator.value(part))),
    (values) => values.map(toText).join(''),
  );
}

class Evaluator {
  readonly #text: string;
  readonly #scope: ExpressionScope;

  constructor(text: string, scope: ExpressionScope) {
    this.#text = text;
    this.#scope = scope;
  }

  value(node: Node): MaybePromise<Value> {
    switch (node.kind) {
      case 'literal':
        return node.value;
      case 'name':
        return this.#name(node.name, node.at);
      case 'member':
        return chain(this.value(node.object), (object) =>
          object === null ? null : chain(this.value(node.key), (key) => this.#member(object, key, node.at)),
        );
      case 'call':
        return chain(this.value(node.object), (object) =>
          chain(this.#args(node.args), (args) => this.#call(object, node.method, args, node.at)),
        );
      case 'function':
        return chain(this.#args(node.args), ([name = null, ...args]) =>
          this.#guard(node.at, () => callFunction(node.name, this.#scope.findVariable(toText(name)), args)),
        );
      case 'task':
        return chain(this.value(node.id), (id) => this.#scope.findTask?.(toText(id)) ?? null);
      case 'unary':
        return chain(this.value(node.operand), (operand) =>
          this.#guard(node.at, () => {
            if (node.operator === 'empty') return isEmpty(operand);
            return node.operator === '!' ? !toBoolean(operand) : -toNumber(operand);
          }),
        );
      case 'binary':
        return this.#binary(node.operator, node.left, node.right, node.at);
      case 'conditional':
        return chain(this.value(node.test), (test) =>
          this.value(this.#guard(node.test.at, () => toBoolean(test)) ? node.yes : node.no),
        );
    }
  }

  /** One after the other, also when one of them waits. */
  all<T>(items: readonly T[], one: (item: T) => MaybePromise<Value>): MaybePromise<Value[]> {
    const values: Value[] = [];
    const from = (index: number): MaybePromise<Value[]> => {
      for (let next = index; next < items.length; next++) {
        const value = one(items[next]!);
        if (value instanceof Promise) {
          return value.then((resolved) => {
            values.push(resolved);
            return from(next + 1);
          });
        }
        values.push(value);
      }
      return values;
    };
    return from(0);
  }

  #args(nodes: readonly Node[]): MaybePromise<Value[]> {
    return this.all(nodes, (node) => this.value(node));
  }

  #name(name: string, at: number): Value {
    const value = this.#scope.find(name);
    if (value === undefined) {
      throw new ExpressionError(
        this.#text,
        at,
        `uses an unknown name '${name}'`,
        `Set the variable, or write vars:get(${name})`,
      );
    }
    return value;
  }

  #member(object: Value, key: Value, at: number): Value {
    if (object instanceof HostObject) {
      const value = object.property(toText(key));
      if (value === undefined) throw this.#unknown('property', object, toText(key), [], at);
      return value;
    }
    const ms = dateOf(object);
    if (ms !== undefined && key === 'time') return ms;
    if (isObject(object)) return getMember(object, toText(key)) ?? null;
    const index = Array.isArray(object) ? listIndex(key) : undefined;
    if (!Array.isArray(object) || index === undefined) {
      throw this.#unknown('property', object, toText(key), [], at);
    }
    return object[index] ?? null;
  }

  #call(object: Value, method: string, args: readonly Value[], at: number): MaybePromise<Value> {
    if (object === null) throw new ExpressionError(this.#text, at, `calls '${method}' on null`);
    if (object instanceof HostObject) {
      const member = object.method(method);
      if (member === undefined) throw this.#unknown('method', object, method, object.methodNames(), at);
      return member(...args);
    }
    const result = this.#guard(at, () => callMethod(object, method, args));
    if (result === undefined) throw this.#unknown('method', object, method, methodNames(object), at);
    return result;
  }

  #binary(operator: BinaryOperator, left: Node, right: Node, at: number): MaybePromise<Value> {
    return chain(this.value(left), (a) => {
      if (operator === '&&' && !this.#guard(at, () => toBoolean(a))) return false;
      if (operator === '||' && this.#guard(at, () => toBoolean(a))) return true;
      return chain(this.value(right), (b) => this.#guard(at, () => operate(operator, a, b)));
    });
  }

  #guard<T>(at: number, operation: () => T): T {
    try {
      const result = operation();
      if (typeof result === 'number' && !Number.isFinite(result))
        throw new CoercionError('gives no finite number');
      return result;
    } catch (error) {
      if (error instanceof CoercionError) throw new ExpressionError(this.#text, at, error.message);
      throw error;
    }
  }

  #unknown(what: string, object: Value, name: string, known: Iterable<string>, at: number): ExpressionError {
    return new ExpressionError(
      this.#text,
      at,
      `asks for the unknown ${what} '${name}' of ${describe(object)}`,
      didYouMean(name, known),
    );
  }
}

function listIndex(key: Value): number | undefined {
  const index = typeof key === 'string' && /^\d{1,9}$/.test(key) ? Number(key) : key;
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 ? index : undefined;
}

function operate(operator: BinaryOperator, left: Value, right: Value): Value {
  switch (operator) {
    case '+':
      return toNumber(left) + toNumber(right);
    case '-':
      return toNumber(left) - toNumber(right);
    case '*':
      return toNumber(left) * toNumber(right);
    case '/':
      return divide(toNumber(left), toNumber(right), (a, b) => a / b);
    case '%':
      return divide(toNumber(left), toNumber(right), (a, b) => a % b);
    case '==':
      return isEqual(left, right);
    case '!=':
      return !isEqual(left, right);
    case '<':
      return comparable(left, right) && compare(left, right) < 0;
    case '>':
      return comparable(left, right) && compare(left, right) > 0;
    case '<=':
      return left === right || (comparable(left, right) && compare(left, right) <= 0);
    case '>=':
      return left === right || (comparable(left, right) && compare(left, right) >= 0);
    case '&&':
    case '||':
      return toBoolean(right);
  }
}

/** Nothing is less or more than null. */
function comparable(left: Value, right: Value): boolean {
  return left !== null && right !== null;
}

function divide(left: number, right: number, operation: (left: number, right: number) => number): number {
  if (right === 0) throw new CoercionError('divides by zero');
  return operation(left, right);
}
