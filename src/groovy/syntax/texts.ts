import type { Expression, Statement } from './ast.ts';
import type { Parsing } from './parsing.ts';

export function parseText(p: Parsing): Expression {
  const first = p.take();
  const strings = [first.text];
  const values: Expression[] = [];
  for (;;) {
    if (p.token.kind === 'textPart') values.push({ kind: 'constant', value: null, at: p.token.at });
    else if (p.is('->')) {
      p.take();
      const body: Statement = { kind: 'expression', value: p.expression(), at: p.token.at };
      values.push({ kind: 'closure', parameters: [], body: [body], at: body.at });
    } else values.push(parseTextValue(p));
    if (p.token.kind !== 'textPart') throw p.unexpected("The '}' of the value is missing.");
    const part = p.take();
    strings.push(part.text);
    if (part.isLast) return { kind: 'text', strings, values, at: first.at };
  }
}

/** A closure without parameters that is written into a text is what it gives. */
function parseTextValue(p: Parsing): Expression {
  const value = p.nested(() => p.expressionOrCommand());
  if (value.kind !== 'closure' || value.parameters !== undefined) return value;
  return { kind: 'call', callee: value, args: [], at: value.at };
}
