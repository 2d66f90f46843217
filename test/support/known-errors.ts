import ts from 'typescript';
import { MENDS } from '../../docs/error-mends.ts';
import { NAMED_ERRORS } from '../../src/errors/named-errors.ts';
import { hintsOf } from './hint-texts.ts';
import { memberOf, textOf, visitSources } from './source-texts.ts';

/** A message in the words of somebody else, such as a part of the server that refuses a configuration. */
const UNKNOWN = '…';
const ERROR_ID = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;

export interface KnownError {
  readonly id: string;
  readonly codes: readonly number[];
  readonly messages: readonly string[];
  readonly hints: readonly string[];
}

/** Every id of an error or finding: with which status, what is said, and what to do. */
export function knownErrors(): readonly KnownError[] {
  const codes = new Map([...NAMED_ERRORS].map(([code, { name }]) => [name, code]));
  const errors = new Map<string, { codes: Set<number>; messages: Set<string>; hints: Set<string> }>();
  visitSources((node) => {
    if (!ts.isObjectLiteralExpression(node)) return;
    const id = textOf(memberOf(node, 'id'));
    if (id === undefined || !ERROR_ID.test(id)) return;
    let known = errors.get(id);
    if (known === undefined) {
      known = { codes: new Set(), messages: new Set(), hints: new Set() };
      errors.set(id, known);
    }
    const { name, given } = creationOf(node);
    const [first] = given;
    const code = first !== undefined && ts.isNumericLiteral(first) ? Number(first.text) : codes.get(name);
    if (code !== undefined) known.codes.add(code);
    const around = aroundFacts(node);
    const said = [memberOf(node, 'statement'), memberOf(around, 'message'), ...given].filter(
      (each) => each !== undefined && each !== node && !ts.isNumericLiteral(each),
    );
    for (const message of messagesOf(said)) known.messages.add(message);
    for (const hint of hintsOf(node)) known.hints.add(hint);
  });
  const rows = [...errors].sort(([left], [right]) => (left < right ? -1 : 1));
  return rows.map(([id, { codes, messages, hints }]) => {
    const mend = MENDS[id];
    return {
      id,
      codes: [...codes],
      messages: messages.size === 1 ? [...messages] : [...messages].filter((text) => text !== UNKNOWN),
      hints: [...hints, ...(mend === undefined ? [] : [mend])],
    };
  });
}

/** What is said by the first of the expressions that is a text; by a parameter what its function is called with. */
function messagesOf(said: readonly (ts.Expression | undefined)[]): readonly string[] {
  const text = said.map(textOf).find((each) => each !== undefined);
  if (text !== undefined) return [text];
  const [first] = said;
  const handed = first !== undefined && ts.isIdentifier(first) ? argumentsFor(first) : [];
  const texts = handed.map(textOf).filter((each) => each !== undefined);
  return texts.length === 0 ? [UNKNOWN] : texts;
}

/** What the calls in the same file hand in for a parameter of a function; nothing for another name. */
function argumentsFor(name: ts.Identifier): readonly ts.Expression[] {
  let owner: ts.Node = name;
  while (!ts.isFunctionDeclaration(owner)) {
    if (ts.isSourceFile(owner)) return [];
    owner = owner.parent;
  }
  const { parameters, name: called } = owner;
  const at = parameters.findIndex((parameter) => parameter.name.getText() === name.text);
  const found: ts.Expression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && node.expression.getText() === called?.text)
      found.push(...node.arguments.slice(at, at + 1));
    ts.forEachChild(node, visit);
  };
  if (at >= 0) visit(owner.getSourceFile());
  return found;
}

/** The object in which facts stand as `detail` or as `params`; otherwise they themselves. */
function aroundFacts(facts: ts.ObjectLiteralExpression): ts.ObjectLiteralExpression {
  const { parent } = facts;
  const isInside = ts.isPropertyAssignment(parent) && ['detail', 'params'].includes(parent.name.getText());
  return isInside ? parent.parent : facts;
}

/** The error that is made with these facts: its class, and what it is given. */
function creationOf(facts: ts.ObjectLiteralExpression): {
  readonly name: string;
  readonly given: readonly ts.Expression[];
} {
  let { parent }: ts.Node = aroundFacts(facts);
  while (ts.isConditionalExpression(parent)) parent = parent.parent;
  if (ts.isNewExpression(parent)) return { name: parent.expression.getText(), given: parent.arguments ?? [] };
  if (!ts.isCallExpression(parent)) return { name: '', given: [] };
  const isSuper = parent.expression.kind === ts.SyntaxKind.SuperKeyword;
  if (!isSuper) return { name: '', given: parent.arguments.filter((each) => textOf(each)?.includes(' ')) };
  let owner: ts.Node = parent;
  while (!ts.isClassLike(owner)) owner = owner.parent;
  const [base] = owner.heritageClauses?.flatMap(({ types }) => [...types]) ?? [];
  return { name: base?.expression.getText() ?? '', given: parent.arguments };
}
