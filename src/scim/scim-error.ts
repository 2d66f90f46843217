import type { ResourceError } from '#errors/index.ts';
import { isObject, type JsonObject } from '#json/index.ts';

/** What SCIM says of a 400 or 409 besides its status (RFC 7644, 3.12, and RFC 9865, 2.1), and the ids that our errors have for it. */
const TYPES = [
  ['invalidFilter', 'SCIM_BAD_FILTER'],
  ['uniqueness', 'SCIM_NOT_UNIQUE'],
  ['mutability', 'SCIM_NOT_MUTABLE'],
  ['invalidSyntax', 'SCIM_BAD_SYNTAX'],
  ['invalidPath', 'SCIM_BAD_PATH'],
  ['noTarget', 'SCIM_NO_TARGET'],
  ['invalidValue', 'SCIM_BAD_VALUE'],
  ['sensitive', 'SCIM_SENSITIVE'],
  ['invalidCount', 'SCIM_BAD_COUNT'],
  ['invalidCursor', 'PAGING_BAD_COOKIE'],
  ['invalidSyntax', 'HTTP_BAD_JSON'],
  ['invalidSyntax', 'HTTP_BODY_NOT_OBJECT'],
  ['invalidSyntax', 'HTTP_MEDIA_TYPE'],
] as const;

const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** An error in the words of RFC 7644, which has no place for more: what to do about it stands behind the message. */
export function scimErrorBody(error: ResourceError): JsonObject {
  const { status, scimType } = statusOf(error);
  const hint = isObject(error.detail) ? error.detail['hint'] : undefined;
  return {
    schemas: [ERROR_SCHEMA],
    status: String(status),
    ...(scimType === undefined ? {} : { scimType }),
    detail: typeof hint === 'string' ? `${error.message}. ${hint}` : error.message,
  };
}

/** Policies are 403 to others; to SCIM a value that they refuse is a bad one, and one that somebody has already a conflict. */
export function statusOf(error: ResourceError): { readonly status: number; readonly scimType?: string } {
  const id = idOf(error);
  const own = TYPES.find(([, one]) => one === id);
  if (own !== undefined) return { status: error.code, scimType: own[0] };
  const policies = refusedPolicies(error);
  if (policies.length > 0) {
    return policies.includes('UNIQUE')
      ? { status: 409, scimType: 'uniqueness' }
      : { status: 400, scimType: 'invalidValue' };
  }
  // What a resource cannot do at all its clients know as a method that is not allowed.
  if (error.code === 501) return { status: 405 };
  const status = error.code >= 400 && error.code <= 599 ? error.code : 500;
  // Two that were made at once; clients look for the other one then.
  if (id === 'DB_DUPLICATE') return { status: 409, scimType: 'uniqueness' };
  if (status === 400) return { status, scimType: id.startsWith('FILTER') ? 'invalidFilter' : 'invalidValue' };
  return { status };
}

function idOf({ detail }: ResourceError): string {
  return isObject(detail) && typeof detail['id'] === 'string' ? detail['id'] : '';
}

/** The requirements that a value has not met. */
function refusedPolicies({ detail }: ResourceError): string[] {
  const failed = isObject(detail) ? detail['failedPolicyRequirements'] : undefined;
  if (!Array.isArray(failed)) return [];
  return failed.flatMap((entry) => {
    const requirements = isObject(entry) ? entry['policyRequirements'] : undefined;
    return Array.isArray(requirements)
      ? requirements.map((one) => (isObject(one) ? String(one['policyRequirement']) : ''))
      : [];
  });
}
