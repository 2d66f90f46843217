import type { Statement } from '../syntax/ast.ts';
import { generateStep } from './assignments.ts';
import { generateBranch, generateStatements } from './blocks.ts';
import { converted, typeValue } from './class-references.ts';
import { generateCondition } from './conditions.ts';
import { mark } from './generated-text.ts';
import type { Generation } from './generation.ts';

export function loopBody(g: Generation, node: Statement): string {
  g.loops++;
  const code = generateBranch(g, node, false);
  g.loops--;
  return code;
}

export function generateFor(
  g: Generation,
  { start, test, steps, body, at }: Statement & { kind: 'for' },
  label: string,
): string {
  return g.inScope('block', () => {
    const before = generateStatements(g, start, false);
    const condition = test === undefined ? '' : generateCondition(g, test);
    const after = steps.map((step) =>
      step.kind === 'step' ? generateStep(g, step, false) : g.expression(step),
    );
    return `{${before}${mark(at)}${label}for(;${condition};${after.join(',')})${loopBody(g, body)}}\n`;
  });
}

/** One variable for all rounds: closures made in the loop share it, as in Groovy. */
export function generateForIn(
  g: Generation,
  { variable, list, body, at }: Statement & { kind: 'forIn' },
  label: string,
): string {
  const items = g.expression(list);
  return g.inScope('block', () => {
    const { name, type } = variable;
    if (type !== undefined) typeValue(g, type);
    const { js } = g.declareVariable(name, variable.at, { type });
    const item = g.temporary();
    const code = loopBody(g, body);
    return `{let ${js};${mark(at)}${label}for(const ${item} of $.iterate(${items})){${js}=${converted(g, item, type)};${code}}}\n`;
  });
}

export function generateJump(
  g: Generation,
  { kind, label, at }: Statement & { kind: 'break' | 'continue' },
): string {
  const isAllowed = g.loops > 0 || (kind === 'break' && g.switches > 0);
  if (label === undefined && !isAllowed) {
    const where = kind === 'break' ? "a loop or 'switch'" : 'a loop';
    throw g.source.errorAt(at, `'${kind}' is only allowed inside ${where}`);
  }
  if (label === undefined) return `${kind};\n`;
  if (!g.labels.includes(label)) throw g.source.errorAt(at, `There is no label '${label}' around this place`);
  return `${kind} L$${label};\n`;
}

export function generateLabeled(
  g: Generation,
  { label, body }: Statement & { kind: 'labeled' },
  isTail: boolean,
): string {
  g.labels.push(label);
  g.loopLabel = `L$${label}:`;
  const code = g.statement(body, isTail);
  g.loopLabel = '';
  g.labels.pop();
  return code;
}

/** What stands in front of a loop that has a label; labels of other statements mean nothing. */
export function takeLabel(g: Generation): string {
  const label = g.loopLabel;
  g.loopLabel = '';
  return label;
}
