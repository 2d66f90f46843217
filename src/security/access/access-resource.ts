import { BadRequestError, ForbiddenError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import {
  type ActionRequest,
  ActionTable,
  actionResult,
  breathing,
  type Context,
  listMember,
  type RouteHandler,
  type Router,
  resource,
  type SecurityContext,
  singleton,
} from '#resource/index.ts';
import { parseQuestions, QUESTIONS } from './access-question.ts';
import type { AccessRule } from './access-rule.ts';
import type { AccessRules } from './access-rules.ts';
import { JUDGEMENT, judgeRequest, namedRule } from './judge-request.ts';
import { Lookups } from './lookups.ts';

export interface AccessResourceOptions {
  readonly rules: AccessRules;
  readonly router: Router;
  /** Whoever logs in by that name and a password, as it is now; undefined when there is nobody. */
  readonly personNamed: (name: string, context: Context) => Promise<SecurityContext | undefined>;
}

/** `/access`: what the caller may do, and for administrators why, what others may do, and the rules that say so. */
export function accessResource(options: AccessResourceOptions): RouteHandler {
  const { rules, router } = options;
  return singleton({
    description: { title: 'access' },
    /** All rules, for those who may see scripts: they say who may do what. */
    async read(context) {
      if (!(await router.maySeeScripts(context))) {
        throw new ForbiddenError('Access denied', {
          id: 'ACCESS_DENIED',
          hint: 'The rules are shown to those who may evaluate scripts; ask `may` what you may do yourself',
        });
      }
      return resource('', null, { rules: rules.all.map(ruleView) });
    },
    actions: new ActionTable({
      may: {
        does: 'Says of each of up to 200 requests whether it would be granted and why; administrators may ask `as` somebody else, and see the rule',
        takes: QUESTIONS,
        answers: listMember(JUDGEMENT),
        runsScripts: (request) => mayRunScripts(router, request),
        async run(context, { content }) {
          const questions = parseQuestions(content);
          // Whoever may evaluate scripts is shown what the rules say.
          const showsRules = await router.maySeeScripts(context);
          const people = new Map<string, SecurityContext>();
          const newLookups = () =>
            new Lookups(router.handle, (found) => {
              context.budget.spend('judgedBytes', context.budget.measure(found).bytes);
            });
          const shared = newLookups();
          const answers: JsonObject[] = [];
          // What they look up is looked up once, so that most of them have nothing to wait for.
          const breathe = breathing();
          for (const [index, { request, isOpen, as }] of questions.entries()) {
            if (as !== null && !showsRules) throw onlyForOneself(index);
            const security =
              as === null ? context.security : (people.get(as) ?? (await known(options, context, as, index)));
            if (as !== null) people.set(as, security);
            // One after the other: a condition may read, and they all have one connection. What scripts do on the way
            // they would do for the request itself, which is not made.
            const asked = { ...context, security, survivable: false, rehearsed: true };
            // What they have done while others were looked up is undone with it.
            const lookups = router.judgesByScript([router.named(request)]) ? newLookups() : shared;
            const judge = () => judgeRequest({ rules, router, lookups, isOpen }, asked, request, showsRules);
            answers.push(await context.unitOfWork.savepoint(judge, { keep: false }));
            const pause = breathe();
            if (pause !== undefined) await pause;
          }
          return actionResult(answers);
        },
      },
    }),
  });
}

function ruleView(rule: AccessRule): JsonObject {
  const { methods, actions, excludePatterns, text } = rule;
  return {
    ...namedRule(rule),
    methods: [...methods],
    actions: [...actions].filter((action) => action !== ''),
    excludePatterns: [...excludePatterns],
    ...(text === null ? {} : { condition: text }),
  };
}

/** Conditions about tasks and processes read them, and what has no path that can be read is refused anyway. */
function mayRunScripts(router: Router, { content }: ActionRequest): boolean {
  try {
    const requests = parseQuestions(content).map(({ request }) => router.named(request));
    return router.judgesByScript(requests) || requests.some(({ path }) => path[0] === 'workflow');
  } catch (error) {
    if (error instanceof BadRequestError) return false;
    throw error;
  }
}

async function known(
  { personNamed }: AccessResourceOptions,
  context: Context,
  name: string,
  index: number,
): Promise<SecurityContext> {
  const security = await personNamed(name, context);
  if (security !== undefined) return security;
  throw new BadRequestError(`There is nobody '${name}' who may log in`, {
    id: 'ACCESS_NOBODY',
    field: `/${index}/as`,
    hint: 'The name of an active user with a password',
  });
}

function onlyForOneself(index: number): ForbiddenError {
  return new ForbiddenError('Access denied', {
    id: 'ACCESS_DENIED',
    field: `/${index}/as`,
    hint: 'Only administrators ask what others may do',
  });
}
