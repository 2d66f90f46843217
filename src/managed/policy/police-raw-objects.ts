import { getMember, isObject, type JsonObject, lastOf } from '#json/index.ts';
import {
  type Context,
  type CreateRequest,
  dbOf,
  formatPath,
  type Request,
  type Response,
  type RouteHandler,
  type RouteMatch,
  type UpdateRequest,
} from '#resource/index.ts';
import { requestView } from '#script/index.ts';
import type { ManagedPlatform } from '../managed-platform.ts';
import { matchesSecret } from '../secret.ts';
import { namesIn } from '../steps/login-roles.ts';
import { policyRefusal } from './policy-refusal.ts';
import { readStored, scriptsOf } from './policy-resource.ts';
import { validateObject } from './validate-object.ts';

/** Raw objects for which rules hold: internal users and roles. */
const GUARDED = 'internal';

/**
 * The resource of raw objects, with the rules of `policy.json` asked before `repo/internal/…` is created or replaced;
 * passwords of internal users are stored hashed.
 */
export function policeRawObjects(platform: ManagedPlatform, repo: RouteHandler): RouteHandler {
  const isAsked = (request: Request, { remaining }: RouteMatch): request is CreateRequest | UpdateRequest =>
    (request.method === 'create' || request.method === 'update') &&
    remaining[0] === GUARDED &&
    platform.enforcesPolicies();
  return {
    ...repo,
    async handle(context, request, match) {
      if (isAsked(request, match)) await requireValid(platform, context, request);
      const answer = await repo.handle(context, await withHashedPassword(platform, request, match), match);
      return isWrittenAccount(context, request, match) ? withDoubts(platform, context, answer) : answer;
    },
    runsScripts: (request, match) =>
      isAsked(request, match) && platform.policies().runsScripts(placeOf(request).collection),
  };
}

function isWrittenAccount({ client }: Context, { method }: Request, { remaining }: RouteMatch): boolean {
  const isWrite = method === 'create' || method === 'update' || method === 'patch';
  return client.isExternal && isWrite && remaining[0] === GUARDED && remaining[1] === 'user';
}

/** Whoever writes an account is told which of its roles nothing knows. */
async function withDoubts(platform: ManagedPlatform, context: Context, answer: Response): Promise<Response> {
  if (answer.kind !== 'resource' || !isObject(answer.content)) return answer;
  const { content } = answer;
  const properties = platform.roleGrants.propertiesAt('repo/internal/user');
  const roles = properties.flatMap((property) => namesIn(getMember(content, property)));
  if (roles.length === 0) return answer;
  const warnings = await platform.knownRoles.warnings(await dbOf(platform, context), roles);
  return warnings.length === 0 ? answer : { ...answer, content: { ...content, warnings: [...warnings] } };
}

async function withHashedPassword(
  { crypto }: ManagedPlatform,
  request: Request,
  { remaining }: RouteMatch,
): Promise<Request> {
  if (remaining[0] !== GUARDED || remaining[1] !== 'user') return request;
  if (request.method !== 'create' && request.method !== 'update') return request;
  const { password } = request.content;
  if (typeof password !== 'string') return request;
  return { ...request, content: { ...request.content, password: await crypto.hash(password, null) } };
}

/** Where the object is, or will be. */
function placeOf(request: CreateRequest | UpdateRequest): { collection: string; id: string | null } {
  if (request.method === 'update') {
    return { collection: formatPath(request.path.slice(0, -1)), id: lastOf(request.path) };
  }
  const inBody = request.content['_id'];
  const id = request.newResourceId ?? (typeof inBody === 'string' ? inBody : null);
  return { collection: formatPath(request.path), id };
}

async function requireValid(
  platform: ManagedPlatform,
  context: Context,
  request: CreateRequest | UpdateRequest,
): Promise<void> {
  const { collection, id } = placeOf(request);
  const rules = platform.policies().rulesFor(collection);
  if (rules.length === 0) return;
  const object: JsonObject = { ...request.content, ...(id === null ? {} : { _id: id }) };
  const result = await validateObject({
    context,
    scripts: scriptsOf(platform),
    rules,
    place: {
      collection,
      id,
      db: () => dbOf(platform, context),
      stored: () => readStored(platform, context, collection, id),
      isBinding: true,
      matches: (text, stored) => matchesSecret(platform, text, stored),
      tellsOfOthers: true,
      mappings: () => platform.synchronizer.mappings(),
    },
    object,
    bindings: { request: requestView(request), resourceName: `${collection}/${id ?? '*'}` },
    isHashed: (value) => platform.crypto.isHashed(value),
  });
  if (!result.result) throw policyRefusal('Policy validation failed', result);
}
