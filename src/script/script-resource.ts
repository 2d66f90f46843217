import { BadRequestError } from '#errors/index.ts';
import { isObject, type JsonObject } from '#json/index.ts';
import {
  type ActionRequest,
  actionResult,
  type Context,
  type RouteHandler,
  unknownAction,
  unsupported,
} from '#resource/index.ts';
import { DESCRIPTOR_KEYS, parseScriptReference } from './script-reference.ts';
import type { Scripts } from './scripts.ts';

const ACTIONS = ['eval', 'compile'] as const;

/** `/script`: evaluates and compiles scripts on the spot. */
export function scriptResource(scripts: Scripts): RouteHandler {
  return {
    async handle(context, request, match) {
      if (request.method !== 'action' || match.remaining.length > 0) return unsupported(request);
      return actionResult(await act(scripts, context, request));
    },
    runsScripts: (request) => request.method === 'action',
    describe: (path) => [
      { path, kind: 'singleton', title: 'scripts', methods: ['action'], actions: ACTIONS },
    ],
  };
}

async function act(scripts: Scripts, context: Context, request: ActionRequest) {
  if (!isObject(request.content)) {
    throw new BadRequestError('The body must be a JSON object that names a script', { id: 'SCRIPT_NO_BODY' });
  }
  const { content } = request;
  const action = ACTIONS.find((known) => known === request.action.toLowerCase());
  const reference = parseScriptReference(descriptorOf(content));
  // The script is found and compiled before the action is looked at: a compile error wins.
  await scripts.compile(reference);
  if (action === undefined) return unknownAction(request, ACTIONS);
  if (action === 'compile') return true;
  const { value } = await scripts.evaluate(context, {
    reference,
    label: reference.file ?? reference.name ?? 'script',
    bindings: {
      ...bindingsOf(content),
      ...request.parameters,
      resourcePath: '',
    },
  });
  return value;
}

function descriptorOf(content: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(content).filter(([key]) => DESCRIPTOR_KEYS.has(key)));
}

/** Everything that does not describe the script is a variable of it. */
function bindingsOf(content: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(content).filter(([key]) => !DESCRIPTOR_KEYS.has(key)));
}
