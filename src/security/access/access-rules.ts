import { ForbiddenError } from '#errors/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import { type Context, formatPath, isWrite, type Request } from '#resource/index.ts';
import { foldRole } from '../authentication/role-names.ts';
import { type AccessCondition, needsScript } from './access-condition.ts';
import { type AccessRule, fitsRule, parseAccessRules } from './access-rule.ts';
import type { ConditionQuestion, Verdict } from './condition.ts';
import { CONDITIONS } from './conditions.ts';
import { type Handle, Lookups } from './lookups.ts';
import { namesIn } from './named-roles.ts';
import { idOfRole, type ProcessRule } from './process-access.ts';

export interface AccessOptions {
  /** The role of administrators: they may mend rules that cannot be read. */
  readonly adminRole: string;
  /** The schema properties of a managed type; undefined when there is no such type. */
  readonly properties: (type: string) => JsonObject | undefined;
  /** The rules of `conf/process-access.json`; undefined when there is no such file. */
  readonly processRules: () => readonly ProcessRule[] | undefined;
  /** Decides what only a script can, beside the text that the rules came from; exists where scripts may run. */
  readonly decideByScript: (
    context: Context,
    request: Request,
    condition: string,
    text: string,
  ) => Promise<boolean>;
}

/** `script/access.js`, and the value of its `httpAccessConfig`. */
export interface AccessFile {
  readonly config: JsonValue;
  readonly text: string;
  /** The texts of the files that it requires. */
  readonly required?: readonly string[];
  /** The lines on which its rules begin, where it writes them out. */
  readonly lines?: readonly number[];
}

/** Where rules come from while `script/access.js` cannot be evaluated: administrators may mend it. */
const administratorsOnly = (role: string): JsonObject => ({
  configs: [{ pattern: '*', roles: role, methods: '*', actions: '*' }],
});

/** What rules have to say beside yes and no. */
export interface Told {
  /** Told the property because of which callers may not change their own object. */
  readonly notEditable?: (property: string) => void;
  /** Told the revision at which the rule that grants has looked at what is to be changed; null where nothing was there. */
  readonly judgedAt?: (revision: string | null) => void;
  /** The rule that grants. */
  readonly granting?: (rule: AccessRule) => void;
  /** A rule that would, but for its condition. */
  readonly failing?: (rule: AccessRule) => void;
  /** A rule that may, by what is to be written; whoever listens asks of a request of which nobody has said that yet. */
  readonly depending?: (rule: AccessRule) => void;
}

/**
 * The rules of `script/access.js`, tried in order; the first that grants wins, and no grant means no. Most rules
 * are data and are decided here; one whose `customAuthz` is an expression of its own moves the request to where
 * scripts may run.
 */
export class AccessRules {
  readonly #options: AccessOptions;
  #rules: readonly AccessRule[];
  /** The rules that a script may have to decide, whoever asks. */
  #scripted: readonly AccessRule[] = [];
  #text = '';
  /** What rules and conditions name, or may name. */
  #named: ReadonlySet<string> = new Set();

  constructor(options: AccessOptions) {
    this.#options = options;
    this.#rules = parseAccessRules(administratorsOnly(options.adminRole));
  }

  /** @throws ActivationError; the rules before stay in force */
  replace({ config, text, required = [], lines }: AccessFile): void {
    this.#rules = parseAccessRules(config, lines);
    this.#scripted = this.#rules
      .filter(({ condition }) => needsScript(condition))
      .map((rule) => ({ ...rule, roles: ANYBODY }));
    this.#text = text;
    const conditions = this.#rules.flatMap((rule) => rule.text ?? []);
    const roles = this.#rules.flatMap((rule) => [...rule.roles].map(foldRole));
    this.#named = namesIn([text, ...required, ...conditions]).union(new Set(roles));
  }

  /** Whether they are those of a file, and not the few that there are until one is read. */
  get areRead(): boolean {
    return this.#text !== '';
  }

  /** All rules in the order in which they are tried. */
  get all(): readonly AccessRule[] {
    return this.#rules;
  }

  /** Whether a script may have to say if the request is granted. */
  needsScript(request: Request): boolean {
    return this.#scripted.some((rule) => fitsRule(rule, questionOf(request, [])));
  }

  /** A rule that might grant the request to somebody with other roles. */
  forOtherRoles(request: Request): AccessRule | undefined {
    const question = questionOf(request, []);
    return this.#rules.find((rule) => fitsRule({ ...rule, roles: ANYBODY }, question));
  }

  /**
   * Whether those who have the role may do something by it: a rule, a condition or `conf/process-access.json` names it, or one that
   * looks like it. Whoever asks refuses more by it, and grants nothing.
   */
  name(role: string): boolean {
    const name = foldRole(role);
    const starts = this.#options.processRules() ?? [];
    return (
      this.#named.has(name) ||
      starts.some(({ propertiesCheck }) => foldRole(idOfRole(propertiesCheck.requiresRole)) === name)
    );
  }

  /** Whether there is a request that only a script can decide about. */
  get mayNeedScript(): boolean {
    return this.#scripted.length > 0;
  }

  /**
   * @param through where conditions look things up; questions that share `Lookups` look them up together
   * @throws ForbiddenError also when a condition says what would be missing
   */
  async grants(
    context: Context,
    request: Request,
    through: Handle | Lookups,
    told: Told = {},
  ): Promise<boolean> {
    const question = questionOf(request, context.security.authorization.roles);
    const lookups = through instanceof Lookups ? through : new Lookups(through);
    let refusal: ForbiddenError | undefined;
    let judgedAt: string | null | undefined;
    const asked: ConditionQuestion = {
      context,
      request,
      read: (of, path) => lookups.read(of, path),
      isManagedUser: (of, name) => lookups.isManagedUser(of, name),
      latestDefinition: (of, key) => lookups.latestDefinition(of, key),
      properties: this.#options.properties,
      processRules: this.#options.processRules,
      readChanged: async (path) => {
        const stored = await lookups.read(context, path);
        const rev = stored?.['_rev'];
        judgedAt = typeof rev === 'string' ? rev : null;
        return stored;
      },
      readReferences: (names) => lookups.references(context, formatPath(request.path), names),
      isOpen: told.depending !== undefined,
      ...(told.notEditable === undefined ? {} : { tellNotEditable: told.notEditable }),
    };
    for (const rule of this.#rules) {
      if (!fitsRule(rule, question)) continue;
      judgedAt = undefined;
      try {
        const holds = rule.condition === null || (await this.#holds(rule.condition, asked));
        if (holds !== true) {
          (holds === undefined ? told.depending : told.failing)?.(rule);
          continue;
        }
        told.granting?.(rule);
        if (judgedAt !== undefined) told.judgedAt?.(judgedAt);
        return true;
      } catch (error) {
        if (!(error instanceof ForbiddenError)) throw error;
        told.failing?.(rule);
        refusal = error;
      }
    }
    if (refusal !== undefined) throw refusal;
    return false;
  }

  async #holds(condition: AccessCondition, asked: ConditionQuestion): Promise<Verdict> {
    switch (condition.kind) {
      case 'call':
        return CONDITIONS[condition.name]!(asked, condition.args);
      case 'not': {
        const holds = await this.#holds(condition.of, asked);
        return holds === undefined ? undefined : !holds;
      }
      case 'and':
        return this.#decide(condition.of, false, asked);
      case 'or':
        return this.#decide(condition.of, true, asked);
      case 'script': {
        // What it looks at is not known.
        await readWhatChanges(asked);
        const { context, request, isOpen } = asked;
        const holds = await this.#options.decideByScript(context, request, condition.source, this.#text);
        return isOpen && holds ? undefined : holds;
      }
    }
  }

  /** The first of the two decides where it can; then the other one does, or nothing but what is to be written. */
  async #decide(
    [first, second]: readonly [AccessCondition, AccessCondition],
    deciding: boolean,
    asked: ConditionQuestion,
  ): Promise<Verdict> {
    const one = await this.#holds(first, asked);
    if (one === deciding) return one;
    const other = await this.#holds(second, asked);
    return one === undefined && other !== deciding ? undefined : other;
  }
}

async function readWhatChanges({ request, readChanged }: ConditionQuestion): Promise<void> {
  const { method, path } = request;
  if (!isWrite(request) || method === 'create' || path.length !== 3) return;
  if (path[0] === 'managed') await readChanged(formatPath(['repo', ...path]));
  if (path[0] === 'workflow' && path[1] === 'taskinstance') await readChanged(formatPath(path));
}

const ANYBODY: ReadonlySet<string> = new Set(['*']);

function questionOf(request: Request, roles: readonly string[]) {
  return {
    path: formatPath(request.path),
    roles,
    method: request.method,
    action: request.method === 'action' ? request.action : null,
  };
}
