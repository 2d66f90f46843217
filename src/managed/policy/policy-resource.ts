import { hasEnvelope } from '#crypto/index.ts';
import { didYouMean, ForbiddenError, InternalServerError, NotFoundError } from '#errors/index.ts';
import { isObject, type JsonObject } from '#json/index.ts';
import { findObject } from '#repo/index.ts';
import {
  type ActionRequest,
  ActionTable,
  actionResult,
  bodyOf,
  type Context,
  dbOf,
  formatPath,
  listMember,
  queryOfAll,
  type Request,
  type RouteHandler,
  resource,
  unsupported,
  writeContext,
} from '#resource/index.ts';
import { requestView } from '#script/index.ts';
import type { ManagedPlatform } from '../managed-platform.ts';
import { storeOf } from '../relationship/target-repository.ts';
import { matchesSecret } from '../secret.ts';
import { CATALOGUE } from './catalogue.ts';
import { type PolicyScripts, runCustomPolicy } from './custom-policies.ts';
import { type PropertyRules, propertyName, type Rule } from './property-rules.ts';
import { validateObject } from './validate-object.ts';

/** What can be asked of any property without a script, and what each of that is given. */
const POLICIES: JsonObject[] = [...CATALOGUE.values()].map(({ id, requirements, params = {} }) => ({
  policyId: id,
  policyRequirements: [...requirements],
  params,
}));

/** Stand for an object that is not stored yet. */
const NEW: ReadonlySet<string> = new Set(['*', '-']);

/** `/policy/<path of an object>`: the rules for it, and whether something keeps them. */
export function policyResource(platform: ManagedPlatform): RouteHandler {
  const actions = new ActionTable<[path: readonly string[]]>({
    validateObject: {
      does: 'Says which rules the object in the body does not keep',
      takes: { type: 'object' },
      answers: VALIDATION,
      run: async (context, request, path) =>
        actionResult(await validate(platform, context, request, path, true)),
    },
    validateProperty: {
      does: 'Says it of the properties in the body alone',
      takes: { type: 'object' },
      answers: VALIDATION,
      run: async (context, request, path) =>
        actionResult(await validate(platform, context, request, path, false)),
    },
  });
  return {
    envelopes: 'seals',
    async handle(context, request, match) {
      const path = objectPath(match.remaining);
      if (platform.policies().isUnknown(path)) throw unknownType(platform, path[1]!);
      if (request.method === 'read') {
        if (match.remaining.length === 0)
          return resource('', null, { resources: [...platform.policies().resources], policies: POLICIES });
        return describeRules(platform, context, request, path, match.remaining);
      }
      if (request.method === 'action') return actions.run(writeContext(context), request, path);
      return unsupported(request);
    },
    runsScripts: (_request, { remaining }) =>
      platform.policies().runsScripts(collectionOf(objectPath(remaining))),
    describe: (path) => [
      { path, kind: 'singleton', title: 'policies', methods: ['read'], actions: [] },
      {
        path: `${path}/managed/{type}/{id}`,
        kind: 'instance',
        title: 'policies',
        methods: ['read', 'action'],
        actions: actions.describe(),
      },
    ],
  };
}

const VALIDATION = bodyOf(
  {
    result: { type: 'boolean' },
    failedPolicyRequirements: listMember(
      bodyOf({ property: { type: 'string' }, policyRequirements: listMember({ type: 'object' }) }),
    ),
  },
  'result',
  'failedPolicyRequirements',
);

/** Clients of the field ask for the rules of a type by its path alone: they are those for an object that is not stored yet. */
function objectPath(path: readonly string[]): readonly string[] {
  return path.length === 2 && path[0] === 'managed' ? [...path, '*'] : path;
}

function unknownType(platform: ManagedPlatform, type: string): NotFoundError {
  return new NotFoundError(`There is no managed type '${type}'`, {
    id: 'MANAGED_UNKNOWN_TYPE',
    hint: didYouMean(type, [...platform.types.current().keys()]) ?? 'Types are declared in managed.json',
  });
}

function collectionOf(path: readonly string[]): string {
  return formatPath(path.slice(0, -1));
}

async function validate(
  platform: ManagedPlatform,
  context: Context,
  request: ActionRequest,
  path: readonly string[],
  isWhole: boolean,
): Promise<JsonObject> {
  const content = isObject(request.content) ? request.content : {};
  const object =
    hasEnvelope(content) && !context.client.isExternal
      ? ((await platform.crypto.decrypt(content)) as JsonObject)
      : content;
  const collection = collectionOf(path);
  const id = await knownId(platform, context, path);
  return validateObject({
    context,
    scripts: scriptsOf(platform),
    rules: platform.policies().rulesFor(collection),
    place: {
      collection,
      id,
      db: () => dbOf(platform, context),
      stored: () => readStored(platform, context, collection, id),
      isBinding: false,
      matches: (text, stored) => matchesSecret(platform, text, stored),
      isSecret: (property) => isSecret(platform, collection, property),
      tellsOfOthers: await mayQuery(platform, context, collection),
      mappings: () => platform.synchronizer.mappings(),
    },
    object,
    ...(isWhole ? {} : { only: new Set(Object.keys(object)) }),
    bindings: { request: requestView(request), resourceName: formatPath(path) },
    isHashed: (value) => platform.crypto.isHashed(value),
  });
}

function isSecret({ types }: ManagedPlatform, collection: string, property: string): boolean {
  const [name = ''] = property.split(/[/.[]/);
  const { isPrivate, encryption, hashAlgorithm } = types.at(collection)?.compiled.get(name) ?? {};
  return isPrivate === true || (encryption ?? hashAlgorithm ?? null) !== null;
}

/**
 * The object that the path names, for whoever may read it. To anybody else it is as one that is not stored yet: what
 * rules say against a value would tell what the object holds.
 */
async function knownId(
  { resources }: ManagedPlatform,
  context: Context,
  path: readonly string[],
): Promise<string | null> {
  const id = path.at(-1) ?? '*';
  if (NEW.has(id)) return null;
  if (!context.client.isExternal) return id;
  try {
    await resources.admit(context, { method: 'read', path, fields: [], parameters: {} });
    return id;
  } catch (error) {
    if (error instanceof ForbiddenError) return null;
    throw error;
  }
}

/** A caller who may not query a collection is not told by its policies, either, which objects it has. */
async function mayQuery(
  { resources }: ManagedPlatform,
  context: Context,
  collection: string,
): Promise<boolean> {
  if (!context.client.isExternal) return true;
  try {
    await resources.admit(context, queryOfAll(collection));
    return true;
  } catch (error) {
    if (error instanceof ForbiddenError) return false;
    throw error;
  }
}

export async function readStored(
  platform: ManagedPlatform,
  context: Context,
  collection: string,
  id: string | null,
) {
  const store = storeOf(collection);
  if (id === null || store === undefined) return null;
  const stored = await findObject(await dbOf(platform, context), store, id);
  return stored === undefined ? null : ((await platform.crypto.decrypt(stored.data)) as JsonObject);
}

async function describeRules(
  platform: ManagedPlatform,
  context: Context,
  request: Request,
  path: readonly string[],
  asked: readonly string[],
) {
  const properties = await describedRules(platform, context, request, path);
  return resource(asked.at(-1)!, null, { resource: formatPath(asked), properties });
}

/** The rules for an object at that path, a row for each property that has any. */
export async function describedRules(
  platform: ManagedPlatform,
  context: Context,
  request: Request,
  path: readonly string[],
): Promise<JsonObject[]> {
  const bindings = { request: requestView(request), resourceName: formatPath(path) };
  const properties: JsonObject[] = [];
  for (const rules of platform.policies().rulesFor(collectionOf(path))) {
    const describe = (list: readonly Rule[]) => describeAll(platform, context, list, bindings);
    const policies = await describe(rules.rules);
    properties.push({
      name: propertyName(rules.path).replaceAll('[]', '[*]'),
      policies,
      policyRequirements: requirementsOf(policies),
      ...(rules.conditional.length === 0
        ? {}
        : { conditionalPolicies: await conditionalOf(rules, describe) }),
      ...(rules.fallback.length === 0 ? {} : { fallbackPolicies: await describe(rules.fallback) }),
    });
  }
  return properties;
}

async function conditionalOf(
  { conditional }: PropertyRules,
  describe: (rules: readonly Rule[]) => Promise<JsonObject[]>,
): Promise<JsonObject[]> {
  return Promise.all(
    conditional.map(async ({ dependencies, rules }) => ({
      dependencies: [...dependencies],
      policies: await describe(rules),
    })),
  );
}

async function describeAll(
  platform: ManagedPlatform,
  context: Context,
  rules: readonly Rule[],
  bindings: JsonObject,
): Promise<JsonObject[]> {
  return Promise.all(
    rules.map(async ({ policyId, params }) => {
      const native = CATALOGUE.get(policyId);
      const custom =
        native === undefined
          ? await runCustomPolicy(scriptsOf(platform), context, policyId, null, bindings)
          : undefined;
      const requirements = native?.requirements ?? custom?.policyRequirements;
      if (requirements === undefined) throw new InternalServerError(`There is no policy '${policyId}'`);
      return {
        policyId,
        policyRequirements: [...requirements],
        ...(Object.keys(params).length === 0 ? {} : { params }),
        ...(custom?.policyFunction ? { policyFunction: custom.policyFunction } : {}),
      };
    }),
  );
}

function requirementsOf(policies: readonly JsonObject[]): string[] {
  return [
    ...new Set(
      policies.flatMap(({ policyRequirements }) =>
        Array.isArray(policyRequirements) ? policyRequirements.map(String) : [],
      ),
    ),
  ];
}

export function scriptsOf(platform: ManagedPlatform): PolicyScripts {
  return {
    scripts: platform.scripts,
    files: () => platform.policies().files,
    readFile: platform.readScript,
  };
}
