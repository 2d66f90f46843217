import type { Parameter } from '../syntax/ast.ts';
import { converted, typeValue } from './class-references.ts';
import { type Generation, isAnything } from './generation.ts';

/** Least and most arguments, rest parameter, and the types when there are any. */
export function parameterShape(g: Generation, parameters: readonly Parameter[]): string {
  const least = parameters.filter(({ byDefault, isRest }) => byDefault === undefined && !isRest).length;
  const rest = parameters.at(-1);
  const isRest = rest !== undefined && (rest.isRest || (rest.type?.dimensions ?? 0) > 0);
  const isPlain = isTrailing(parameters.map(({ byDefault }) => byDefault !== undefined));
  const types =
    isPlain && parameters.some(({ type }) => type !== undefined && !isAnything(type))
      ? `,()=>[${parameters.map((parameter) => parameterType(g, parameter)).join(',')}]`
      : '';
  const needed = isRest && !rest.isRest && least === parameters.length ? least - 1 : least;
  return `${isRest ? needed : least},${parameters.length},${isRest}${types}`;
}

function parameterType(g: Generation, { type, isRest }: Parameter): string {
  if (type === undefined || (isAnything(type) && !isRest)) return isRest ? objectArray(g) : 'null';
  return typeValue(g, isRest ? { ...type, dimensions: type.dimensions + 1 } : type);
}

function objectArray(g: Generation): string {
  return g.constant(`$.arrayType(${g.constant('$.type("java.lang.Object")')},1)`);
}

/** A JavaScript function; `first` is the parameter that the runtime itself fills. */
export function generateFunction(
  g: Generation,
  parameters: readonly Parameter[],
  first: string,
  body: () => string,
): string {
  const names: string[] = first === '' ? [] : [first];
  for (const { name, type, byDefault, isFinal = false, isRest, at } of parameters) {
    const value = byDefault === undefined ? undefined : g.expression(byDefault);
    const { js } = g.declareVariable(name, at, { type: isRest ? undefined : type, isFinal });
    names.push(value === undefined ? js : `${js}=${converted(g, value, type)}`);
  }
  const code = `(${names.join(',')})=>{${body()}}`;
  const defaults = parameters.map(({ byDefault }) => byDefault !== undefined);
  return isTrailing(defaults)
    ? code
    : `$.withDefaults([${defaults.join(',')}],${first === '' ? 0 : 1},${code})`;
}

/** Whether all that can be left out come last. */
export function isTrailing(defaults: readonly boolean[]): boolean {
  const first = defaults.indexOf(true);
  return first < 0 || defaults.slice(first).every(Boolean);
}
