import { staticMemberProblem } from '../runtime/static-members.ts';
import type { Expression, TypeName } from '../syntax/ast.ts';
import { pathText } from '../syntax/path-text.ts';
import type { ClassMeaning } from './class-names.ts';
import { classVariable, type Generation, isAnything, staticKind } from './generation.ts';
import type { StaticKind } from './scope.ts';

/** The runtime's value for a type. @throws GroovySyntaxError when it does not exist */
export function typeValue(g: Generation, type: TypeName): string {
  const dimensions = type.dimensions + (type.name.match(/\[\]/g)?.length ?? 0);
  const meaning = g.classes.get({ ...type, name: type.name.replaceAll('[]', '') }, g.context.className);
  const value = meaningValue(g, meaning);
  return dimensions === 0 ? value : g.constant(`$.arrayType(${value},${dimensions})`);
}

export function meaningValue(g: Generation, meaning: ClassMeaning): string {
  if (meaning.kind === 'declared') return classVariable(meaning.name);
  return g.constant(`$.type(${JSON.stringify(meaning.name)})`);
}

/** Conversion to a declared type, nothing where any value will do. */
export function converted(
  g: Generation,
  value: string,
  type: TypeName | undefined,
  kind: StaticKind = 'unknown',
): string {
  if (type === undefined || isAnything(type)) return value;
  const wanted = staticKind(type);
  if (wanted !== 'unknown' && wanted === kind) return value;
  if (wanted === 'int') return `$.toInt(${value})`;
  if (type.name === 'def' || type.name === 'void') return value;
  return `$.cast(${value},${typeValue(g, type)})`;
}

/** The class that an expression names, when it names one and no variable hides it. */
export function classOf(g: Generation, node: Expression): ClassMeaning | undefined {
  if (node.kind !== 'name' && node.kind !== 'property') return undefined;
  const path = pathText(node)?.replaceAll('[]', '');
  if (path === undefined) return undefined;
  const root = path.split('.')[0]!;
  if (g.scope.find(root) !== undefined) return undefined;
  const meaning = g.classes.find(path, g.context.className);
  if (meaning !== undefined || node.kind === 'name') return meaning;
  return undefined;
}

/** `java.x.Y` that names no class will never be a value. */
export function refuseUnknownClass(g: Generation, node: Expression): void {
  const path = pathText(node);
  if (path === undefined) return;
  const names = path.split('.');
  const isDotted = names.length > 2 && g.classes.isPackageRoot(names[0]!);
  if (!isDotted || g.scope.find(names[0]!) !== undefined) return;
  const capital = names.findIndex((name) => /^\p{Lu}/u.test(name));
  if (capital < 1) return;
  for (let length = capital + 1; length <= names.length; length++) {
    if (g.classes.find(names.slice(0, length).join('.')) !== undefined) return;
  }
  g.classes.missing.report(names.slice(0, capital + 1).join('.'), node.at);
}

/** A static member that is known not to exist. */
export function checkStatic(
  g: Generation,
  meaning: ClassMeaning,
  member: string,
  isCall: boolean,
  at: number,
): void {
  if (meaning.kind !== 'known' || (g.changesClasses && member !== 'new')) return;
  const problem = staticMemberProblem(meaning.name, member, isCall);
  if (problem !== undefined) throw g.source.errorAt(at, problem.text, problem.hint);
}
