import type { Expression, SwitchCase, SwitchStatement } from '../syntax/ast.ts';
import { generateBlock } from './blocks.ts';
import { mark } from './generated-text.ts';
import type { Generation } from './generation.ts';
import { kindOf } from './kinds.ts';

/** Chooses the first case that matches, then lets JavaScript fall through. */
export function generateSwitch(g: Generation, node: SwitchStatement, isTail: boolean): string {
  const { value, cases, at } = node;
  const subject = g.temporary();
  const code = g.expression(value);
  return g.inScope('block', () => {
    const fallback = cases.findIndex(({ tests }) => tests.length === 0);
    const choice = cases.map(({ tests }, index) =>
      tests.map((test) => `${caseTest(g, test, subject)}?${index}:`).join(''),
    );
    g.switches++;
    const bodies = cases.map((each, index) => {
      const isLast = index === cases.length - 1;
      return `case ${index}:${caseBody(g, each, isTail, isLast)}`;
    });
    g.switches--;
    const chosen = `${choice.join('')}${fallback}`;
    return `{const ${subject}=${code};${mark(at)}switch(${chosen}){${bodies.join('\n')}}}\n`;
  });
}

/** Texts and ints that are written out need the runtime only for values of other types. */
function caseTest(g: Generation, test: Expression, subject: string): string {
  const code = g.expression(test);
  const general = `$.isCase(${code},${subject})`;
  const type = kindOf(g, test) === 'int' ? 'number' : kindOf(g, test);
  const isWritten = test.kind === 'number' || test.kind === 'constant';
  if (!isWritten || (type !== 'number' && type !== 'string')) return general;
  return `(${subject}===${code}||typeof ${subject}!=="${type}"&&${general})`;
}

function caseBody(g: Generation, { body, isArrow }: SwitchCase, isTail: boolean, isLast: boolean): string {
  if (isArrow) return `${generateBlock(g, body, isTail)}break;`;
  const last = body.at(-1);
  const endsInBreak = last?.kind === 'break' && last.label === undefined;
  if (!isTail) return generateBlock(g, body, false);
  if (endsInBreak) return `${generateBlock(g, body.slice(0, -1), true)}break;`;
  return generateBlock(g, body, isLast || last?.kind === 'if' || last?.kind === 'try' ? isLast : false);
}

export function generateSwitchValue(g: Generation, node: SwitchStatement): string {
  const code = g.inContext({ ...g.context, yields: true }, () => {
    const { returns: _returns, ...context } = g.context;
    return g.inContext(context, () => g.inScope('block', () => generateSwitch(g, node, true)));
  });
  return `(()=>{${code}return null;})`;
}
