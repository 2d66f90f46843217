import { getMember, isObject, type JsonObject } from '#json/index.ts';
import { type Context, formatPath, personName } from '#resource/index.ts';
import { type ConditionQuestion, listOf, type Verdict } from './condition.ts';
import { isProcessFor } from './process-access.ts';

/** The resource finds out from the caller whose tasks these are; other queries find those of everybody. */
export function isQueryForOwnTasks({ request }: ConditionQuestion): boolean {
  return request.method === 'query' && OWN_TASKS.includes(request.queryId ?? '');
}

const OWN_TASKS: readonly string[] = ['mine', 'claimable', 'team'];

export async function isMyTask(question: ConditionQuestion): Promise<boolean> {
  const task = await question.readChanged(formatPath(question.request.path));
  const name = await nameInProcesses(question);
  return task !== undefined && name !== undefined && holderOf(task) === name;
}

/**
 * The caller has the task, owns it, or is a candidate, by name or through a role. What another has is not a candidate's to
 * change any more; and what a task is called, and for whom it is done, is for its process to say.
 */
export async function canUpdateTask(question: ConditionQuestion): Promise<Verdict> {
  const { context, request, isOpen } = question;
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
  const isForThem = isTheirs || (isOffered && holderOf(task) === null);
  return isOpen && isForThem ? undefined : !isRewritten && isForThem;
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
export async function isAllowedToStartProcess(question: ConditionQuestion): Promise<Verdict> {
  const { context, request, read, latestDefinition, isOpen } = question;
  const readAt = async (path: string | undefined) => (path === undefined ? undefined : read(context, path));
  if (request.path[1] === 'processdefinition') {
    return isOffered(question, await readAt(formatPath(request.path.slice(0, 3))));
  }
  if (isOpen) return undefined;
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
