import type { Expression } from '../syntax/ast.ts';
import { generateCondition } from './conditions.ts';
import { mark } from './generated-text.ts';
import type { Generation } from './generation.ts';
import { kindOf } from './kinds.ts';
import { generateTextOf } from './texts.ts';

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

/** The text of a number by which a remainder never fails. */
const POSITIVE = /^[1-9]\d*$/;

/** Operators for which it pays to look at the types before the runtime is called. */
const QUICK = new Set(['+', '-', '<', '<=', '>', '>=', '==', '!=', '<=>']);

export interface Operand {
  readonly code: string;
  readonly isInt: boolean;
  /** May be written twice: a variable or a number. */
  readonly isSimple: boolean;
}

export function generateUnary(g: Generation, node: Expression & { kind: 'unary' }): string {
  if (node.operator === '!') return `!${generateCondition(g, node.value)}`;
  const value = g.expression(node.value);
  if (node.operator === '~') g.notePattern(node.value);
  if (node.operator === '-' && kindOf(g, node.value) === 'int') return `(-${value}|0)`;
  return `${mark(node.at)}$.${UNARY_FUNCTIONS[node.operator]}(${value})`;
}

export function generateBinary(g: Generation, node: Expression & { kind: 'binary' }): string {
  const { operator, left, right, at } = node;
  if (operator === '=~' || operator === '==~') g.notePattern(right);
  if (operator === '&&' || operator === '||')
    return `(${generateCondition(g, left)}${operator}${generateCondition(g, right)})`;
  if ((operator === '==' || operator === '!=') && isNull(right)) {
    return `(${g.expression(left)}${operator}=null)`;
  }
  if (operator === '+' && kindOf(g, left) === 'string')
    return `(${g.expression(left)}+${generateTextOf(g, right)})`;
  if (operator === '+' && right.kind === 'constant' && kindOf(g, right) === 'string') {
    const { value, first } = twice(g, operandOf(g, left));
    const text = g.expression(right);
    return `(typeof ${first}==="string"?${value}+${text}:${mark(at)}$.plus(${value},${text}))`;
  }
  if (operator === '==' || operator === '!=') {
    const quick = equalToText(g, operator, left, right, at) ?? equalToText(g, operator, right, left, at);
    if (quick !== undefined) return quick;
  }
  return operateOn(g, operator, operandOf(g, left), operandOf(g, right), at);
}

/** A comparison with a text that is written out: only an object may be equal to it without being the same. */
function equalToText(
  g: Generation,
  operator: '==' | '!=',
  node: Expression,
  text: Expression,
  at: number,
): string | undefined {
  if (text.kind !== 'constant' || typeof text.value !== 'string') return undefined;
  const { value, first } = twice(g, operandOf(g, node));
  const written = JSON.stringify(text.value);
  const general = `typeof ${value}==="object"&&${mark(at)}$.equal(${value},${written})`;
  return `${operator === '!=' ? '!' : ''}(${first}===${written}||${general})`;
}

/** A value that is looked at more than once: the JavaScript of the first time, and of the others. */
function twice(g: Generation, { code, isSimple }: Operand): { first: string; value: string } {
  if (isSimple) return { first: code, value: code };
  const value = g.variable();
  return { first: `(${value}=${code})`, value };
}

/** Next to an int, the other side is most often a number as well. */
function operateOn(g: Generation, operator: string, left: Operand, right: Operand, at: number): string {
  const areInts = left.isInt && right.isInt && operator !== '<=>';
  if (!QUICK.has(operator) || areInts || (left.isSimple && right.isSimple))
    return operate(operator, left, right, at);
  // Both sides are evaluated before either is looked at, and the right one may assign the variable on the left.
  const isKept = left.isSimple && (right.isSimple || !isVariable(left));
  const one = twice(g, { ...left, isSimple: isKept });
  const other = twice(g, right);
  const general = `${mark(at)}$.${OPERATOR_FUNCTIONS[operator]}(${one.value},${other.value})`;
  if (operator === '==' || operator === '!=') {
    const areTexts = `typeof ${one.value}==="string"&&typeof ${other.value}==="string"`;
    const isOther = `!(${areTexts})&&${mark(at)}$.equal(${one.value},${other.value})`;
    return `${operator === '!=' ? '!' : ''}(${one.first}===${other.first}||${isOther})`;
  }
  const tests = `typeof ${one.first}==="number"&typeof ${other.first}==="number"`;
  return `(${tests}?${INT_CODE[operator]!(one.value, other.value)}:${general})`;
}

export function operandOf(g: Generation, node: Expression): Operand {
  const code = g.expression(node);
  const isLocal = node.kind === 'name' && g.scope.find(node.name) !== undefined;
  const isInt = kindOf(g, node) === 'int';
  return { code, isInt, isSimple: isLocal || (isInt && node.kind === 'number') };
}

export function operate(operator: string, left: Operand, right: Operand, at: number): string {
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

function isVariable({ code }: Operand): boolean {
  return code.startsWith('v$');
}

function quickRemainder(left: string, right: string, at: number): string {
  return `(typeof ${left}==="number"?${left}%${right}|0:${mark(at)}$.remainder(${left},${right}))`;
}

function isNull(node: Expression): boolean {
  return node.kind === 'constant' && node.value === null;
}
