import type { Expression } from '../syntax/ast.ts';
import { assignMany, generateAssignment, generateStep } from './assignments.ts';
import { generateCall } from './calls.ts';
import { checkStatic, classOf, typeValue } from './class-references.ts';
import { generateClosure } from './closures.ts';
import { asCondition, generateCondition } from './conditions.ts';
import { mark } from './generated-text.ts';
import { type Generation, isAnything } from './generation.ts';
import { kindOf } from './kinds.ts';
import { generateIndex, generateItems, generateMap } from './lists.ts';
import { methodName } from './method-calls.ts';
import { generateName } from './names.ts';
import { generateNew } from './new-objects.ts';
import { numberLiteral } from './number-literal.ts';
import { generateBinary, generateUnary } from './operators.ts';
import { generateProperty } from './properties.ts';
import { generateSwitchValue } from './switches.ts';
import { generateText } from './texts.ts';

function generateNumber(g: Generation, node: Expression & { kind: 'number' }): string {
  const literal = numberLiteral(node.text);
  if ('problem' in literal) throw g.source.errorAt(node.at, literal.problem);
  return literal.isShared ? g.constant(literal.code) : literal.code;
}

export function generateExpression(g: Generation, node: Expression): string {
  switch (node.kind) {
    case 'constant':
      return JSON.stringify(node.value);
    case 'number':
      return generateNumber(g, node);
    case 'text':
      return generateText(g, node);
    case 'name':
      return generateName(g, node.name, node.at);
    case 'this':
      return g.context.self;
    case 'super':
      return g.context.self;
    case 'list':
      return `[${generateItems(g, node.items)}]`;
    case 'map':
      return generateMap(g, node.entries);
    case 'spread':
      throw g.source.errorAt(node.at, "'*' spreads a list in a call or a list only");
    case 'closure':
      return generateClosure(g, node);
    case 'property':
      return generateProperty(g, node);
    case 'index':
      return generateIndexAccess(g, node);
    case 'call':
      return generateCall(g, node);
    case 'new':
      return generateNew(g, node);
    case 'newArray':
      return generateNewArray(g, node);
    case 'methodPointer':
      return generateMethodPointer(g, node);
    case 'unary':
      return generateUnary(g, node);
    case 'step':
      return generateStep(g, node, true);
    case 'binary':
      return generateBinary(g, node);
    case 'range':
      return `${mark(node.at)}$.range(${g.expression(node.from)},${g.expression(node.to)},${node.opensLeft},${node.opensRight})`;
    case 'choice':
      return generateChoice(g, node);
    case 'assign':
      return generateAssignment(g, node);
    case 'assignMany':
      return assignMany(g, node.targets, g.expression(node.value));
    case 'cast':
      return generateCast(g, node);
    case 'as':
      return `${mark(node.at)}$.asType(${g.expression(node.value)},${typeValue(g, node.type)})`;
    case 'instanceof': {
      const test = `$.isInstance(${g.expression(node.value)},${typeValue(g, node.type)})`;
      return node.isNegated ? `(!${test})` : test;
    }
    case 'switchValue':
      return `${generateSwitchValue(g, node.statement)}()`;
  }
}

function generateIndexAccess(
  g: Generation,
  { object, args, isSafe, at }: Expression & { kind: 'index' },
): string {
  const receiver = g.expression(object);
  const index = generateIndex(g, args);
  return `${mark(at)}$.${isSafe ? 'indexSafe' : 'index'}(${receiver},${index})`;
}

function generateNewArray(
  g: Generation,
  { type, sizes, items, at }: Expression & { kind: 'newArray' },
): string {
  const value = typeValue(g, type);
  if (items !== undefined) return `${mark(at)}$.asType(${g.expression(items)},${value})`;
  return `${mark(at)}$.newArray(${value},[${sizes.map((size) => g.expression(size)).join(',')}])`;
}

function generateMethodPointer(
  g: Generation,
  { object, name, at }: Expression & { kind: 'methodPointer' },
): string {
  const { owner, self } = g.context;
  const meaning = classOf(g, object);
  if (meaning !== undefined && name === 'new') checkStatic(g, meaning, 'new', true, at);
  return `${mark(at)}$.pointer(${g.expression(object)},${methodName(g, name)},${owner},${self})`;
}

function generateChoice(g: Generation, { test, then, otherwise }: Expression & { kind: 'choice' }): string {
  if (then === undefined) {
    const value = g.variable();
    const tested = asCondition(`${value}=${g.expression(test)}`, kindOf(g, test));
    return `(${tested}?${value}:${g.expression(otherwise)})`;
  }
  return `(${generateCondition(g, test)}?${g.expression(then)}:${g.expression(otherwise)})`;
}

function generateCast(g: Generation, { type, value, at }: Expression & { kind: 'cast' | 'as' }): string {
  const code = g.expression(value);
  if (isAnything(type)) return code;
  if (type.name === 'int' && type.dimensions === 0 && kindOf(g, value) === 'int') return code;
  return `${mark(at)}$.castTo(${code},${typeValue(g, type)})`;
}
