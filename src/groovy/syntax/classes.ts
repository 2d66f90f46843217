import type { ClassDeclaration, Parameter, TypeName } from './ast.ts';
import { type ClassAnnotations, membersFor } from './class-annotations.ts';
import { completed, rebased } from './class-members.ts';
import { withLazyFields } from './lazy-fields.ts';
import { declareTypeVariables } from './methods.ts';
import { behindModifiers, parseModifiers } from './modifiers.ts';
import { parseParameters } from './parameters.ts';
import type { Parsing } from './parsing.ts';
import { componentDefaults, componentFields, recordText, withCompact } from './record-members.ts';
import { isOperator } from './token-cursor.ts';

const CLASS_WORDS = new Set(['class', 'interface', 'enum']);

const REFUSED_WORDS: Readonly<Record<string, string>> = {
  trait: 'Use a class or an interface.',
};

export function isClassDeclaration(p: Parsing): boolean {
  const at = behindModifiers(p);
  const { kind, text } = p.tokenAt(at);
  const next = p.tokenAt(at + 1);
  if (kind === 'keyword' && CLASS_WORDS.has(text)) return true;
  if (isOperator(p.tokenAt(at), '@') && next.text === 'interface') {
    throw p.source.errorAt(p.tokenAt(at).at, 'Annotations cannot be declared here');
  }
  if (isRecord(p, at)) return true;
  const hint = kind === 'name' && next.kind === 'name' && !next.startsLine ? REFUSED_WORDS[text] : undefined;
  if (hint !== undefined && Object.hasOwn(REFUSED_WORDS, text) && opensBody(p, at + 2)) {
    throw p.source.errorAt(p.tokenAt(at).at, `A ${text} cannot be declared here`, hint);
  }
  return false;
}

function isRecord(p: Parsing, at: number): boolean {
  const { kind, text } = p.tokenAt(at);
  const name = p.tokenAt(at + 1);
  if (kind !== 'name' || text !== 'record' || name.kind !== 'name' || name.startsLine) return false;
  const next = p.tokenAt(at + 2);
  const open = isOperator(next, '<') ? p.skipTypeArguments(at + 2) : at + 2;
  if (open < 0 || !isOperator(p.tokenAt(open), '(')) return false;
  const behind = p.tokenAt((p.tokenAt(open).closedBy ?? open) + 1);
  return isOperator(behind, '{') || (behind.kind === 'keyword' && behind.text === 'implements');
}

function opensBody(p: Parsing, from: number): boolean {
  const token = p.tokenAt(from);
  return (
    isOperator(token, '{') || isOperator(token, '(') || token.kind === 'keyword' || token.text === 'permits'
  );
}

export function parseClass(p: Parsing): ClassDeclaration {
  p.classAnnotations.clear();
  const modifiers = parseModifiers(p);
  const annotations = new Map(p.classAnnotations);
  const word = p.take().text;
  const form = word === 'record' ? 'class' : (word as ClassDeclaration['form']);
  const { text: name, at } = p.expectName();
  declareTypeVariables(p);
  const components = word === 'record' ? parseComponents(p) : undefined;
  let parent: TypeName | undefined;
  let interfaces: TypeName[] = [];
  if (p.takeKeywordIf('extends')) {
    if (form === 'interface') interfaces = parseTypeNames(p);
    else parent = p.typeName();
  }
  if (p.takeKeywordIf('implements')) interfaces = parseTypeNames(p);
  const permits = p.token.text === 'permits' && p.token.kind === 'name' ? parsePermits(p) : undefined;
  const body = p.nested(() => p.classBody(name, at, form));
  const declared = {
    ...body,
    modifiers,
    ...(parent === undefined ? {} : { parent }),
    ...(permits === undefined ? {} : { permits }),
    interfaces,
  };
  return withAnnotations(p, declared, annotations, components);
}

function parseComponents(p: Parsing): readonly Parameter[] {
  p.expect('(');
  const parameters = parseParameters(p, ')');
  p.expect(')');
  return parameters;
}

function parseTypeNames(p: Parsing): TypeName[] {
  const names: TypeName[] = [];
  do names.push(p.typeName());
  while (p.takeIf(','));
  return names;
}

function parsePermits(p: Parsing): readonly TypeName[] {
  p.take();
  return parseTypeNames(p);
}

/** The class with the members that its annotations stand for, and those of a record. */
function withAnnotations(
  p: Parsing,
  declared: ClassDeclaration,
  annotations: ClassAnnotations,
  components: readonly Parameter[] | undefined,
): ClassDeclaration {
  const label = p.className === '' ? declared.name : `${p.className}$${declared.name}`;
  const { node, text: lazy } = withLazyFields(declared);
  const whole =
    components === undefined
      ? node
      : {
          ...node,
          fields: [...componentFields(components), ...node.fields],
          methods: [...node.methods, ...componentDefaults(components)],
        };
  const record = components === undefined ? '' : recordText(node, label, components);
  const text = [lazy, record, membersFor(whole, label, annotations)].filter((each) => each !== '').join('\n');
  if (text === '') return whole;
  p.added += text;
  const made = p.membersIn(`class ${node.name} {\n${text}\n}`);
  const isFinal = annotations.has('Immutable') || components !== undefined;
  const result = completed(whole, rebased(made, node.at), isFinal);
  const ordered = annotations.has('Sortable')
    ? { ...result, interfaces: [...result.interfaces, comparable(node.at)] }
    : result;
  return components === undefined ? ordered : withCompact(ordered, components.length);
}

function comparable(at: number): TypeName {
  return { name: 'java.lang.Comparable', dimensions: 0, at };
}
