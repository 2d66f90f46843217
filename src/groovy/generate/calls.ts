import type { Argument, CallExpression } from '../syntax/ast.ts';
import { typeValue } from './class-references.ts';
import { mark } from './generated-text.ts';
import type { Generation } from './generation.ts';
import { kindOf } from './kinds.ts';
import { generateArguments } from './lists.ts';
import { generateMethodCall } from './method-calls.ts';
import { generateNew } from './new-objects.ts';
import { importedStatic } from './static-imports.ts';

/** What is refused by name, because nothing like it exists or may exist here. */
const REFUSED_CALLS: Readonly<Record<string, string>> = {
  evaluate: 'Scripts cannot compile other scripts; write a closure.',
};

export function generateCall(g: Generation, node: CallExpression): string {
  const { callee, args, at } = node;
  if (callee.kind === 'name') return callByName(g, callee.name, args, callee.at);
  if (callee.kind === 'constant' && typeof callee.value === 'string') {
    return callByName(g, callee.value, args, callee.at);
  }
  if (callee.kind === 'property') return generateMethodCall(g, callee, args);
  if (callee.kind === 'this' || callee.kind === 'super') {
    throw g.source.errorAt(at, `${callee.kind}() must be the first statement of a constructor`);
  }
  return `${mark(at)}$.callValue(${g.expression(callee)},${generateArguments(g, args)})`;
}

function callByName(g: Generation, name: string, args: readonly Argument[], at: number): string {
  const local = g.scope.find(name);
  if (local !== undefined) {
    g.notes.use(local);
    return `${mark(at)}$.callValue(${local.js},${generateArguments(g, args)})`;
  }
  if (Object.hasOwn(REFUSED_CALLS, name) && args.length > 0 && !g.directMethods.has(name)) {
    throw g.source.errorAt(at, `${name}() is not supported here`, REFUSED_CALLS[name]);
  }
  if (g.classes.newified.has(name))
    return generateNew(g, { kind: 'new', type: { name, dimensions: 0, at }, args, at });
  const { declaration, owner } = g.context;
  if (declaration === undefined) {
    const direct = directCall(g, name, args, at);
    if (direct !== undefined) return direct;
  }
  const isOwn = declaration?.methods.some((method) => method.name === name) ?? false;
  if (!isOwn && !g.directMethods.has(name) && g.classes.missing.isImported(name))
    g.classes.missing.report(name, at);
  if (!isOwn && !g.directMethods.has(name)) {
    const imported = importedStatic(g, name, true, at);
    if (imported !== undefined)
      return `${mark(at)}$.call(${imported.type},${imported.member},${generateArguments(g, args)})`;
  }
  if (g.context.isStatic && isOwn && owner === '$t') {
    return `${mark(at)}$.call($t,${JSON.stringify(name)},${generateArguments(g, args)})`;
  }
  if (owner === '$s' && !g.mayHaveMethod(name)) g.notes.callFree(name, at);
  return `${mark(at)}$.callName(${owner},${g.free(name)},${generateArguments(g, args)})`;
}

function directCall(g: Generation, name: string, args: readonly Argument[], at: number): string | undefined {
  const method = g.directMethods.get(name);
  if (method === undefined || args.length < method.least || args.length > method.most) return undefined;
  if (args.some(({ key, value }) => key !== undefined || value.kind === 'spread')) return undefined;
  const values = args.map(({ value }, index) => {
    const type = method.types[index];
    const code = g.expression(value);
    if (type === undefined || (type.name === 'int' && kindOf(g, value) === 'int')) return code;
    return `$.argument(${code},${typeValue(g, type)},${JSON.stringify(name)})`;
  });
  return `${mark(at)}${method.js}(${values.join(',')})`;
}
