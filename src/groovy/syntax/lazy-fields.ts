import type { ClassDeclaration, Expression, FieldDeclaration, MethodDeclaration } from './ast.ts';

/**
 * Fields with `@Lazy` get their values when they are first read: each becomes a hidden field, a method that makes the
 * value, and a getter, whose text is added to the class.
 */
export function withLazyFields(node: ClassDeclaration): { node: ClassDeclaration; text: string } {
  const lazy = node.fields.filter(({ modifiers }) => modifiers.has('Lazy'));
  if (lazy.length === 0) return { node, text: '' };
  const fields = node.fields.map((field) => (lazy.includes(field) ? hidden(field) : field));
  const methods = [...node.methods, ...lazy.map(maker)];
  return { node: { ...node, fields, methods }, text: lazy.map(getter).join('\n') };
}

function capital({ name }: FieldDeclaration): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function placement({ modifiers }: FieldDeclaration): Set<string> {
  return new Set(['private', ...(modifiers.has('static') ? ['static'] : [])]);
}

function hidden(field: FieldDeclaration): FieldDeclaration {
  return { name: `$${field.name}`, modifiers: placement(field), at: field.at };
}

function maker(field: FieldDeclaration): MethodDeclaration {
  const { at } = field;
  const value: Expression =
    field.value ??
    (field.type === undefined
      ? { kind: 'constant', value: null, at }
      : { kind: 'new', type: field.type, args: [], at });
  return {
    kind: 'method',
    name: `$make${capital(field)}`,
    parameters: [],
    body: [{ kind: 'return', value, at }],
    modifiers: placement(field),
    at,
  };
}

function getter(field: FieldDeclaration): string {
  const name = `$${field.name}`;
  const isStatic = field.modifiers.has('static') ? 'static ' : '';
  return `${isStatic}def get${capital(field)}() { if (${name} == null) { ${name} = $make${capital(field)}() }
return ${name} }`;
}
