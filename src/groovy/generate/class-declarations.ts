import type { ClassDeclaration } from '../syntax/ast.ts';
import { ClassChecks } from './class-checks.ts';
import { classVariable, type Generation } from './generation.ts';

/** All classes of a list with those inside them, each behind its parents. */
export function declareClasses(
  g: Generation,
  declarations: readonly ClassDeclaration[],
  prefix = '',
): { name: string; node: ClassDeclaration }[] {
  return declarations.flatMap((node) => {
    const name = prefix === '' ? node.name : `${prefix}$${node.name}`;
    if (g.classes.isDeclared(name)) {
      throw g.source.errorAt(node.at, `Invalid duplicate class definition of class ${name}`);
    }
    g.classes.declare(name, node);
    return [{ name, node }, ...declareClasses(g, node.classes, name)];
  });
}

export function generateClasses(
  g: Generation,
  declared: readonly { name: string; node: ClassDeclaration }[],
): string {
  const news = declared.map(({ name, node }) => {
    const facts = `${JSON.stringify(name)},${JSON.stringify(node.form)},${node.modifiers.has('abstract')}${placeOf(node, name)}`;
    return `const ${classVariable(name)}=$.newClass(${facts});\n`;
  });
  const ordered = [...declared].sort(
    (left, right) => depthOf(g, left.node, left.name) - depthOf(g, right.node, right.name),
  );
  const checks = new ClassChecks(g.classes, g.source);
  for (const each of declared) checks.check(each);
  const definitions = ordered.map(
    ({ name, node }) => `$.defineClass(${classVariable(name)},$s,${g.classDefinition(node, name)});\n`,
  );
  return news.join('') + definitions.join('');
}

/** The class around it, and whether its objects belong to one of that. */
function placeOf(node: ClassDeclaration, name: string): string {
  const end = name.lastIndexOf('$');
  if (end < 0) return '';
  return `,${classVariable(name.slice(0, end))},${node.form === 'class' && !node.modifiers.has('static')}`;
}

function depthOf(g: Generation, node: ClassDeclaration, name: string, seen = new Set<string>()): number {
  if (seen.has(name)) throw g.source.errorAt(node.at, `Cycle detected: the class ${name} is its own parent`);
  seen.add(name);
  const parents = [...(node.parent === undefined ? [] : [node.parent]), ...node.interfaces];
  const depths = parents.map((type) => {
    const meaning = g.classes.find(type.name, name);
    return meaning?.kind === 'declared'
      ? depthOf(g, meaning.declaration, meaning.name, new Set(seen)) + 1
      : 0;
  });
  return Math.max(0, ...depths);
}
