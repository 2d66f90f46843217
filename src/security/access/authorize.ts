import { ForbiddenError } from '#errors/index.ts';
import { formatPointer } from '#json/index.ts';
import type { Context, CreateRequest, Filter, HttpContext, Request, UpdateRequest } from '#resource/index.ts';
import type { AccessRules } from './access-rules.ts';
import { Lookups } from './lookups.ts';

/** Lets external requests pass that a rule grants. Requests of the server itself pass. */
export function authorize(rules: AccessRules): Filter {
  const filter: Filter = async (context, request, next) => {
    if (!context.client.isExternal) return next(context, request);
    refuseForgery(context, request);
    const fixed: string[] = [];
    const lookups = new Lookups(next);
    const granted = isUpsert(request)
      ? await grantedUpsert(rules, context, request, lookups)
      : await granting(rules, context, request, lookups, (property) => fixed.push(property));
    if (granted === false) throw denied(fixed[0]);
    const answer = await next(context, granted);
    // The upsert of a caller who may only create was asked as a create: so the object was not there before.
    return answer.kind === 'resource' &&
      isUpsert(request) &&
      granted.method === 'create' &&
      !isUpsert(granted)
      ? { ...answer, created: true }
      : answer;
  };
  return Object.assign(filter, { runsScripts: (request: Request) => rules.needsScript(request) });
}

function isUpsert(request: Request): request is CreateRequest {
  return request.method === 'create' && request.orUpdate === true;
}

/** The request, bound to what the rules have looked at: changed by others meanwhile, it is judged again. */
async function granting<R extends Request>(
  rules: AccessRules,
  context: Context,
  request: R,
  lookups: Lookups,
  notEditable?: (property: string) => void,
): Promise<R | false> {
  let judgedAt: string | null | undefined;
  const told = {
    judgedAt: (revision: string | null) => {
      judgedAt = revision;
    },
    ...(notEditable === undefined ? {} : { notEditable }),
  };
  if (!(await rules.grants(context, request, lookups, told))) return false;
  return judgedAt === undefined ? request : { ...request, judgedAt };
}

/** A caller who may only do one half of a PUT that creates or updates does that half. */
async function grantedUpsert(
  rules: AccessRules,
  context: Context,
  request: CreateRequest,
  lookups: Lookups,
): Promise<Request | false> {
  const { orUpdate: _, newResourceId, method: __, ...rest } = request;
  const path = [...request.path, newResourceId!];
  const update: UpdateRequest = { ...rest, method: 'update', path, revision: null };
  const mayUpdate = await granting(rules, context, update, lookups);
  const mayCreate = await rules.grants(context, request, lookups);
  if (mayUpdate === false) return mayCreate && { ...rest, method: 'create', newResourceId };
  if (!mayCreate) return mayUpdate;
  return mayUpdate.judgedAt === undefined ? request : { ...request, judgedAt: mayUpdate.judgedAt };
}

/** No browser sends what these go by of its own accord: whoever has it is no page of somebody else. */
const BROUGHT: ReadonlySet<unknown> = new Set(['OPENID_CONNECT', 'API_KEY']);

/**
 * A browser sends a session cookie with every request, whoever made the page that asked, and so it does what stands behind a proxy's
 * login, a certificate, and a name and a password that it has once asked for. A header that only a script of our own origin can set
 * shows that it was one of ours.
 */
function refuseForgery({ http, security }: Context, request: Request): void {
  if (request.method === 'read' || http === null || 'x-requested-with' in http.headers) return;
  const { moduleId } = security.authorization;
  if (moduleId !== 'JWT_SESSION' && (BROUGHT.has(moduleId) || !isOfAnotherOrigin(http))) return;
  throw new ForbiddenError('Access denied', {
    id: 'ACCESS_FORGED_REQUEST',
    hint: 'With a session cookie, and from pages of another origin, everything but a read needs the header X-Requested-With',
  });
}

/** What browsers say of the page that asks; programs say nothing of the kind. */
function isOfAnotherOrigin({ headers, path }: HttpContext): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const { origin } = headers;
  if (origin === undefined || path.startsWith(`${origin}/`)) return false;
  const page = URL.parse(origin);
  return page === null || page.host !== headers['host'];
}

function denied(notEditable: string | undefined): ForbiddenError {
  if (notEditable !== undefined) {
    return new ForbiddenError('Access denied', {
      id: 'ACCESS_DENIED',
      field: formatPointer([notEditable]),
      hint: `'${notEditable}' is not userEditable: its owner may not change it`,
    });
  }
  return new ForbiddenError('Access denied', {
    id: 'ACCESS_DENIED',
    hint: 'No rule of script/access.js grants this to the roles of the caller; an administrator has them all',
  });
}
