import type { ClassDeclaration, FieldDeclaration, MethodDeclaration, Parameter, Statement } from './ast.ts';
import { defaultText } from './class-annotations.ts';

/** The name that the parser gives to the constructor of a record without parameters of its own. */
export const COMPACT = '<compact>';

/** The fields that the head of a record stands for. */
export function componentFields(parameters: readonly Parameter[]): FieldDeclaration[] {
  return parameters.map(({ name, type, byDefault, at }) => ({
    name,
    ...(type === undefined ? {} : { type }),
    ...(byDefault === undefined ? {} : { value: byDefault }),
    modifiers: new Set(['final']),
    at,
  }));
}

/** What stands behind the `=` of components, as methods: named arguments may leave them out. */
export function componentDefaults(parameters: readonly Parameter[]): MethodDeclaration[] {
  return parameters.flatMap(({ name, byDefault, at }) =>
    byDefault === undefined
      ? []
      : [
          {
            kind: 'method',
            name: `$default_${name}`,
            parameters: [],
            body: [{ kind: 'return', value: byDefault, at }],
            modifiers: new Set(['static', 'private']),
            at,
          } as const,
        ],
  );
}

/** What the body of a record would have to hold if it were a class. */
export function recordText(node: ClassDeclaration, label: string, parameters: readonly Parameter[]): string {
  const own = (name: string) => node.methods.some((method) => method.name === name);
  const names = parameters.map(({ name }) => name);
  const list = names.map((name) => `this.${name}`).join(', ');
  const parts = [`static final $components = [${names.map((name) => `'${name}'`).join(', ')}].asImmutable()`];
  if (!own('<init>')) {
    const head = parameters.map((parameter) =>
      parameter.byDefault === undefined
        ? parameter.name
        : `${parameter.name} = ${defaultText(parameter.type)}`,
    );
    parts.push(
      `${node.name}(${head.join(', ')}) { ${names.map((name) => `this.${name} = ${name}`).join('; ')} }`,
    );
    if (names.length > 1) {
      const values = parameters.map(({ name, type, byDefault }) => {
        const missing = byDefault === undefined ? defaultText(type) : `$default_${name}()`;
        return `$given.containsKey('${name}') ? $given.get('${name}') : ${missing}`;
      });
      parts.push(`${node.name}(Map $given) { this(${values.join(', ')}) }`);
    }
  }
  for (const name of names) if (!own(name)) parts.push(`def ${name}() { return this.${name} }`);
  const shown = names.map((name) => `'${name}=' + String.valueOf((Object) this.${name})`);
  if (!own('toString'))
    parts.push(`String toString() { return '${label}[' + [${shown.join(', ')}].join(', ') + ']' }`);
  const tests = names.map((name) => `if (this.${name} != other.${name}) return false`);
  if (!own('equals'))
    parts.push(`boolean equals(Object other) { if (other == null || !(other instanceof ${node.name})) return false
${tests.join('\n')}
return true }`);
  const hashes = names.map(
    (name) => `$hash = 31 * $hash + (this.${name} == null ? 0 : this.${name}.hashCode())`,
  );
  if (!own('hashCode')) parts.push(`int hashCode() { int $hash = 0\n${hashes.join('\n')}\nreturn $hash }`);
  if (!own('toList')) parts.push(`List toList() { return [${list}] }`);
  if (!own('toMap'))
    parts.push(`Map toMap() { return [${names.map((name) => `${name}: this.${name}`).join(', ') || ':'}] }`);
  if (!own('size')) parts.push(`int size() { return ${names.length} }`);
  if (!own('getAt')) parts.push(`def getAt(int $at) { return [${list}].get($at) }`);
  return parts.join('\n');
}

/** The compact constructor runs before the values are kept. */
export function withCompact(node: ClassDeclaration, count: number): ClassDeclaration {
  const compact = node.methods.find(({ name }) => name === COMPACT);
  if (compact === undefined) return node;
  const before: readonly Statement[] = compact.body ?? [];
  const methods = node.methods
    .filter((method) => method !== compact)
    .map((method) =>
      method.name === '<init>' &&
      method.parameters.length === count &&
      method.parameters[0]?.name !== '$given'
        ? { ...method, body: [...before, ...(method.body ?? [])] }
        : method,
    );
  return { ...node, methods };
}
