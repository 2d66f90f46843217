import type { Argument, ClassDeclaration, Expression, FieldDeclaration, TypeName } from './ast.ts';
import { pathText } from './path-text.ts';

/** Annotations that add members to a class, with the arguments that they have. */
export type ClassAnnotations = ReadonlyMap<string, readonly Argument[]>;

export const CLASS_ANNOTATIONS: ReadonlySet<string> = new Set(
  'ToString EqualsAndHashCode TupleConstructor Canonical Immutable Singleton Builder Slf4j Log Sortable Category'.split(
    ' ',
  ),
);

const EMPTY: Readonly<Record<string, string>> = {
  boolean: 'false',
  int: '0',
  long: '0L',
  short: '(short) 0',
  byte: '(byte) 0',
  float: '0f',
  double: '0d',
};

/** What a value of a type is before anybody gives it one. */
export function defaultText(type: TypeName | undefined): string {
  return EMPTY[type?.name ?? ''] ?? 'null';
}

/** Groovy that stands for the annotations of a class, which is written as `label`: what its body would have to hold without them. */
export function membersFor(node: ClassDeclaration, label: string, annotations: ClassAnnotations): string {
  const given = new Map(annotations);
  const isImmutable = given.has('Immutable');
  const stands = isImmutable || given.has('Canonical');
  const own = (name: string) => node.methods.some((method) => method.name === name);
  const wanted = (name: string) => given.has(name) || stands;
  const parts: string[] = [];
  if (wanted('ToString') && !own('toString'))
    parts.push(toStringOf(node, label, optionsOf(given, 'ToString')));
  if (wanted('EqualsAndHashCode')) parts.push(equalityOf(node, optionsOf(given, 'EqualsAndHashCode')));
  const hasConstructor = own('<init>');
  if (isImmutable && !hasConstructor) parts.push(immutableOf(node, optionsOf(given, 'Immutable')));
  else if (wanted('TupleConstructor') && !hasConstructor) parts.push(tupleOf(node));
  if (given.has('Singleton')) parts.push(singletonOf(node, hasConstructor));
  if (given.has('Builder')) parts.push(builderOf(node));
  if (given.has('Sortable')) parts.push(orderOf(node, optionsOf(given, 'Sortable')));
  if (given.has('Category')) parts.push(`static final $category = ${categoryOf(given.get('Category')!)}`);
  if (given.has('Slf4j'))
    parts.push(`private static final log = org.slf4j.LoggerFactory.getLogger('${node.name}')`);
  if (given.has('Log'))
    parts.push(`private static final log = java.util.logging.Logger.getLogger('${node.name}')`);
  return parts.join('\n');
}

const OPTIONS: ReadonlySet<string> = new Set(
  'includes excludes includeNames includeFields ignoreNulls includeSuper includePackage callSuper copyWith reversed lazy strict'.split(
    ' ',
  ),
);

/** The option that an argument of an annotation sets; undefined for what is no option that exists here. */
export function optionNamed(value: Expression): string | undefined {
  if (value.kind !== 'assign' || value.target.kind !== 'name') return undefined;
  return OPTIONS.has(value.target.name) ? value.target.name : undefined;
}

function optionsOf(annotations: ClassAnnotations, name: string): Map<string, unknown> {
  const options = new Map<string, unknown>();
  for (const { value } of annotations.get(name) ?? []) {
    const option = optionNamed(value);
    if (option !== undefined && value.kind === 'assign') options.set(option, constant(value.value));
  }
  return options;
}

function constant(node: Expression): unknown {
  if (node.kind === 'list') return node.items.map(constant);
  return node.kind === 'constant' ? node.value : undefined;
}

function names(value: unknown): readonly unknown[] | undefined {
  if (value === undefined) return undefined;
  return typeof value === 'string' ? value.split(/[\s,]+/) : Array.isArray(value) ? value : [value];
}

const HIDDEN = ['private', 'protected', 'public', 'PackageScope'];

function properties(node: ClassDeclaration, options = new Map<string, unknown>()): FieldDeclaration[] {
  const [includes, excludes] = [names(options.get('includes')), names(options.get('excludes'))];
  return node.fields.filter(({ name, modifiers }) => {
    if (modifiers.has('static') || name.startsWith('$')) return false;
    if (HIDDEN.some((word) => modifiers.has(word)) && options.get('includeFields') !== true) return false;
    return (includes?.includes(name) ?? true) && excludes?.includes(name) !== true;
  });
}

function toStringOf(node: ClassDeclaration, label: string, options: Map<string, unknown>): string {
  const parts = properties(node, options).map(({ name }) => {
    const title = options.get('includeNames') === true ? `'${name}:' + ` : '';
    const add = `$parts.add(${title}String.valueOf((Object) this.${name}))`;
    return options.get('ignoreNulls') === true ? `if (this.${name} != null) ${add}` : add;
  });
  if (options.get('includeSuper') === true) {
    const title = options.get('includeNames') === true ? "'super:' + " : '';
    parts.push(`$parts.add(${title}super.toString())`);
  }
  return `String toString() { def $parts = []\n${parts.join('\n')}\nreturn '${label}(' + $parts.join(', ') + ')' }`;
}

function equalityOf(node: ClassDeclaration, options: Map<string, unknown>): string {
  const own = (name: string) => node.methods.some((method) => method.name === name);
  const fields = properties(node, options);
  const callsSuper = options.get('callSuper') === true;
  const tests = fields.map(({ name }) => `if (this.${name} != other.${name}) return false`);
  if (callsSuper) tests.push('if (!super.equals(other)) return false');
  const hashes = fields.map(({ name, type }) => {
    const value =
      type?.name === 'boolean' && type.dimensions === 0
        ? `(this.${name} ? 79 : 97)`
        : `(this.${name} == null ? 0 : this.${name}.hashCode())`;
    return `$hash = 59 * $hash + ${value}`;
  });
  if (callsSuper) hashes.push('$hash = 59 * $hash + super.hashCode()');
  const equals = `boolean equals(Object other) { if (other == null) return false
if (this.is(other)) return true
if (!(other instanceof ${node.name})) return false
${tests.join('\n')}
return true }`;
  const hashCode = `int hashCode() { int $hash = 127\n${hashes.join('\n')}\nreturn $hash }`;
  return [own('equals') ? '' : equals, own('hashCode') ? '' : hashCode].join('\n');
}

/** Parameters have the values of the fields; the caller gives them types and what the fields begin with. */
function tupleOf(node: ClassDeclaration): string {
  const fields = properties(node);
  if (fields.length === 0) return '';
  const parameters = fields.map(({ name, type }) => `${name} = ${defaultText(type)}`);
  const body = fields.map(({ name }) => `this.${name} = ${name}`);
  return `${node.name}(${parameters.join(', ')}) { ${body.join('; ')} }`;
}

function immutableOf(node: ClassDeclaration, options: Map<string, unknown>): string {
  const fields = properties(node);
  const kept = (value: string) =>
    `(${value} instanceof Collection || ${value} instanceof Map) ? ${value}.asImmutable() : ${value}`;
  const known = fields.map(({ name }) => `'${name}'`).join(', ');
  const parameters = fields.map(({ name }) => name).join(', ');
  const tuple = fields.map(({ name }) => `this.${name} = ${kept(name)}`).join('\n');
  const named = fields
    .map(({ name }) => `if ($given.containsKey('${name}')) this.${name} = ${kept(`$given.get('${name}')`)}`)
    .join('\n');
  const check = `for ($name in $given.keySet()) { if (!([${known}].contains($name))) this.getProperty((String) $name) }`;
  const constructors = [
    ...(fields.length > 0 ? [`${node.name}(${parameters}) {\n${tuple}\n}`] : []),
    `${node.name}(Map $given) {\n${check}\n${named}\n}`,
    `${node.name}() { }`,
  ];
  if (options.get('copyWith') === true) {
    const present = fields.map(({ name }) => `${name}: this.${name}`).join(', ');
    constructors.push(`def copyWith(Map $changes) { return new ${node.name}([${present}] + $changes) }`);
  }
  return constructors.join('\n');
}

function singletonOf({ name }: ClassDeclaration, hasConstructor: boolean): string {
  const guard = `${name}() { if (!$isMaking) throw new RuntimeException("Can't instantiate singleton ${name}. Use ${name}.instance") }`;
  return `private static $instance
private static boolean $isMaking = false
${hasConstructor ? '' : guard}
static getInstance() {
if ($instance == null) { $isMaking = true; $instance = new ${name}(); $isMaking = false }
return $instance
}`;
}

function builderOf(node: ClassDeclaration): string {
  const setters = properties(node).map(
    ({ name }) => `def ${name}(value) { $values.put('${name}', value); return this }`,
  );
  return `static class ${node.name}Builder {
private Map $values = [:]
${setters.join('\n')}
def build() { return new ${node.name}($values) }
}
static builder() { return new ${node.name}Builder() }`;
}

function categoryOf(args: readonly Argument[]): string {
  const [only] = args;
  return only === undefined ? 'Object' : (pathText(only.value) ?? 'Object');
}

/** Compares objects in the order of the properties, or of those that are named. */
function orderOf(node: ClassDeclaration, options: Map<string, unknown>): string {
  const fields = properties(node, options).map(({ name }) => name);
  const included = names(options.get('includes'));
  if (included !== undefined) fields.sort((one, other) => included.indexOf(one) - included.indexOf(other));
  const sides = options.get('reversed') === true ? ['$b', '$a'] : ['$a', '$b'];
  const compared = (name: string) => `${sides[0]}.${name} <=> ${sides[1]}.${name}`;
  const tests = fields.map((name) => `$order = ${compared(name)}\nif ($order != 0) return $order`);
  const comparators = fields.map((name) => {
    const capital = name.charAt(0).toUpperCase() + name.slice(1);
    return `static Comparator comparatorBy${capital}() { return { $a, $b -> ${compared(name)} } as Comparator }`;
  });
  return `int compareTo(${node.name} $b) { def $a = this\nint $order = 0\n${tests.join('\n')}\nreturn 0 }
${comparators.join('\n')}`;
}
