import type { Statement, TryStatement } from '../syntax/ast.ts';
import { generateBlock, generateStatements } from './blocks.ts';
import { typeValue } from './class-references.ts';
import { mark } from './generated-text.ts';
import type { Generation } from './generation.ts';
import { generateName } from './names.ts';

export function generateTry(
  g: Generation,
  { resources, body, handlers, finalizer, at }: TryStatement,
  isTail: boolean,
): string {
  const code =
    resources.length === 0 ? generateBlock(g, body, isTail) : withResources(g, resources, body, isTail);
  if (handlers.length === 0 && finalizer === undefined) return `${code}\n`;
  const tried = `${mark(at)}try${code}`;
  const finished = finalizer === undefined ? '' : `finally${generateBlock(g, finalizer, false)}`;
  if (handlers.length === 0) return `${tried}${finished}\n`;
  const raw = g.temporary();
  const caught = g.temporary();
  const branches = handlers.map(({ types, name, body: handler, at: handlerAt }) =>
    g.inScope('block', () => {
      const wanted = types.length === 0 ? [{ name: 'Exception', dimensions: 0, at: handlerAt }] : types;
      const tests = wanted.map((type) => `$.isInstance(${caught},${typeValue(g, type)})`);
      const { js } = g.declareVariable(name, handlerAt);
      return `if(${tests.join('||')}){let ${js}=${caught};${generateStatements(g, handler, isTail)}}else `;
    }),
  );
  return `${tried}catch(${raw}){const ${caught}=$.caught(${raw});${branches.join('')}throw ${raw};}${finished}\n`;
}

/** Each resource is closed when the body is left, whatever the way; what the body threw is thrown all the same. */
function withResources(
  g: Generation,
  resources: readonly Statement[],
  body: readonly Statement[],
  isTail: boolean,
): string {
  const [resource, ...others] = resources;
  if (resource === undefined) return generateBlock(g, body, isTail);
  return g.inScope('block', () => {
    const declared = resource.kind === 'variable' ? g.statement(resource, false) : '';
    const value = g.temporary();
    const failure = g.temporary();
    const code = resourceValue(g, resource);
    const inner = withResources(g, others, body, isTail);
    const tried = `try${inner}catch($x){${failure}=[$x];throw $x;}finally{${mark(resource.at)}$.close(${value},${failure});}`;
    return `{${declared}const ${value}=${code};let ${failure};${tried}}`;
  });
}

function resourceValue(g: Generation, resource: Statement): string {
  if (resource.kind === 'expression') return g.expression(resource.value);
  const last = resource.kind === 'variable' ? resource.variables.at(-1) : undefined;
  return last === undefined ? 'null' : generateName(g, last.name, last.at);
}
