import { ForbiddenError } from '#errors/index.ts';
import {
  equalJson,
  getMember,
  isObject,
  type JsonObject,
  type JsonValue,
  type Pointer,
  parsePointer,
} from '#json/index.ts';
import { type Context, formatPath, personName, type Request } from '#resource/index.ts';
import { isProcessFor, type ProcessRule } from './process-access.ts';

/** What a condition may look at. */
export interface ConditionQuestion {
  readonly context: Context;
  readonly request: Request;
  /** Reads a resource as the server itself. @returns undefined when there is none */
  readonly read: (context: Context, path: string) => Promise<JsonObject | undefined>;
  /** As `read`, of what the request changes: what is granted by it is granted as long as that is at its revision. */
  readonly readChanged: (path: string) => Promise<JsonObject | undefined>;
  /** Reads these relationships of the object that the request changes, as the server itself sees them. */
  readonly readReferences: (names: readonly string[]) => Promise<JsonObject>;
  /** The schema properties of a managed type; undefined when there is no such type. */
  readonly properties: (type: string) => JsonObject | undefined;
  /** Whether a managed user has that name. */
  readonly isManagedUser: (context: Context, userName: string) => Promise<boolean>;
  /** The path of the version of a process that its key starts; undefined when there is none. */
  readonly latestDefinition: (context: Context, key: string) => Promise<string | undefined>;
  /** The rules of `conf/process-access.json`; undefined when there is no such file. */
  readonly processRules: () => readonly ProcessRule[] | undefined;
  /** Told of a property because of which the caller may not change its own object. */
  readonly tellNotEditable?: (property: string) => void;
}

type Condition = (question: ConditionQuestion, args: readonly unknown[]) => boolean | Promise<boolean>;

/**
 * The functions that `customAuthz` may call without costing a script. `auth/customAuthz.js` has the same ones for
 * expressions that are scripts.
 */
export const CONDITIONS: Readonly<Record<string, Condition>> = {
  ownDataOnly,
  disallowQueryExpression: ({ request }) => request.method !== 'query' || request.queryExpression === null,
  disallowCommandAction: ({ request }) => request.method !== 'action' || request.action !== 'command',
  restrictPatchToFields,
  onlyEditableManagedObjectProperties,
  reauthIfProtectedAttributeChange,
  hasRole: ({ context }, [role]) => context.security.authorization.roles.includes(String(role)),
  isQueryForOwnTasks,
  isMyTask,
  canUpdateTask,
  isAllowedToStartProcess,
  isOneOfMyWorkflows: isAllowedToStartProcess,
  checkIfUIIsEnabled,
  // There is no self-service whose requests could be told from others.
  isSelfServiceRequest: () => false,
  checkIfProgressiveProfileIsEnabled: () => false,
  ownRelationshipCollection,
  // What belongs to a user beside it, in newer servers of the field, and users of other identity providers are not here.
  ownRelationship: () => false,
  ownIDP: () => false,
};

export const CONDITION_NAMES: readonly string[] = Object.keys(CONDITIONS);

/** Whether `conf/ui-configuration.json` switches a part of the user interface on. */
async function checkIfUIIsEnabled(
  { context, read }: ConditionQuestion,
  [part]: readonly unknown[],
): Promise<boolean> {
  const settings = await read(context, 'config/ui/configuration');
  const configuration = isObject(settings?.['configuration']) ? settings['configuration'] : {};
  const value = getMember(configuration, String(part));
  return value === true || value === 'true';
}

/** The path is exactly the caller's own object. */
function ownDataOnly({ context, request }: ConditionQuestion): boolean {
  return formatPath(request.path) === ownPath(context);
}

/** The path is one of these relationships of the caller's own object, or a reference in it. */
function ownRelationshipCollection(
  { context, request }: ConditionQuestion,
  [names]: readonly unknown[],
): boolean {
  const own = `${ownPath(context)}/`;
  const path = formatPath(request.path);
  return path.startsWith(own) && listOf(names).includes(path.slice(own.length).split('/')[0]!);
}

function ownPath(context: Context): string {
  const { component, id } = context.security.authorization;
  return `${component}/${formatPath([id])}`;
}

/** An empty patch would only read, and is not granted. */
function restrictPatchToFields({ request }: ConditionQuestion, [fields]: readonly unknown[]): boolean {
  const patched = patchedProperties(request) ?? [];
  return patched.length > 0 && patched.every((name) => listOf(fields).includes(name));
}

/** @param args the managed type, and names of further properties that may change */
async function onlyEditableManagedObjectProperties(
  question: ConditionQuestion,
  [type, further]: readonly unknown[],
): Promise<boolean> {
  const properties = question.properties(String(type));
  if (properties === undefined) return false;
  const allowed = new Set(listOf(further));
  const changed = await changedProperties(question);
  const refused = changed?.find((name) => !allowed.has(name) && !has(properties, name, 'userEditable'));
  // For a whole object that is sent it would also tell which values differ from the stored ones.
  if (refused !== undefined && question.request.method === 'patch' && ownDataOnly(question)) {
    question.tellNotEditable?.(refused);
  }
  return changed !== undefined && refused === undefined;
}

/** A protected property changes only with the password once more, in `X-Svc-Reauth-Password`. */
async function reauthIfProtectedAttributeChange(question: ConditionQuestion): Promise<boolean> {
  const { context } = question;
  const [area, type] = context.security.authorization.component.split('/');
  const properties = area === 'managed' ? question.properties(type ?? '') : undefined;
  if (properties === undefined) return true;
  const changed = (await changedProperties(question)) ?? Object.keys(properties);
  if (!changed.some((name) => has(properties, name, 'isProtected'))) return true;
  if (context.security.authorization['reauthenticated'] === true) return true;
  throw new ForbiddenError('Access denied', {
    id: 'ACCESS_NEEDS_REAUTHENTICATION',
    hint: 'Send your password once more in the header X-Svc-Reauth-Password',
  });
}

/** Names of the properties that the request would change; on a patch every one that it names counts. */
async function changedProperties(question: ConditionQuestion): Promise<readonly string[] | undefined> {
  const { request, readChanged, properties } = question;
  const patched = patchedProperties(request);
  if (patched !== undefined) return patched;
  const content = 'content' in request && isObject(request.content) ? request.content : undefined;
  if (content === undefined) return undefined;
  if (request.method !== 'update') return Object.keys(content);
  const stored = (await readChanged(formatPath(['repo', ...request.path]))) ?? {};
  const schema = properties(request.path[1] ?? '') ?? {};
  const names = new Set([...Object.keys(content), ...Object.keys(stored)]);
  const isOfTheObject = request.path.length === 3;
  const changed = [...names].filter((name) => {
    const [now, before] = [getMember(content, name), getMember(stored, name)];
    // Leaving out what the caller was never shown is no change; leaving out anything else removes it.
    if (OF_THE_SERVER.has(name) || (now === undefined && isHidden(schema, name))) return false;
    if (isOfTheObject && isRelationship(schema, name)) return false;
    // Whether it is the stored one is not told.
    if (isPrivate(schema, name)) return true;
    return !equalJson(now ?? null, before ?? null, countStored);
  });
  return isOfTheObject ? [...changed, ...(await changedReferences(question, content, schema))] : changed;
}

/** What is stored may be far larger than what it is compared with, for one question after the other. */
const STORED = new WeakMap<JsonObject, number>();

function countStored(object: JsonObject): number {
  const count = STORED.get(object) ?? Object.keys(object).length;
  STORED.set(object, count);
  return count;
}

/**
 * Relationships that a PUT changes. They are not stored with their object, and one that the answer shows is cleared by
 * a body without it.
 */
async function changedReferences(
  { request, readReferences }: ConditionQuestion,
  content: JsonObject,
  schema: JsonObject,
): Promise<readonly string[]> {
  const asked = new Set(request.fields.map(top));
  const names = Object.keys(schema).filter(
    (name) =>
      isRelationship(schema, name) &&
      (getMember(content, name) !== undefined ||
        asked.has(name) ||
        asked.has('*_ref') ||
        has(schema, name, 'returnByDefault')),
  );
  if (names.length === 0) return [];
  const stored = await readReferences(names);
  return names.filter(
    (name) => !equalJson(orNone(getMember(content, name)), orNone(getMember(stored, name))),
  );
}

function orNone(references: JsonValue | undefined): JsonValue {
  return references === undefined || (Array.isArray(references) && references.length === 0)
    ? null
    : references;
}

/** What else begins like these is stored as any other property is. */
const OF_THE_SERVER: ReadonlySet<string> = new Set(['_id', '_rev']);

function isHidden(schema: JsonObject, name: string): boolean {
  const property = getMember(schema, name);
  return (
    isPrivate(schema, name) ||
    (isObject(property) && (property['isVirtual'] === true || property['returnByDefault'] === false))
  );
}

function isPrivate(schema: JsonObject, name: string): boolean {
  const property = getMember(schema, name);
  return isObject(property) && property['scope'] === 'private';
}

function isRelationship(schema: JsonObject, name: string): boolean {
  const property = getMember(schema, name);
  if (!isObject(property)) return false;
  const { items } = property;
  return isOfRelationships(property) || (isObject(items) && isOfRelationships(items));
}

function isOfRelationships({ type }: JsonObject): boolean {
  return type === 'relationship' || (Array.isArray(type) && type.includes('relationship'));
}

/** What a patch names; one of the whole object names the empty property, which nobody may edit. */
function patchedProperties(request: Request): readonly string[] | undefined {
  if (request.method === 'patch') {
    return request.operations.flatMap(({ field, from }) =>
      [field, ...(from === undefined ? [] : [from])].map(top),
    );
  }
  if (request.method !== 'action' || request.action !== 'patch') return undefined;
  if (!Array.isArray(request.content)) return [''];
  return request.content.flatMap((operation) => {
    const { field, from } = isObject(operation) ? operation : {};
    // What is no pointer is no property either.
    return [field, ...(from === undefined ? [] : [from])].map((pointer) =>
      typeof pointer === 'string' ? top(parsePointer(pointer)) : '',
    );
  });
}

function top(pointer: Pointer): string {
  return pointer[0] ?? '';
}

/** The resource finds out from the caller whose tasks these are; other queries find those of everybody. */
function isQueryForOwnTasks({ request }: ConditionQuestion): boolean {
  return request.method === 'query' && OWN_TASKS.includes(request.queryId ?? '');
}

const OWN_TASKS: readonly string[] = ['mine', 'claimable', 'team'];

async function isMyTask(question: ConditionQuestion): Promise<boolean> {
  const task = await question.readChanged(formatPath(question.request.path));
  const name = await nameInProcesses(question);
  return task !== undefined && name !== undefined && holderOf(task) === name;
}

/**
 * The caller has the task, owns it, or is a candidate, by name or through a role. What another has is not a candidate's to
 * change any more; and what a task is called, and for whom it is done, is for its process to say.
 */
async function canUpdateTask(question: ConditionQuestion): Promise<boolean> {
  const { context, request } = question;
  const task = await question.readChanged(formatPath(request.path));
  if (task === undefined) return false;
  const name = await nameInProcesses(question);
  const isTheirs = name !== undefined && (holderOf(task) === name || task['owner'] === name);
  const candidates = isObject(task['candidates']) ? task['candidates'] : {};
  const isOffered = isAmong(candidates['candidateUsers'], candidates['candidateGroups'], name, context);
  if (request.method !== 'update') return isTheirs || isOffered;
  const content = isObject(request.content) ? request.content : {};
  const isRewritten = ['name', 'description', 'owner'].some((field) => {
    const value = getMember(content, field) ?? null;
    return value !== null && value !== (task[field] ?? null);
  });
  return !isRewritten && (isTheirs || (isOffered && holderOf(task) === null));
}

/** Who has a task: whoever works for somebody else has it too. */
function holderOf(task: JsonObject): unknown {
  return task['assignee'] ?? task['delegate'] ?? null;
}

/**
 * The name by which processes know the caller. Where the caller is no managed user and a managed user has that name, it means
 * that one: undefined.
 */
async function nameInProcesses({ context, isManagedUser }: ConditionQuestion): Promise<string | undefined> {
  const name = personName(context.security);
  if (context.security.authorization.component === 'managed/user') return name;
  return (await isManagedUser(context, name)) ? undefined : name;
}

function isAmong(users: unknown, groups: unknown, name: string | undefined, { security }: Context): boolean {
  const { roles } = security.authorization;
  return (
    (name !== undefined && listOf(users).includes(name)) ||
    listOf(groups).some((group) => roles.includes(group))
  );
}

/**
 * Whoever reads a definition, or starts one: `process-access.json` and the process itself must both offer it. A version that
 * is started by its id must be offered in the latest one as well, or who is shut out by that would start the one before.
 */
async function isAllowedToStartProcess(question: ConditionQuestion): Promise<boolean> {
  const { context, request, read, latestDefinition } = question;
  const readAt = async (path: string | undefined) => (path === undefined ? undefined : read(context, path));
  if (request.path[1] === 'processdefinition') {
    return isOffered(question, await readAt(formatPath(request.path.slice(0, 3))));
  }
  const content = 'content' in request && isObject(request.content) ? request.content : {};
  const [id, key] = [getMember(content, '_processDefinitionId') ?? null, getMember(content, '_key')];
  // The id wins over the key, as it does when the process starts.
  if (id === null) {
    return typeof key === 'string' && isOffered(question, await readAt(await latestDefinition(context, key)));
  }
  if (typeof id !== 'string') return false;
  const path = formatPath(['workflow', 'processdefinition', id]);
  const definition = await readAt(path);
  if (definition === undefined || !(await isOffered(question, definition))) return false;
  const latestPath = await latestDefinition(context, String(definition['key']));
  if (latestPath === path) return true;
  const latest = await readAt(latestPath);
  return latest?.['suspended'] === false && isOffered(question, latest);
}

async function isOffered(question: ConditionQuestion, definition: JsonObject | undefined): Promise<boolean> {
  const { context, processRules } = question;
  const { roles } = context.security.authorization;
  if (definition === undefined || !isProcessFor(processRules(), definition, roles)) return false;
  const { candidateStarterUsers: users, candidateStarterGroups: groups } = definition;
  if (listOf(users).length === 0 && listOf(groups).length === 0) return true;
  return isAmong(users, groups, await nameInProcesses(question), context);
}

/** Editors of configurations write truth values as text as well. */
function has(properties: JsonObject, name: string, flag: string): boolean {
  const property = getMember(properties, name);
  return isObject(property) && (property[flag] === true || property[flag] === 'true');
}

function listOf(value: unknown): string[] {
  if (typeof value === 'string') return value.split(',');
  return Array.isArray(value) ? value.map(String) : [];
}
