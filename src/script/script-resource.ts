import { BadRequestError, ResourceError } from '#errors/index.ts';
import { isObject, type JsonObject } from '#json/index.ts';
import {
  type ActionRequest,
  type ActionResult,
  ActionTable,
  actionResult,
  bodyOf,
  type Context,
  type RouteHandler,
  textMember,
  unsupported,
  writeContext,
} from '#resource/index.ts';
import { findUse } from './binding-resource.ts';
import type { Diagnosis, ScriptScope } from './diagnosis.ts';
import { DESCRIPTOR_KEYS, parseScriptReference, type ScriptReference } from './script-reference.ts';
import { type BindingsOf, RESOURCE_PATH, type ScriptUse, type ScriptUses } from './script-use.ts';
import type { Scripts } from './scripts.ts';

/** A script that is sent to be run on the spot. */
export const EVALUATED = {
  title: 'a script that is sent to /script',
  bindings: { resourcePath: RESOURCE_PATH, resourceName: RESOURCE_PATH },
} as const satisfies ScriptUse;

/** Whatever else stands there is a variable of the script; clients of the field may also send the `name` of one that is registered. */
const SCRIPT = bodyOf({
  type: textMember('Such as text/javascript or groovy'),
  source: textMember('Its text'),
  file: textMember('Instead of it, the path of a file'),
  globals: { type: 'object', description: 'Variables that it has' },
  diagnostics: {
    type: 'boolean',
    description:
      'With compile: all that is wrong or doubtful, with places; with eval: what became of its variables',
  },
  use: textMember('With it: what the script is for, such as onUpdate'),
});

/** A header has room for a few. */
const MOST_WARNINGS = 10;
const LONGEST_WARNING = 200;

/** `/script`: evaluates and compiles scripts on the spot. */
export function scriptResource(scripts: Scripts, uses: ScriptUses): RouteHandler {
  const actions = new ActionTable<[script: SentScript]>(
    {
      eval: {
        does: 'Runs a script and answers with its result',
        takes: SCRIPT,
        runsScripts: true,
        run: (context, request, sent) => evaluate(scripts, uses, context, request, sent),
      },
      compile: {
        does: 'Says whether a script compiles',
        takes: SCRIPT,
        runsScripts: true,
        run: async (_context, _request, { warnings, diagnosis }) =>
          diagnosis === undefined
            ? { ...actionResult(true), headers: warningHeaders(warnings) }
            : actionResult({
                ok: diagnosis.ok,
                diagnostics: diagnosis.diagnostics.map((each) => ({ ...each })),
              }),
      },
    },
    { anyCase: true },
  );
  return {
    envelopes: 'shows',
    async handle(context, request, match) {
      if (request.method !== 'action' || match.remaining.length > 0) return unsupported(request);
      try {
        // The script is found and compiled before the action is looked at: a compile error wins.
        const sent = await readScript(scripts, uses, request);
        return await actions.run(writeContext(context), request, sent);
      } catch (error) {
        throw error instanceof ResourceError ? withoutDetail(error) : error;
      }
    },
    runsScripts: (request, match) => request.method === 'action' && match.remaining.length === 0,
    describe: (path) => [
      { path, kind: 'singleton', title: 'scripts', methods: ['action'], actions: actions.describe() },
    ],
  };
}

/** A script as a request brings it, which compiles. */
interface SentScript {
  readonly reference: ScriptReference;
  readonly warnings: readonly string[];
  /** Where it was asked for; then the script need not compile. */
  readonly diagnosis?: Diagnosis;
  readonly content: JsonObject;
}

async function readScript(
  scripts: Scripts,
  uses: ScriptUses,
  { action, content, parameters }: ActionRequest,
): Promise<SentScript> {
  if (!isObject(content)) {
    throw new BadRequestError('The body must be a JSON object that names a script', { id: 'SCRIPT_NO_BODY' });
  }
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
  const reference = { ...described, globals: isObject(globals) ? globals : {} };
  if (action.toLowerCase() === 'compile' && content['diagnostics'] === true) {
    const scope = scopeOf(uses, { ...content, ...parameters });
    return { reference, warnings: [], diagnosis: await scripts.diagnose(reference, scope), content };
  }
  return { reference, warnings: await scripts.compile(reference), content };
}

async function evaluate(
  scripts: Scripts,
  uses: ScriptUses,
  context: Context,
  request: ActionRequest,
  { reference, content }: SentScript,
): Promise<ActionResult> {
  const { diagnostics, use, ...others } = content;
  const isTold = diagnostics === true && use !== undefined;
  const known = isTold ? Object.entries(findUse(uses, String(use)).bindings) : [];
  const keeping = known.flatMap(([name, { keeps }]) =>
    keeps === true && Object.hasOwn(content, name) ? [name] : [],
  );
  const { value, bindings } = await scripts.evaluate(context, {
    reference,
    bindings: {
      ...({ resourcePath: '', resourceName: '' } satisfies BindingsOf<typeof EVALUATED>),
      ...bindingsOf(isTold ? others : content),
      ...request.parameters,
    },
    returnBindings: keeping,
  });
  return actionResult(isTold ? { result: value, kept: bindings } : value);
}

/** What a script is given: what the members that do not describe it are called, and what its use brings. */
function scopeOf(uses: ScriptUses, sent: JsonObject): ScriptScope {
  const { diagnostics: _, use, ...given } = bindingsOf(sent);
  const names = Object.keys(given);
  if (use === undefined) {
    // It may be any: what one of them brings is not unknown.
    const all = Object.values(uses).flatMap(({ bindings }) => Object.keys(bindings));
    return { names: new Set(['context', ...all, ...names]), takesOthers: false, keepsVariables: true };
  }
  const { bindings, takesOthers = false, keepsVariables = false } = findUse(uses, String(use));
  return { names: new Set(['context', ...Object.keys(bindings), ...names]), takesOthers, keepsVariables };
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
