import type { Expression, Statement, SwitchCase, SwitchStatement } from './ast.ts';
import { endStatement, parseBody, parseCondition } from './blocks.ts';
import type { Parsing } from './parsing.ts';

export function parseSwitch(p: Parsing): SwitchStatement {
  const { at } = p.take();
  const value = parseCondition(p);
  p.expect('{');
  const cases: SwitchCase[] = [];
  p.switchValues++;
  while (!p.is('}')) {
    if (!p.isKeyword('case') && !p.isKeyword('default')) throw p.unexpected("'case' is missing.");
    if (cases.at(-1)?.tests.length === 0) {
      throw p.source.errorAt(p.token.at, 'a default branch must only appear as the last branch of a switch');
    }
    cases.push(parseCase(p));
  }
  p.switchValues--;
  const stray = cases.find(({ isArrow }) => isArrow !== cases[0]!.isArrow);
  if (stray !== undefined) {
    throw p.source.errorAt(stray.at, "The cases of a 'switch' are written with ':' or with '->', not both");
  }
  p.take();
  return { kind: 'switch', value, cases, at };
}

function parseCase(p: Parsing): SwitchCase {
  const { at } = p.token;
  const tests: Expression[] = [];
  if (!p.takeKeywordIf('default')) {
    p.take();
    const before = p.arrowEndsCase;
    p.arrowEndsCase = true;
    do tests.push(p.expression());
    while (p.takeIf(','));
    p.arrowEndsCase = before;
  }
  if (p.takeIf('->')) {
    const isBlock = p.is('{') || p.isKeyword('throw');
    const body = isBlock ? [parseBody(p)] : [parseArrowValue(p)];
    p.takeIf(';');
    return { tests, isArrow: true, body, at };
  }
  p.expect(':');
  const body: Statement[] = [];
  for (;;) {
    while (p.takeIf(';'));
    if (p.is('}') || p.isKeyword('case') || p.isKeyword('default')) break;
    if (p.isAtEnd) throw p.unexpected();
    body.push(p.statement());
    if (!p.isKeyword('case') && !p.isKeyword('default')) endStatement(p);
  }
  return { tests, isArrow: false, body, at };
}

function parseArrowValue(p: Parsing): Statement {
  const value = p.expressionOrCommand();
  return { kind: 'expression', value, at: value.at };
}
