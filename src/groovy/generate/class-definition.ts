import type { ClassDeclaration } from '../syntax/ast.ts';
import { generateFunctionBody } from './blocks.ts';
import { generateField, generateMethod, inFunction } from './class-members.ts';
import { meaningValue, typeValue } from './class-references.ts';
import { mark } from './generated-text.ts';
import { classVariable, type FunctionContext, type Generation } from './generation.ts';
import { generateArguments } from './lists.ts';

/** Parents that a class of a script may have, besides other classes of the script. */
const OPEN_PARENT = /^(?:java\.lang\.Object|groovy\.util\.Expando|.*(?:Exception|Error|Throwable))$/;

export function generateClass(g: Generation, node: ClassDeclaration, name: string): string {
  const context: FunctionContext = {
    owner: '$t',
    self: '$t',
    declaration: node,
    className: name,
    isStatic: false,
  };
  return g.inContext(context, () => {
    const parent = node.parent === undefined ? 'null' : parentOf(g, node.parent);
    const interfaces = node.interfaces.map((type) => typeValue(g, type));
    const fields = node.fields.map((field) => generateField(g, field, context));
    const methods = node.methods.map((method) => generateMethod(g, method, context));
    const constants = node.constants.map(({ name: constant, args, body, at }, index) => {
      const inner = `${name}$${index + 1}`;
      const definition =
        body === undefined ? 'null' : `${classVariable(inner)}=>(${g.classDefinition(body, inner)})`;
      return `{name:${JSON.stringify(constant)},args:()=>${mark(at)}${generateArguments(g, args)},body:${definition}}`;
    });
    const initializers = node.initializers.map(({ isStatic, body }) => {
      const code = inFunction(g, { ...context, isStatic }, () => `($t)=>{${generateFunctionBody(g, body)}}`);
      return `{isStatic:${isStatic},run:${code}}`;
    });
    const parts = [
      `parent:${parent}`,
      `interfaces:[${interfaces.join(',')}]`,
      `fields:[${fields.join(',\n')}]`,
      `methods:[${methods.join(',\n')}]`,
      `constants:[${constants.join(',')}]`,
      `initializers:[${initializers.join(',')}]`,
    ];
    return `{${parts.join(',\n')}}`;
  });
}

function parentOf(g: Generation, type: ClassDeclaration['parent'] & object): string {
  const meaning = g.classes.get(type, g.context.className);
  if (meaning.kind === 'known' && !OPEN_PARENT.test(meaning.name)) {
    throw g.source.errorAt(
      type.at,
      `A class cannot extend ${meaning.name} here`,
      'Keep an object of that class in a property instead.',
    );
  }
  return meaningValue(g, meaning);
}
