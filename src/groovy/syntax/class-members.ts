import type { ClassDeclaration, FieldDeclaration, MethodDeclaration } from './ast.ts';

/** The same tree, all of it at one place of another source. */
export function rebased<T>(node: T, at: number): T {
  if (Array.isArray(node)) return node.map((each) => rebased(each, at)) as T;
  if (typeof node !== 'object' || node === null || node instanceof Set) return node;
  const copy = Object.entries(node).map(([name, value]) => [name, name === 'at' ? at : rebased(value, at)]);
  return Object.fromEntries(copy) as T;
}

/** A class with further members; constructors whose parameters are its properties get their types from them. */
export function completed(
  node: ClassDeclaration,
  made: ClassDeclaration,
  isFinal: boolean,
): ClassDeclaration {
  const methods = made.methods.map((method) => typed(method, node.fields));
  const moved = new Set(
    methods.flatMap(({ parameters }) =>
      parameters.filter(({ byDefault }) => byDefault !== undefined).map(({ name }) => name),
    ),
  );
  const fields = node.fields.map((field) => {
    const { value, ...rest } = field;
    const modifiers = isFinal ? new Set([...field.modifiers, 'final']) : field.modifiers;
    return moved.has(field.name) || value === undefined
      ? { ...rest, modifiers }
      : { ...rest, value, modifiers };
  });
  return {
    ...node,
    fields: [...fields, ...made.fields],
    methods: [...node.methods, ...methods],
    classes: [...node.classes, ...made.classes],
  };
}

/** What a field begins with is what its parameter is without an argument. */
function typed(method: MethodDeclaration, fields: readonly FieldDeclaration[]): MethodDeclaration {
  if (method.name !== '<init>') return method;
  const parameters = method.parameters.map((parameter) => {
    const field = fields.find(({ name }) => name === parameter.name);
    if (field === undefined) return parameter;
    const isDefaulted = parameter.byDefault !== undefined && field.value !== undefined;
    return {
      ...parameter,
      ...(field.type === undefined ? {} : { type: field.type }),
      ...(isDefaulted ? { byDefault: field.value } : {}),
    };
  });
  return { ...method, parameters };
}
