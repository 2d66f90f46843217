import ts from 'typescript';
import { textOf } from './source-texts.ts';

/** As deep as texts are followed from where they are handed on to where they are written. */
const DEEPEST = 6;

/** What the facts of an error say is to be done: as it stands there, or where the file has it from. */
export function hintsOf(facts: ts.ObjectLiteralExpression): readonly string[] {
  return hintsIn(facts).flatMap((hint) => textsOf(hint, DEEPEST));
}

/** The expressions for `hint` in an object, those that it may spread included. */
function hintsIn(object: ts.ObjectLiteralExpression): readonly ts.Expression[] {
  return object.properties.flatMap((member) => {
    if (ts.isSpreadAssignment(member)) return spreadIn(member.expression).flatMap(hintsIn);
    if (member.name?.getText() !== 'hint') return [];
    if (ts.isPropertyAssignment(member)) return [member.initializer];
    return ts.isShorthandPropertyAssignment(member) ? [member.name] : [];
  });
}

/** The objects written out in what is spread. */
function spreadIn(node: ts.Expression): readonly ts.ObjectLiteralExpression[] {
  if (ts.isParenthesizedExpression(node)) return spreadIn(node.expression);
  if (ts.isConditionalExpression(node)) return [...spreadIn(node.whenTrue), ...spreadIn(node.whenFalse)];
  if (ts.isBinaryExpression(node)) return spreadIn(node.right);
  return ts.isObjectLiteralExpression(node) ? [node] : [];
}

/** All that an expression may come to, as far as the file says. */
function textsOf(node: ts.Expression | undefined, depth: number): readonly string[] {
  if (node === undefined || depth === 0) return [];
  const further = (...nodes: readonly (ts.Expression | undefined)[]) =>
    nodes.flatMap((each) => textsOf(each, depth - 1));
  if (ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node)) return further(node.expression);
  if (ts.isConditionalExpression(node)) return further(node.whenTrue, node.whenFalse);
  if (ts.isBinaryExpression(node) && isEither(node)) return further(node.left, node.right);
  if (ts.isCallExpression(node)) return ofCall(node, depth);
  if (ts.isIdentifier(node)) return further(...valuesOf(node));
  const text = textOf(node);
  return text === undefined ? [] : [text];
}

function isEither({ operatorToken: { kind } }: ts.BinaryExpression): boolean {
  return kind === ts.SyntaxKind.QuestionQuestionToken || kind === ts.SyntaxKind.BarBarToken;
}

function ofCall(node: ts.CallExpression, depth: number): readonly string[] {
  const name = node.expression.getText();
  if (name === 'didYouMean') return ["Did you mean '…'?"];
  const joined = ts.isPropertyAccessExpression(node.expression) && node.expression.name.text === 'join';
  const parts = joined ? node.getText().match(/^\[(.*)\]/s) : null;
  if (parts !== null) return listed(node).flatMap((part) => textsOf(part, depth - 1));
  const found = functionNamed(node.getSourceFile(), name);
  return found === undefined ? [] : returnedBy(found).flatMap((value) => textsOf(value, depth - 1));
}

/** What stands in the list with which a chain of calls begins, such as `[a, b].filter(…).join(' ')`. */
function listed(node: ts.Expression): readonly ts.Expression[] {
  if (ts.isArrayLiteralExpression(node)) return node.elements;
  return ts.isCallExpression(node) || ts.isPropertyAccessExpression(node) ? listed(node.expression) : [];
}

function functionNamed(file: ts.SourceFile, name: string): ts.FunctionDeclaration | undefined {
  return file.statements.find(
    (each): each is ts.FunctionDeclaration => ts.isFunctionDeclaration(each) && each.name?.text === name,
  );
}

function returnedBy(made: ts.FunctionDeclaration): readonly ts.Expression[] {
  const found: ts.Expression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isReturnStatement(node) && node.expression !== undefined) found.push(node.expression);
    if (!ts.isFunctionLike(node) || node === made) ts.forEachChild(node, visit);
  };
  visit(made);
  return found;
}

/** What a name stands for: what it is declared as, or what the function is called with whose parameter it is. */
function valuesOf(name: ts.Identifier): readonly ts.Expression[] {
  for (let around: ts.Node = name.parent; !ts.isSourceFile(around); around = around.parent) {
    if (ts.isFunctionLike(around)) {
      const at = around.parameters.findIndex((one) => one.name.getText() === name.text);
      if (at >= 0) return [...defaultOf(around, at), ...givenTo(around, at)];
    }
    if (ts.isBlock(around)) {
      const value = declaredIn(around.statements, name.text);
      if (value !== undefined) return [value];
    }
  }
  const value = declaredIn(name.getSourceFile().statements, name.text);
  return value === undefined ? [] : [value];
}

function defaultOf(made: ts.SignatureDeclaration, at: number): readonly ts.Expression[] {
  const byDefault = made.parameters[at]?.initializer;
  return byDefault === undefined ? [] : [byDefault];
}

function declaredIn(statements: readonly ts.Statement[], name: string): ts.Expression | undefined {
  return statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => [...declarationList.declarations])
    .find((one) => one.name.getText() === name)?.initializer;
}

/** What the file calls a function with. */
function givenTo(made: ts.SignatureDeclaration, at: number): readonly ts.Expression[] {
  const holder = ts.isVariableDeclaration(made.parent) ? made.parent : made;
  const called = 'name' in holder ? holder.name?.getText() : undefined;
  if (called === undefined) return [];
  const found: ts.Expression[] = [];
  const visit = (node: ts.Node): void => {
    const isCall = ts.isCallExpression(node) && node.expression.getText().replace(/^.*\./s, '') === called;
    const given = isCall ? node.arguments[at] : undefined;
    if (given !== undefined) found.push(given);
    ts.forEachChild(node, visit);
  };
  visit(made.getSourceFile());
  return found;
}
