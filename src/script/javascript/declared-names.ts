import type { Pattern, Statement, VariableDeclaration } from 'acorn';

export function isStrict(statements: readonly Statement[]): boolean {
  return statements.some((node) => node.type === 'ExpressionStatement' && node.directive === 'use strict');
}

/** The names that `var` declares, in blocks and loops, too: a parameter of the same name would give them a value. */
export function variableNames(statements: readonly Statement[]): string[] {
  return statements.flatMap(hoistedNames);
}

function hoistedNames(node: Statement): string[] {
  switch (node.type) {
    case 'VariableDeclaration':
      return node.kind === 'var' ? namesOf(node) : [];
    case 'BlockStatement':
      return variableNames(node.body);
    case 'IfStatement':
      return variableNames(node.alternate ? [node.consequent, node.alternate] : [node.consequent]);
    case 'ForStatement':
      return variableNames(node.init?.type === 'VariableDeclaration' ? [node.init, node.body] : [node.body]);
    case 'ForInStatement':
    case 'ForOfStatement':
      return variableNames(node.left.type === 'VariableDeclaration' ? [node.left, node.body] : [node.body]);
    case 'WhileStatement':
    case 'DoWhileStatement':
    case 'WithStatement':
    case 'LabeledStatement':
      return hoistedNames(node.body);
    case 'SwitchStatement':
      return node.cases.flatMap(({ consequent }) => variableNames(consequent));
    case 'TryStatement':
      return [node.block, node.handler?.body, node.finalizer].flatMap((block) =>
        block ? variableNames(block.body) : [],
      );
    default:
      return [];
  }
}

export function functionNames(statements: readonly Statement[]): string[] {
  return statements.flatMap((node) => (node.type === 'FunctionDeclaration' ? [node.id.name] : []));
}

export function lexicalNames(statements: readonly Statement[]): string[] {
  return statements.flatMap((node) => {
    if (node.type === 'ClassDeclaration') return [node.id.name];
    return node.type === 'VariableDeclaration' && node.kind !== 'var' ? namesOf(node) : [];
  });
}

function namesOf({ declarations }: VariableDeclaration): string[] {
  return declarations.flatMap(({ id }) => patternNames(id));
}

function patternNames(node: Pattern): string[] {
  switch (node.type) {
    case 'Identifier':
      return [node.name];
    case 'ObjectPattern':
      return node.properties.flatMap((property) =>
        patternNames(property.type === 'Property' ? property.value : property.argument),
      );
    case 'ArrayPattern':
      return node.elements.flatMap((element) => (element === null ? [] : patternNames(element)));
    case 'AssignmentPattern':
      return patternNames(node.left);
    case 'RestElement':
      return patternNames(node.argument);
    default:
      return [];
  }
}
