import type { Expression, SwitchStatement } from '../syntax/ast.ts';
import { CallGenerator } from './call-generator.ts';
import { mark } from './generated-text.ts';
import { isAnything } from './generator-context.ts';
import type { StaticKind } from './scope.ts';

const OPERATOR_FUNCTIONS: Readonly<Record<string, string>> = {
  '+': 'plus',
  '-': 'minus',
  '*': 'multiply',
  '/': 'divide',
  '%': 'remainder',
  '**': 'power',
  '<<': 'leftShift',
  '>>': 'rightShift',
  '>>>': 'rightShiftUnsigned',
  '&': 'and',
  '|': 'or',
  '^': 'xor',
  '==': 'equal',
  '!=': 'unequal',
  '===': 'same',
  '!==': 'notSame',
  '<=>': 'compare',
  '<': 'less',
  '<=': 'lessOrEqual',
  '>': 'greater',
  '>=': 'greaterOrEqual',
  in: 'isIn',
  '!in': 'isNotIn',
  '=~': 'find',
  '==~': 'matches',
};
const UNARY_FUNCTIONS: Readonly<Record<string, string>> = {
  '-': 'negative',
  '+': 'positive',
  '~': 'bitwiseNegate',
};
/** Operators that JavaScript does as Groovy when both sides are ints. */
const INT_CODE: Readonly<Record<string, (left: string, right: string) => string>> = {
  '+': (left, right) => `(${left}+${right}|0)`,
  '-': (left, right) => `(${left}-${right}|0)`,
  '*': (left, right) => `Math.imul(${left},${right})`,
  '&': (left, right) => `(${left}&${right})`,
  '|': (left, right) => `(${left}|${right})`,
  '^': (left, right) => `(${left}^${right})`,
  '<': (left, right) => `(${left}<${right})`,
  '<=': (left, right) => `(${left}<=${right})`,
  '>': (left, right) => `(${left}>${right})`,
  '>=': (left, right) => `(${left}>=${right})`,
  '==': (left, right) => `(${left}===${right})`,
  '!=': (left, right) => `(${left}!==${right})`,
  '<=>': (left, right) => `(${left}<${right}?-1:${left}>${right}?1:0)`,
};
/** By such a number a remainder never fails. */
const POSITIVE = /^[1-9]\d*$/;
/** Those that are worth a look at the types before the runtime is called. */
const QUICK = new Set(['+', '-', '<', '<=', '>', '>=', '==', '!=', '<=>']);

export abstract class ExpressionGenerator extends CallGenerator {
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
        return this.#unary(node);
      case 'step':
        return this.step(node, true);
      case 'binary':
        return this.#binary(node);
      case 'range':
        return `${mark(node.at)}$.range(${this.expression(node.from)},${this.expression(node.to)},${node.opensLeft},${node.opensRight})`;
      case 'choice':
        return this.#choice(node);
      case 'assign':
        return this.#assign(node);
      case 'assignMany':
        return this.#assignMany(node.targets, this.expression(node.value));
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
    const index = this.#indexValue(args);
    return `${mark(at)}$.${isSafe ? 'indexSafe' : 'index'}(${receiver},${index})`;
  }

  #indexValue(args: readonly Expression[]): string {
    const [first] = args;
    return args.length === 1 && first!.kind !== 'spread' ? this.expression(first!) : `[${this.items(args)}]`;
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

  #unary(node: Expression & { kind: 'unary' }): string {
    if (node.operator === '!') return `!${this.truth(node.value)}`;
    const value = this.expression(node.value);
    if (node.operator === '~') this.notePattern(node.value);
    if (node.operator === '-' && this.kindOf(node.value) === 'int') return `(-${value}|0)`;
    return `${mark(node.at)}$.${UNARY_FUNCTIONS[node.operator]}(${value})`;
  }

  #binary(node: Expression & { kind: 'binary' }): string {
    const { operator, left, right, at } = node;
    if (operator === '=~' || operator === '==~') this.notePattern(right);
    if (operator === '&&' || operator === '||') return `(${this.truth(left)}${operator}${this.truth(right)})`;
    if ((operator === '==' || operator === '!=') && isNull(right)) {
      return `(${this.expression(left)}${operator}=null)`;
    }
    if (operator === '+' && this.kindOf(left) === 'string')
      return `(${this.expression(left)}+${this.asText(right)})`;
    if (operator === '+' && right.kind === 'constant' && this.kindOf(right) === 'string') {
      const { value, first } = this.#twice(this.#operand(left));
      const text = this.expression(right);
      return `(typeof ${first}==="string"?${value}+${text}:${mark(at)}$.plus(${value},${text}))`;
    }
    if (operator === '==' || operator === '!=') {
      const quick =
        this.#equalToText(operator, left, right, at) ?? this.#equalToText(operator, right, left, at);
      if (quick !== undefined) return quick;
    }
    return this.#operateOn(operator, this.#operand(left), this.#operand(right), at);
  }

  /** A comparison with a text that is written out: only an object may be equal to it without being the same. */
  #equalToText(operator: '==' | '!=', node: Expression, text: Expression, at: number): string | undefined {
    if (text.kind !== 'constant' || typeof text.value !== 'string') return undefined;
    const { value, first } = this.#twice(this.#operand(node));
    const written = JSON.stringify(text.value);
    const general = `typeof ${value}==="object"&&${mark(at)}$.equal(${value},${written})`;
    return `${operator === '!=' ? '!' : ''}(${first}===${written}||${general})`;
  }

  /** A value that is looked at more than once: the JavaScript of the first time, and of the others. */
  #twice({ code, isSimple }: Operand): { first: string; value: string } {
    if (isSimple) return { first: code, value: code };
    const value = this.variable();
    return { first: `(${value}=${code})`, value };
  }

  /** Next to an int, the other side is most often a number as well. */
  #operateOn(operator: string, left: Operand, right: Operand, at: number): string {
    const areInts = left.isInt && right.isInt && operator !== '<=>';
    if (!QUICK.has(operator) || areInts || (left.isSimple && right.isSimple))
      return this.operate(operator, left, right, at);
    // Both sides are evaluated before either is looked at, and the right one may assign the variable on the left.
    const isKept = left.isSimple && (right.isSimple || !isVariable(left));
    const one = this.#twice({ ...left, isSimple: isKept });
    const other = this.#twice(right);
    const general = `${mark(at)}$.${OPERATOR_FUNCTIONS[operator]}(${one.value},${other.value})`;
    if (operator === '==' || operator === '!=') {
      const areTexts = `typeof ${one.value}==="string"&&typeof ${other.value}==="string"`;
      const isOther = `!(${areTexts})&&${mark(at)}$.equal(${one.value},${other.value})`;
      return `${operator === '!=' ? '!' : ''}(${one.first}===${other.first}||${isOther})`;
    }
    const tests = `typeof ${one.first}==="number"&typeof ${other.first}==="number"`;
    return `(${tests}?${INT_CODE[operator]!(one.value, other.value)}:${general})`;
  }

  #operand(node: Expression): Operand {
    const code = this.expression(node);
    const isLocal = node.kind === 'name' && this.scope.find(node.name) !== undefined;
    const isInt = this.kindOf(node) === 'int';
    return { code, isInt, isSimple: isLocal || (isInt && node.kind === 'number') };
  }

  protected operate(operator: string, left: Operand, right: Operand, at: number): string {
    if (operator === '%' && POSITIVE.test(right.code)) {
      if (left.isInt) return `(${left.code}%${right.code}|0)`;
      if (left.isSimple) return quickRemainder(left.code, right.code, at);
    }
    const intCode = INT_CODE[operator];
    if (intCode !== undefined && left.isInt && right.isInt) return intCode(left.code, right.code);
    const general = `${mark(at)}$.${OPERATOR_FUNCTIONS[operator]}(${left.code},${right.code})`;
    if (intCode === undefined || !QUICK.has(operator) || !left.isSimple || !right.isSimple) return general;
    const tests = [left, right].filter(({ isInt }) => !isInt).map(({ code }) => `typeof ${code}==="number"`);
    return `(${tests.join('&&')}?${intCode(left.code, right.code)}:${general})`;
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

  #assign(node: Expression & { kind: 'assign' }): string {
    const { operator, target, value, at } = node;
    if (operator === '=') return this.assignTo(target, this.expression(value), at, this.kindOf(value));
    if (operator === '?=') {
      return this.#update(target, at, (old) => `$.truth(${old})?${old}:${this.expression(value)}`);
    }
    const binary = operator.slice(0, -1);
    const right = this.#operand(value);
    const local = target.kind === 'name' ? this.scope.find(target.name) : undefined;
    const isInt = local?.kind === 'int';
    const kind = isInt && right.isInt && INT_CODE[binary] !== undefined ? 'int' : 'unknown';
    return this.#update(
      target,
      at,
      (old, isSimple) => this.operate(binary, { code: old, isInt, isSimple }, right, at),
      kind,
    );
  }

  protected assignTo(target: Expression, value: string, at: number, kind: StaticKind = 'unknown'): string {
    switch (target.kind) {
      case 'name': {
        const local = this.scope.find(target.name);
        if (local !== undefined) {
          if (local.isFinal) {
            throw this.source.errorAt(
              at,
              `The variable [${target.name}] is declared final but is reassigned`,
            );
          }
          return `(${local.js}=${this.converted(value, local.type, kind)})`;
        }
        const own = this.ownField(target.name);
        if (own !== undefined) return `(${own}=${this.#convertedField(target.name, value)})`;
        const { owner } = this.context;
        return `${mark(at)}$.setName(${owner},${this.free(target.name)},${value})`;
      }
      case 'property': {
        const { object, name, access, isField } = target;
        if (name === 'metaClass' && object.kind !== 'this') {
          throw this.source.errorAt(
            target.at,
            'metaClass is not supported here',
            'Classes cannot be changed here.',
          );
        }
        const key = typeof name === 'string' ? JSON.stringify(name) : `$.toText(${this.expression(name)})`;
        if (object.kind === 'this' && typeof name === 'string') {
          const own = this.ownField(name);
          if (own !== undefined) return `(${own}=${this.#convertedField(name, value)})`;
        }
        const set = isField ? 'setField' : access === '?.' ? 'setPropertySafe' : 'setProperty';
        return `${mark(at)}$.${set}(${this.expression(object)},${key},${value})`;
      }
      case 'index':
        return `${mark(at)}$.setIndex(${this.expression(target.object)},${this.#indexValue(target.args)},${value})`;
      default:
        throw this.source.errorAt(target.at, 'Only a variable, a property or an index can be assigned to');
    }
  }

  #convertedField(name: string, value: string): string {
    return this.converted(value, this.context.declaration?.fields.find((field) => field.name === name)?.type);
  }

  /** Reads once, writes once. `compute` gets the JavaScript of the old value. */
  #update(
    target: Expression,
    at: number,
    compute: (old: string, isSimple: boolean) => string,
    kind: StaticKind = 'unknown',
  ): string {
    switch (target.kind) {
      case 'name':
        return this.assignTo(
          target,
          compute(this.name(target.name, target.at), this.scope.find(target.name) !== undefined),
          at,
          kind,
        );
      case 'property': {
        const { object, name } = target;
        const own = object.kind === 'this' && typeof name === 'string' ? this.ownField(name) : undefined;
        if (own !== undefined) return `(${own}=${this.#convertedField(String(name), compute(own, false))})`;
        const key = typeof name === 'string' ? JSON.stringify(name) : `$.toText(${this.expression(name)})`;
        const old = this.temporary();
        const update = target.isField ? 'updateField' : 'updateProperty';
        return `${mark(at)}$.${update}(${this.expression(object)},${key},${old}=>${compute(old, true)})`;
      }
      case 'index': {
        const old = this.temporary();
        const receiver = this.expression(target.object);
        return `${mark(at)}$.updateIndex(${receiver},${this.#indexValue(target.args)},${old}=>${compute(old, true)})`;
      }
      default:
        throw this.source.errorAt(target.at, 'Only a variable, a property or an index can be assigned to');
    }
  }

  /** `++` and `--`; the old value is kept only when somebody wants it. */
  protected step(node: Expression & { kind: 'step' }, isValueWanted: boolean): string {
    const { operator, isPrefix, target, at } = node;
    const step = operator === '++' ? 'next' : 'previous';
    const local = target.kind === 'name' ? this.scope.find(target.name) : undefined;
    if (local?.kind === 'int' && !local.isFinal) {
      const [sign, back] = operator === '++' ? ['+', '-'] : ['-', '+'];
      const changed = `(${local.js}=${local.js}${sign}1|0)`;
      return isPrefix || !isValueWanted ? changed : `(${changed}${back}1|0)`;
    }
    const isAssignable = target.kind === 'name' || target.kind === 'property' || target.kind === 'index';
    if (!isAssignable) return `${mark(at)}$.${step}(${this.expression(target)})`;
    if (isPrefix || !isValueWanted) return this.#update(target, at, (old) => `$.${step}(${old})`);
    const kept = this.variable();
    const update = this.#update(target, at, (old) => `$.${step}(${kept}=${old})`);
    return `(${update},${kept})`;
  }

  #assignMany(targets: readonly Expression[], value: string): string {
    const list = this.variable();
    const parts = targets.map((target, index) =>
      this.assignTo(target, `$.itemOf(${list},${index})`, target.at),
    );
    return `(${list}=${value},${parts.join(',')},${list})`;
  }
}

export interface Operand {
  readonly code: string;
  readonly isInt: boolean;
  /** May be written twice: a variable or a number. */
  readonly isSimple: boolean;
}

function isVariable({ code }: Operand): boolean {
  return code.startsWith('v$');
}

function quickRemainder(left: string, right: string, at: number): string {
  return `(typeof ${left}==="number"?${left}%${right}|0:${mark(at)}$.remainder(${left},${right}))`;
}

function isNull(node: Expression): boolean {
  return node.kind === 'constant' && node.value === null;
}
