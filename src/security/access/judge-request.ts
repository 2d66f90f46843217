import { errorIdOf, ForbiddenError, factsOf, ResourceError } from '#errors/index.ts';
import { formatPointer, type JsonObject } from '#json/index.ts';
import { bodyOf, type Context, type Request, type Router, textMember } from '#resource/index.ts';
import { ACCESS_FILE } from './access-file.ts';
import type { AccessRule } from './access-rule.ts';
import type { AccessRules } from './access-rules.ts';
import type { Lookups } from './lookups.ts';

interface Judgement {
  readonly granted: boolean;
  readonly reason: string;
  /** It is granted with some content, and may be refused with another: nobody has said which it is. */
  readonly dependsOnContent?: true;
  readonly id?: string;
  readonly field?: string;
  /** The rule that grants, or comes nearest to it. */
  readonly rule?: AccessRule;
  /** What its condition says; undefined where it was not asked. */
  readonly holds?: boolean;
}

/** As it is answered. */
export const JUDGEMENT = bodyOf(
  {
    granted: { type: 'boolean' },
    reason: { type: 'string' },
    dependsOnContent: {
      const: true,
      description: 'It is granted with some content, and may be refused with another',
    },
    id: textMember('The id of the error that the request would get'),
    field: textMember('A pointer to the property that keeps it from being granted'),
    rule: { type: 'object', description: 'The rule that grants or comes nearest, for administrators' },
    condition: { type: 'object', description: 'What its condition says' },
  },
  'granted',
  'reason',
);

/** The rules that say what is granted, and where they look up what that depends on. */
interface Judges {
  readonly rules: AccessRules;
  readonly router: Router;
  readonly lookups: Lookups;
  /** Whether the request stands for any that writes something there. */
  readonly isOpen: boolean;
}

/**
 * Asks the rules about a request as they are asked when it is made, and after them the filters of `router.json`.
 *
 * @param showsRules whether the caller may see the rules themselves
 */
export async function judgeRequest(
  judges: Judges,
  context: Context,
  request: Request,
  showsRules: boolean,
): Promise<JsonObject> {
  const { rule, holds, ...judgement } = await judge(judges, context, judges.router.named(request));
  if (!showsRules || rule === undefined) return { ...judgement };
  return { ...judgement, ...shownRule(rule, holds) };
}

async function judge(
  { rules, router, lookups, isOpen }: Judges,
  context: Context,
  request: Request,
): Promise<Judgement> {
  const told: { granting?: AccessRule; depending?: AccessRule; failed: AccessRule[]; notEditable?: string } =
    { failed: [] };
  let refusal: ForbiddenError | undefined;
  try {
    await rules.grants(context, request, lookups, {
      granting: (rule) => {
        told.granting = rule;
      },
      failing: (rule) => told.failed.push(rule),
      notEditable: (property) => {
        told.notEditable ??= property;
      },
      ...(isOpen
        ? {
            depending: (rule) => {
              told.depending ??= rule;
            },
          }
        : {}),
    });
  } catch (error) {
    if (!(error instanceof ForbiddenError)) throw error;
    refusal = error;
  }
  const { granting, depending } = told;
  const granted =
    granting === undefined
      ? depending && { ...OF_SOME_CONTENT, rule: depending }
      : {
          reason: 'A rule of script/access.js grants it',
          rule: granting,
          ...(granting.condition === null ? {} : { holds: true }),
        };
  if (granted !== undefined) {
    const byFilter = await refusedByFilter(router, context, request);
    return { granted: true, ...granted, ...byFilter };
  }
  return { granted: false, id: 'ACCESS_DENIED', ...whyNot(rules, request, told, refusal) };
}

const OF_SOME_CONTENT = {
  reason:
    'A rule of script/access.js grants it with some content and may refuse it with another; ask with `fields` or `content`',
  dependsOnContent: true,
} as const;

function whyNot(
  rules: AccessRules,
  request: Request,
  { failed, notEditable }: { readonly failed: readonly AccessRule[]; readonly notEditable?: string },
  refusal: ForbiddenError | undefined,
): Omit<Judgement, 'granted'> {
  const nearest = failed.at(-1);
  const byCondition = nearest === undefined ? {} : { rule: nearest, holds: false };
  if (refusal !== undefined) {
    return { reason: factsOf(refusal).hint ?? refusal.message, ...idOf(refusal), ...byCondition };
  }
  if (notEditable !== undefined) {
    const reason = `'${notEditable}' is not userEditable: its owner may not change it`;
    return { reason, field: formatPointer([notEditable]), ...byCondition };
  }
  if (nearest !== undefined) {
    return { reason: 'The condition of a rule that is meant for it does not hold', ...byCondition };
  }
  const forOthers = rules.forOtherRoles(request);
  return {
    reason: 'No rule of script/access.js grants it to the roles of the caller',
    ...(forOthers === undefined ? {} : { rule: forOthers }),
  };
}

/** Most rules are data; only filters that are scripts may say otherwise after them. */
async function refusedByFilter(
  router: Router,
  context: Context,
  request: Request,
): Promise<Judgement | undefined> {
  if (!router.judgesByScript([request])) return undefined;
  try {
    await (request.method === 'read' ? router.admitRead(context, request) : router.admit(context, request));
    return undefined;
  } catch (error) {
    if (!(error instanceof ResourceError) || error.code >= 500) throw error;
    const mayBeNone = error.code === 404 && router.judgesAnswer(request);
    return {
      granted: false,
      reason: `${mayBeNone ? 'There is nothing, or a' : 'A'} filter of router.json refuses it: ${error.message}`,
      ...idOf(error),
    };
  }
}

function idOf(error: ResourceError): { readonly id?: string } {
  const id = errorIdOf(error);
  return typeof id === 'string' ? { id } : {};
}

/** Names a rule, and those whom it is for. */
export function namedRule({ index, line, pattern, roles }: AccessRule): JsonObject {
  return {
    file: ACCESS_FILE,
    index,
    ...(line === undefined ? {} : { line }),
    pattern,
    roles: [...roles],
  };
}

function shownRule(rule: AccessRule, holds: boolean | undefined): JsonObject {
  const { text } = rule;
  return {
    rule: namedRule(rule),
    ...(text === null ? {} : { condition: { text, ...(holds === undefined ? {} : { result: holds }) } }),
  };
}
