import { cloneJson, getMember, type JsonObject, type JsonValue, setAt, setMember } from '#json/index.ts';
import { toText } from './coercion.ts';
import { type ExpressionScope, evaluate } from './evaluate.ts';
import { ExpressionError } from './expression-error.ts';
import type { Expression, Node } from './node.ts';
import { toJson } from './value.ts';

/** The variable that an assignment changes, and its new value as a whole. */
export interface Assignment {
  readonly name: string;
  readonly value: JsonValue;
}

/**
 * Takes an expression such as `#{customer.address['city']}` for a place and puts a value there. The scope is
 * read and not written: the caller stores what comes out.
 *
 * @throws ExpressionError when the expression names no variable; BadRequestError when it leads through a
 *   text, a number or outside a list
 */
export async function assign(
  expression: Expression,
  value: JsonValue,
  scope: ExpressionScope,
): Promise<Assignment> {
  const [only] = expression.parts;
  if (expression.parts.length !== 1 || only === undefined || typeof only === 'string') {
    throw noPlace(expression, 0);
  }
  const path: string[] = [];
  let node: Node = only;
  for (; node.kind === 'member'; node = node.object) {
    path.unshift(toText(await evaluate({ text: expression.text, parts: [node.key] }, scope)));
  }
  if (node.kind !== 'name') throw noPlace(expression, node.at);
  const { name } = node;
  const holder: JsonObject = {};
  setMember(holder, name, cloneJson(toJson(scope.findVariable(name))));
  setAt(holder, [name, ...path], value);
  return { name, value: getMember(holder, name) ?? null };
}

function noPlace({ text }: Expression, at: number): ExpressionError {
  return new ExpressionError(text, at, 'is no place for a value', 'Name one variable, or a member of one');
}
