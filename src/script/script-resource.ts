import { BadRequestError, ResourceError } from '#errors/index.ts';
import { isObject, type JsonObject } from '#json/index.ts';
import {
  type ActionRequest,
  type ActionResult,
  actionResult,
  type Context,
  type RouteHandler,
  unknownAction,
  unsupported,
} from '#resource/index.ts';
import { DESCRIPTOR_KEYS, parseScriptReference } from './script-reference.ts';
import type { Scripts } from './scripts.ts';

/** A header has room for a few. */
const MOST_WARNINGS = 10;
const LONGEST_WARNING = 200;

const ACTIONS = ['eval', 'compile'] as const;

/** `/script`: evaluates and compiles scripts on the spot. */
export function scriptResource(scripts: Scripts): RouteHandler {
  return {
    envelopes: 'shows',
    async handle(context, request, match) {
      if (request.method !== 'action' || match.remaining.length > 0) return unsupported(request);
      try {
        return await act(scripts, context, request);
      } catch (error) {
        throw error instanceof ResourceError ? withoutDetail(error) : error;
      }
    },
    runsScripts: (request, match) => request.method === 'action' && match.remaining.length === 0,
    describe: (path) => [
      { path, kind: 'singleton', title: 'scripts', methods: ['action'], actions: ACTIONS },
    ],
  };
}

async function act(scripts: Scripts, context: Context, request: ActionRequest): Promise<ActionResult> {
  if (!isObject(request.content)) {
    throw new BadRequestError('The body must be a JSON object that names a script', { id: 'SCRIPT_NO_BODY' });
  }
  const { content } = request;
  const action = ACTIONS.find((known) => known === request.action.toLowerCase());
  const { globals } = content;
  // Here, other than in configuration, no key that describes the script is a variable of it.
  const described = parseScriptReference(descriptorOf(content));
  if (content['name'] === undefined && (content['type'] ?? null) === null) {
    throw new BadRequestError('A script of a request needs a type', {
      id: 'SCRIPT_BAD_REFERENCE',
      field: '/type',
      hint: "Such as 'text/javascript' or 'groovy'",
    });
  }
  const reference = { ...described, globals: isObject(globals ?? null) ? (globals as JsonObject) : {} };
  // The script is found and compiled before the action is looked at: a compile error wins.
  const warnings = await scripts.compile(reference);
  if (action === undefined) return unknownAction(request, ACTIONS);
  if (action === 'compile') return { ...actionResult(true), headers: warningHeaders(warnings) };
  const { value } = await scripts.evaluate(context, {
    reference,
    bindings: {
      resourcePath: '',
      resourceName: '',
      ...bindingsOf(content),
      ...request.parameters,
    },
  });
  return actionResult(value);
}

/** The answer is `true` alone, so what may be wrong with a script that compiles stands beside it. */
function warningHeaders(warnings: readonly string[]): Readonly<Record<string, string>> {
  if (warnings.length === 0) return {};
  const said = warnings.slice(0, MOST_WARNINGS).map((warning) => {
    const text = warning.slice(0, LONGEST_WARNING).replace(/[^ -~]|["\\]/g, '?');
    return `299 - "${text}"`;
  });
  return { Warning: said.join(', ') };
}

const OF_SCRIPTS = /^(?:SCRIPT_|ACTION_UNKNOWN$)/;

/** Errors of this resource are code, reason and message, and nothing else: what the server advises becomes part of the message. */
function withoutDetail(error: ResourceError): ResourceError {
  const { detail } = error;
  if (detail === undefined) return error;
  const hint = isObject(detail) && OF_SCRIPTS.test(String(detail['id'])) ? detail['hint'] : undefined;
  const message = typeof hint === 'string' ? `${error.message}. ${hint}` : error.message;
  return new ResourceError(error.code, message, error.cause === undefined ? {} : { cause: error.cause });
}

function descriptorOf(content: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(content).filter(([key]) => DESCRIPTOR_KEYS.has(key)));
}

/** Everything that does not describe the script is a variable of it. */
function bindingsOf(content: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(content).filter(([key]) => !DESCRIPTOR_KEYS.has(key)));
}
