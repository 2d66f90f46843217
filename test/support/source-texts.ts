import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const SOURCES = fileURLToPath(new URL('../../src', import.meta.url));

/** Calls `visit` with every node of every file of the product. */
export function visitSources(visit: (node: ts.Node) => void, files = '**/*.ts'): void {
  for (const path of globSync(files, { cwd: SOURCES }).sort()) {
    const text = readFileSync(`${SOURCES}/${path}`, 'utf8');
    const walk = (node: ts.Node): void => {
      visit(node);
      ts.forEachChild(node, walk);
    };
    walk(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  }
}

/** A text as it stands in the source, with `…` for what is only known when it is said; undefined for what is no text. */
export function textOf(node: ts.Node | undefined): string | undefined {
  if (node === undefined) return undefined;
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('');
  }
  if (ts.isBinaryExpression(node)) return `${textOf(node.left) ?? '…'}${textOf(node.right) ?? '…'}`;
  if (ts.isConditionalExpression(node)) {
    const [yes, no] = [textOf(node.whenTrue), textOf(node.whenFalse)];
    return yes === undefined || no === undefined ? (yes ?? no) : `${yes} / ${no}`;
  }
  if (ts.isParenthesizedExpression(node)) return textOf(node.expression);
  return undefined;
}

export function memberOf(object: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
  for (const member of object.properties) {
    if (ts.isPropertyAssignment(member) && member.name.getText() === name) return member.initializer;
    if (ts.isShorthandPropertyAssignment(member) && member.name.text === name) return member.name;
  }
  return undefined;
}

/** A text in a cell of a table. */
export function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replace(/\s+/g, ' ').trim();
}
