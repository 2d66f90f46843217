import type { JsonValue } from '#json/index.ts';

export type BinaryOperator =
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '=='
  | '!='
  | '<'
  | '>'
  | '<='
  | '>='
  | '&&'
  | '||';
export type UnaryOperator = '!' | '-' | 'empty';

/** The syntax tree; `at` is the offset into the text, for messages. */
export type Node =
  | { readonly kind: 'literal'; readonly at: number; readonly value: JsonValue }
  | { readonly kind: 'name'; readonly at: number; readonly name: string }
  | { readonly kind: 'member'; readonly at: number; readonly object: Node; readonly key: Node }
  | {
      readonly kind: 'call';
      readonly at: number;
      readonly object: Node;
      readonly method: string;
      readonly args: readonly Node[];
    }
  | { readonly kind: 'function'; readonly at: number; readonly name: string; readonly args: readonly Node[] }
  /** The task of an id. */
  | { readonly kind: 'task'; readonly at: number; readonly id: Node }
  | {
      readonly kind: 'unary';
      readonly at: number;
      readonly operator: UnaryOperator;
      readonly operand: Node;
    }
  | {
      readonly kind: 'binary';
      readonly at: number;
      readonly operator: BinaryOperator;
      readonly left: Node;
      readonly right: Node;
    }
  | {
      readonly kind: 'conditional';
      readonly at: number;
      readonly test: Node;
      readonly yes: Node;
      readonly no: Node;
    };

/** A parsed attribute value: literal text, one expression, or a mixture that makes a text. */
export interface Expression {
  readonly text: string;
  readonly parts: readonly (string | Node)[];
}

/** Expressions may stand where scripts do. */
export function isJuel(format: string): boolean {
  return format.toLowerCase() === 'juel';
}

export function isLiteral(expression: Expression): boolean {
  return expression.parts.every((part) => typeof part === 'string');
}
