import { parseAnnotations } from './annotations.ts';
import type { ClassDeclaration, Import, Script, Statement } from './ast.ts';
import { parseClassBody } from './class-bodies.ts';
import { parseExpression, parseExpressionOrCommand } from './expressions.ts';
import { type Grammar, Parsing } from './parsing.ts';
import { SourceText } from './source-text.ts';
import { parseStatement } from './statements.ts';
import { isOperator } from './token-cursor.ts';

const GRAMMAR: Grammar = {
  expression: parseExpression,
  expressionOrCommand: parseExpressionOrCommand,
  statement: parseStatement,
  classBody: parseClassBody,
  membersIn: parseMembers,
};

/** @throws GroovySyntaxError */
export function parseGroovy(source: SourceText): Script {
  return parseScript(new Parsing(source, GRAMMAR));
}

function parseScript(p: Parsing): Script {
  const imports: Import[] = [];
  const body: Statement[] = [];
  skipPackage(p);
  for (;;) {
    while (p.takeIf(';'));
    if (p.isAtEnd)
      return {
        imports,
        typeVariables: p.typeVariables,
        body,
        added: p.added,
        newified: p.newified,
      };
    if (p.isKeyword('import') || isAnnotatedImport(p)) imports.push(parseImport(p));
    else {
      body.push(p.statement());
      const ended = p.is(';') || p.token.startsLine || p.isAtEnd;
      if (!ended && !isOperator(p.previous, '}') && !isOperator(p.previous, ';')) throw p.unexpected();
    }
  }
}

function skipPackage(p: Parsing): void {
  if (!p.takeKeywordIf('package')) return;
  p.expectName();
  while (p.takeIf('.')) p.expectName();
}

function isAnnotatedImport(p: Parsing): boolean {
  if (!p.is('@')) return false;
  const from = p.index;
  parseAnnotations(p);
  if (p.isKeyword('import')) return true;
  p.index = from;
  return false;
}

function parseImport(p: Parsing): Import {
  const { at } = p.take();
  const isStatic = p.takeKeywordIf('static');
  let name = p.expectName().text;
  while (p.takeIf('.')) {
    if (p.takeIf('*')) return { name, isStatic, isStar: true, at };
    if (p.token.kind !== 'name' && p.token.kind !== 'keyword') throw p.unexpected();
    name += `.${p.take().text}`;
  }
  const alias = p.takeKeywordIf('as') ? { alias: p.expectName().text } : {};
  return { name, ...alias, isStatic, isStar: false, at };
}

/** Parses a text of members that annotations stand for. */
function parseMembers({ source: { name } }: Parsing, text: string): ClassDeclaration {
  const [made] = parseGroovy(new SourceText(name, text)).body;
  return made as ClassDeclaration;
}
