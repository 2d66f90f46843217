import type { JsonObject } from '#json/index.ts';
import { isObject } from '#json/index.ts';
import type { ScriptSource } from './javascript/index.ts';

/** The binding whose members are variables of a process. */
const VARIABLES = '$variables';

/** Gives `svc` a further name in every script, as scripts of another server of the field call it. */
export function furtherName(name: string | undefined): readonly ScriptSource[] {
  if (name === undefined) return [];
  const property = `{ value: globalThis.svc, writable: true, configurable: true }`;
  const source = `() => { Object.defineProperty(globalThis, ${JSON.stringify(name)}, ${property}); }`;
  return [{ name: 'bindings/further-name.js', source }];
}

/** The bindings without variables of that name, which callers may choose and which would stand before what reaches out. */
export function withoutName(bindings: JsonObject, name: string | undefined): JsonObject {
  if (name === undefined) return bindings;
  const { [name]: _, ...others } = bindings;
  const variables = others[VARIABLES];
  if (!isObject(variables) || !Object.hasOwn(variables, name)) return others;
  const { [name]: __, ...kept } = variables;
  return { ...others, [VARIABLES]: kept };
}
