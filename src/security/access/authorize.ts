import { ForbiddenError } from '#errors/index.ts';
import { formatPointer } from '#json/index.ts';
import type { Context, CreateRequest, Filter, Request, UpdateRequest } from '#resource/index.ts';
import type { AccessRules } from './access-rules.ts';
import { Lookups } from './lookups.ts';

/** Lets external requests pass that a rule grants. Requests of the server itself pass. */
export function authorize(rules: AccessRules): Filter {
  const filter: Filter = async (context, request, next) => {
    if (!context.client.isExternal) return next(context, request);
    refuseForgery(context, request);
    const fixed: string[] = [];
    const lookups = new Lookups(next);
    const granted =
      request.method === 'create' && request.orUpdate === true
        ? await grantedUpsert(rules, context, request, lookups)
        : await granting(rules, context, request, lookups, (property) => fixed.push(property));
    if (granted === false) throw denied(fixed[0]);
    return next(context, granted);
  };
  return Object.assign(filter, { runsScripts: (request: Request) => rules.needsScript(request) });
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

/** Who may only do one half of a PUT that creates or updates does that half. */
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

/**
 * A browser sends a session cookie with every request, whoever made the page that asked. A header that only a
 * script of our own origin can set shows that it was one of ours.
 */
function refuseForgery(context: Context, request: Request): void {
  if (context.security.authorization['moduleId'] !== 'JWT_SESSION' || request.method === 'read') return;
  if (context.http === null || 'x-requested-with' in context.http.headers) return;
  throw new ForbiddenError('Access denied', {
    id: 'ACCESS_FORGED_REQUEST',
    hint: 'With a session cookie, everything but a read needs the header X-Requested-With',
  });
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
