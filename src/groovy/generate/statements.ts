import type { Statement } from '../syntax/ast.ts';
import { generateStep } from './assignments.ts';
import { generateBlock, generateBranch, returned } from './blocks.ts';
import { generateCondition } from './conditions.ts';
import { mark } from './generated-text.ts';
import type { Generation } from './generation.ts';
import { generateFor, generateForIn, generateJump, generateLabeled, loopBody, takeLabel } from './loops.ts';
import { generateSwitch } from './switches.ts';
import { generateTry } from './try-statements.ts';
import { generateVariables } from './variables.ts';

/** In a tail position a statement gives the value of its function, so its last expression becomes a `return`. */
export function generateStatement(g: Generation, node: Statement, isTail: boolean): string {
  const { at, kind } = node;
  const isLoop = kind === 'while' || kind === 'doWhile' || kind === 'for' || kind === 'forIn';
  const label = isLoop ? takeLabel(g) : '';
  if (kind !== 'labeled') g.loopLabel = '';
  switch (node.kind) {
    case 'expression':
      if (isTail) return `${mark(at)}return ${returned(g, g.expression(node.value))};\n`;
      return `${mark(at)}${node.value.kind === 'step' ? generateStep(g, node.value, false) : g.expression(node.value)};\n`;
    case 'variable':
      return generateVariables(g, node, isTail);
    case 'block':
      return generateBlock(g, node.body, isTail);
    case 'if': {
      const test = generateCondition(g, node.test);
      const then = generateBranch(g, node.then, isTail);
      const otherwise =
        node.otherwise === undefined ? '' : `else ${generateBranch(g, node.otherwise, isTail)}`;
      return `${mark(at)}if(${test})${then}${otherwise}`;
    }
    case 'while':
      return `${mark(at)}${label}while(${generateCondition(g, node.test)})${loopBody(g, node.body)}`;
    case 'doWhile':
      return `${mark(at)}${label}do${loopBody(g, node.body)}while(${generateCondition(g, node.test)});\n`;
    case 'for':
      return generateFor(g, node, label);
    case 'forIn':
      return generateForIn(g, node, label);
    case 'switch':
      return generateSwitch(g, node, isTail);
    case 'try':
      return generateTry(g, node, isTail);
    case 'return': {
      if (g.context.yields) throw g.source.errorAt(at, "A 'switch' that is a value cannot 'return'");
      const isEmpty =
        node.value === undefined || (node.value.kind === 'constant' && node.value.value === null);
      if (g.context.returns?.name === 'void' && !isEmpty)
        throw g.source.errorAt(at, 'A method that returns void cannot return a value');
      const value = node.value === undefined ? 'null' : g.expression(node.value);
      return `${mark(at)}return ${returned(g, value)};\n`;
    }
    case 'yield':
      return `${mark(at)}return ${g.expression(node.value)};\n`;
    case 'throw':
      return `${mark(at)}throw $.thrown(${g.expression(node.value)});\n`;
    case 'break':
    case 'continue':
      return generateJump(g, node);
    case 'assert':
      return generateAssertion(g, node);
    case 'labeled':
      return generateLabeled(g, node, isTail);
    case 'method':
      throw g.source.errorAt(at, 'A method cannot be declared inside another', 'Use a closure.');
    case 'class':
      throw g.source.errorAt(at, 'A class cannot be declared inside a method', 'Move it to the top.');
  }
}

function generateAssertion(
  g: Generation,
  { test, text, message, at }: Statement & { kind: 'assert' },
): string {
  const written = test.kind === 'binary' || test.kind === 'unary' ? `(${text})` : text;
  const failed =
    message === undefined ? JSON.stringify(text) : `${JSON.stringify(written)},${g.expression(message)}`;
  return `${mark(at)}if(!${generateCondition(g, test)})throw $.assertionFailed(${failed});\n`;
}
