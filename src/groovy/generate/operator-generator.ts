import type { Expression } from '../syntax/ast.ts';
import { CallGenerator } from './call-generator.ts';
import { mark } from './generated-text.ts';

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
export const INT_CODE: Readonly<Record<string, (left: string, right: string) => string>> = {
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

/** Operators with one side and with two. */
export abstract class OperatorGenerator extends CallGenerator {
  protected unary(node: Expression & { kind: 'unary' }): string {
    if (node.operator === '!') return `!${this.truth(node.value)}`;
    const value = this.expression(node.value);
    if (node.operator === '~') this.notePattern(node.value);
    if (node.operator === '-' && this.kindOf(node.value) === 'int') return `(-${value}|0)`;
    return `${mark(node.at)}$.${UNARY_FUNCTIONS[node.operator]}(${value})`;
  }

  protected binary(node: Expression & { kind: 'binary' }): string {
    const { operator, left, right, at } = node;
    if (operator === '=~' || operator === '==~') this.notePattern(right);
    if (operator === '&&' || operator === '||') return `(${this.truth(left)}${operator}${this.truth(right)})`;
    if ((operator === '==' || operator === '!=') && isNull(right)) {
      return `(${this.expression(left)}${operator}=null)`;
    }
    if (operator === '+' && this.kindOf(left) === 'string')
      return `(${this.expression(left)}+${this.asText(right)})`;
    if (operator === '+' && right.kind === 'constant' && this.kindOf(right) === 'string') {
      const { value, first } = this.#twice(this.operand(left));
      const text = this.expression(right);
      return `(typeof ${first}==="string"?${value}+${text}:${mark(at)}$.plus(${value},${text}))`;
    }
    if (operator === '==' || operator === '!=') {
      const quick =
        this.#equalToText(operator, left, right, at) ?? this.#equalToText(operator, right, left, at);
      if (quick !== undefined) return quick;
    }
    return this.#operateOn(operator, this.operand(left), this.operand(right), at);
  }

  /** A comparison with a text that is written out: only an object may be equal to it without being the same. */
  #equalToText(operator: '==' | '!=', node: Expression, text: Expression, at: number): string | undefined {
    if (text.kind !== 'constant' || typeof text.value !== 'string') return undefined;
    const { value, first } = this.#twice(this.operand(node));
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

  protected operand(node: Expression): Operand {
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
