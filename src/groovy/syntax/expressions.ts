import { parseArgument } from './arguments.ts';
import type { Argument, Expression } from './ast.ts';
import { assignmentOperator } from './binary-operators.ts';
import { parseChoice } from './operations.ts';
import type { Parsing } from './parsing.ts';
import { LONGEST_CHAIN, parsePostfix, startsArgument, tooLong } from './postfix.ts';
import { isOperator } from './token-cursor.ts';

export function parseExpression(p: Parsing): Expression {
  return p.nested(() => parseAssignment(p));
}

/** Parses an expression, or `name value, value`, a call without brackets. */
export function parseExpressionOrCommand(p: Parsing): Expression {
  let value = p.expression();
  if (!isCommandTarget(p, value)) return value;
  for (let links = 0; startsArgument(p); links++) {
    if (links > LONGEST_CHAIN) throw tooLong(p);
    // In `a b c d` the third word is a method of what the first call gives.
    if (value.kind === 'call' && p.token.kind === 'name') {
      const { text, at } = p.take();
      value = { kind: 'property', object: value, name: text, access: '.', isField: false, at };
      value = parsePostfix(p, value);
      if (!isCommandTarget(p, value) || !startsArgument(p)) continue;
    }
    value = { kind: 'call', callee: value, args: parseCommandArguments(p), at: value.at };
  }
  return value;
}

function isCommandTarget(p: Parsing, value: Expression): boolean {
  if (value.kind === 'call' || value.kind === 'index') return true;
  const isQuoted = value.kind === 'constant' && typeof value.value === 'string';
  const isPath = value.kind === 'name' || value.kind === 'property' || isQuoted;
  return isPath && !isOperator(p.previous, ')');
}

function parseCommandArguments(p: Parsing): Argument[] {
  const args = [parseArgument(p)];
  while (p.takeIf(',')) args.push(parseArgument(p));
  return args;
}

function parseAssignment(p: Parsing): Expression {
  const target = parseChoice(p);
  const operator = assignmentOperator(p);
  if (operator === undefined) return target;
  const { at } = p.token;
  p.index += operator.tokens;
  if (target.kind === 'list' && operator.text === '=' && p.tokens[p.index - 2]?.text === ')') {
    return { kind: 'assignMany', targets: target.items, value: p.expressionOrCommand(), at };
  }
  if (target.kind !== 'name' && target.kind !== 'property' && target.kind !== 'index') {
    throw p.source.errorAt(
      target.at,
      'The left side of an assignment must be a variable, a property or an index',
    );
  }
  return { kind: 'assign', operator: operator.text, target, value: p.expressionOrCommand(), at };
}
