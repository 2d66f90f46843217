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
  const depths: Depths = new Map();
  for (const { node, name } of declared) depthOf(g, node, name, depths);
  const ordered = declared.toSorted((left, right) => depths.get(left.name)! - depths.get(right.name)!);
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

/** How many parents stand above a class, by its name; undefined while they are being counted. */
type Depths = Map<string, number | undefined>;

function depthOf(g: Generation, node: ClassDeclaration, name: string, depths: Depths): number {
  const known = depths.get(name);
  if (known !== undefined) return known;
  if (depths.has(name))
    throw g.source.errorAt(node.at, `Cycle detected: the class ${name} is its own parent`);
  depths.set(name, undefined);
  const parents = [...(node.parent === undefined ? [] : [node.parent]), ...node.interfaces];
  const above = parents.map((type) => {
    const meaning = g.classes.find(type.name, name);
    return meaning?.kind === 'declared' ? depthOf(g, meaning.declaration, meaning.name, depths) + 1 : 0;
  });
  const depth = Math.max(0, ...above);
  depths.set(name, depth);
  return depth;
}
