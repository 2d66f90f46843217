import type { EndpointConfig } from '#config/index.ts';
import type { RequestMethod } from '#resource/index.ts';
import { parseScriptReference, type ScriptReference } from '#script/index.ts';

/** One endpoint as its configuration declares it. */
export interface Endpoint {
  readonly name: string;
  /** Route pattern; a `*` at its end takes in all paths below. */
  readonly context: string;
  readonly reference: ScriptReference;
  /** What can be asked; all else is refused without the script. */
  readonly methods: readonly RequestMethod[];
}

const METHODS = ['read', 'query', 'create', 'action', 'update', 'patch', 'delete'] as const;

/** @throws BadRequestError when it names no script */
export function endpointOf(name: string, config: EndpointConfig): Endpoint {
  const { context = `endpoint/${name}*`, encrypt: _, _methods: methods = METHODS, ...script } = config;
  // The schema admits JSON only; absent keys are undefined in its type.
  return { name, context, reference: parseScriptReference(script), methods };
}
