import type { Statement } from '../syntax/ast.ts';
import { converted } from './class-references.ts';
import type { Generation } from './generation.ts';

export function generateFunctionBody(g: Generation, body: readonly Statement[]): string {
  const outer = { variables: g.variables, labels: g.labels };
  g.variables = [];
  // No jump leads out of a function.
  g.labels = [];
  const code = generateStatements(g, body, true);
  // `var`, because QuickJS checks each use of what `let` declares.
  const declared = g.variables.length === 0 ? '' : `var ${g.variables.join(',')};`;
  g.variables = outer.variables;
  g.labels = outer.labels;
  return `${declared}${code}${endsInReturn(body) ? '' : 'return null;'}`;
}

export function generateStatements(g: Generation, body: readonly Statement[], isTail: boolean): string {
  return body.map((statement, index) => g.statement(statement, isTail && index === body.length - 1)).join('');
}

export function generateBlock(g: Generation, body: readonly Statement[], isTail: boolean): string {
  return g.inScope('block', () => `{${generateStatements(g, body, isTail)}}`);
}

/** The value of a function, as its declared type. */
export function returned(g: Generation, value: string): string {
  const { returns } = g.context;
  if (returns?.name === 'void') return `(${value},null)`;
  return converted(g, value, returns);
}

export function generateBranch(g: Generation, node: Statement, isTail: boolean): string {
  return node.kind === 'block' ? generateBlock(g, node.body, isTail) : generateBlock(g, [node], isTail);
}

function endsInReturn(body: readonly Statement[]): boolean {
  const last = body.at(-1);
  return last?.kind === 'expression' || last?.kind === 'return' || last?.kind === 'throw';
}
