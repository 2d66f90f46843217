import type { Expression } from '../syntax/ast.ts';
import { checkStatic, meaningValue, typeValue } from './class-references.ts';
import { mark } from './generated-text.ts';
import { classVariable, type Generation } from './generation.ts';
import { generateArguments } from './lists.ts';

export function generateNew(g: Generation, node: Expression & { kind: 'new' }): string {
  const { type, args, body, at } = node;
  const list = generateArguments(g, args);
  if (body !== undefined) {
    const { owner } = g.context;
    const value = typeValue(g, type);
    const name = `${g.context.className === '' ? 'Script1' : g.context.className}$${g.temporary().slice(1)}`;
    const definition = g.classDefinition(body, name);
    return `${mark(at)}$.newAnonymous(${JSON.stringify(name)},${value},${owner},${list},${classVariable(name)}=>(${definition}))`;
  }
  const meaning = g.classes.get(type, g.context.className);
  checkStatic(g, meaning, 'new', true, at);
  const declared = meaning.kind === 'declared' ? meaning.declaration : undefined;
  if (declared?.modifiers.has('abstract') || declared?.form === 'interface') {
    throw g.source.errorAt(at, `You cannot create an instance from the abstract class '${type.name}'`);
  }
  const isNested = meaning.kind === 'declared' && meaning.name.includes('$');
  const around = isNested && g.context.declaration !== undefined && !g.context.isStatic;
  return `${mark(at)}$.create(${meaningValue(g, meaning)},${list}${around ? `,${g.context.self}` : ''})`;
}
