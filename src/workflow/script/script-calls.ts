import { BadRequestError, ResourceError } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue, setMember } from '#json/index.ts';
import type { Context } from '#resource/index.ts';
import {
  type HostOperations,
  hoistedNames,
  type ScriptReference,
  type Scripts,
  type ScriptUse,
} from '#script/index.ts';
import { parseInstant } from '#time/index.ts';
import {
  BpmnError,
  delegateTask,
  type ExecutionView,
  planDate,
  readPriority,
  resolveTask,
  type ScriptCall,
  type ScriptOutcome,
  type TaskFacts,
  type VariableView,
} from '../engine/index.ts';
import { dateValue } from '../expression/index.ts';

const EXECUTION = {
  type: 'object',
  says: 'where the instance stands: `getVariable(name)`, `setVariable(name, value)`, `processInstanceId`, `businessKey` and the like',
} as const;

/** Scripts of process files: every visible variable is there by its name, too. */
export const PROCESS_USES = {
  process: {
    title: 'a script task, or a script of a listener; variables of the process are there by their names',
    bindings: { execution: EXECUTION },
    takesOthers: true,
    keepsVariables: true,
  },
  processTask: {
    title: 'a listener of a user task; variables of the process are there by their names',
    bindings: {
      execution: EXECUTION,
      task: {
        type: 'object',
        says: 'the task: `name`, `assignee`, `setAssignee(name)`, `getVariable(name)` and the like',
      },
    },
    takesOthers: true,
    keepsVariables: true,
  },
} as const satisfies Readonly<Record<string, ScriptUse>>;

/** Binding under which a script whose assignments are stored gets its variables; see `bindings/execution.js`. */
const VARIABLES = '$variables';

/**
 * What a variable of the same name does not take the place of: variables come from callers, and these say who acts, and
 * reach out. `execution.getVariable` has them all.
 */
const BUILT_IN: ReadonlySet<string> = new Set([
  // The language's own: a script means them, whatever whoever has started the process calls its variables.
  ...'undefined NaN Infinity globalThis Object Function Array String Number Boolean BigInt Symbol Date RegExp'.split(
    ' ',
  ),
  ...'Map Set WeakMap WeakSet Promise Proxy Reflect JSON Math Error TypeError RangeError SyntaxError'.split(
    ' ',
  ),
  ...'ReferenceError EvalError URIError parseInt parseFloat isNaN isFinite encodeURI decodeURI'.split(' '),
  ...'encodeURIComponent decodeURIComponent ArrayBuffer Uint8Array Intl BpmnError'.split(' '),
  'svc',
  'context',
  'identityServer',
  'console',
  'logger',
  'require',
  'request',
  'resourcePath',
  'resourceName',
]);

/** A script of a process as the script service knows it. What is not JavaScript is Groovy. */
export function scriptReference(format: string, source: string): ScriptReference {
  const isJavaScript = /(?:java|ecma)script|^js$/i.test(format.trim());
  return { language: isJavaScript ? 'javascript' : 'groovy', source, globals: {}, transactional: true };
}

/**
 * Runs a script of a process: with `execution` (or `task`), every visible variable by name, and `svc` in the name of
 * whoever the context says.
 *
 * @throws BpmnError when the script throws one
 */
export async function runProcessScript(
  scripts: Scripts,
  context: Context,
  call: ScriptCall,
  { setBusinessStatus }: { readonly setBusinessStatus: (status: string) => void },
): Promise<ScriptOutcome> {
  const { execution, task, autoStoreVariables, element } = call;
  const variables = Object.fromEntries(
    Object.entries((task ?? execution).getVariables()).filter(([name]) => !BUILT_IN.has(name)),
  );
  const reference = scriptReference(call.format, call.source);
  const view = viewOf(execution);
  const given: JsonObject =
    task === undefined ? { execution: view } : { execution: view, task: taskView(task, view) };
  const bindings: JsonObject = {
    ...call.fields,
    ...(autoStoreVariables ? { [VARIABLES]: variables } : variables),
    ...given,
  };
  try {
    const outcome = await scripts.evaluate(context, {
      reference:
        autoStoreVariables && reference.language === 'javascript'
          ? { ...reference, source: storing(call.source) }
          : reference,
      label: `${execution.processDefinitionId} ${element}`,
      bindings,
      operations: {
        ...variableOperations('execution', execution),
        'execution.setBusinessKey': ([key]) => {
          execution.setBusinessKey(String(key ?? ''));
          return null;
        },
        'execution.setBusinessStatus': ([status]) => {
          setBusinessStatus(String(status ?? ''));
          return null;
        },
        ...(task === undefined ? {} : { ...variableOperations('task', task), ...taskOperations(task) }),
      },
      ...(autoStoreVariables ? { returnBindings: [VARIABLES] } : {}),
    });
    const after = outcome.bindings[VARIABLES];
    const assigned = isObject(after) ? changedOf(variables, after) : undefined;
    const value = outcome.date === undefined ? outcome.value : dateValue(outcome.date);
    return { value, ...(assigned === undefined ? {} : { assigned }) };
  } catch (error) {
    throw bpmnErrorOf(error) ?? error;
  }
}

/**
 * The script on variables that are stored: they are globals to it, and what it declares with `var` counts too. On one
 * line, so that the lines of the author keep their numbers.
 */
function storing(source: string): string {
  const places = hoistedNames(source).map(
    (name) => `get ${name}(){return ${name}},set ${name}($value){${name}=$value}`,
  );
  return `${VARIABLES}.locals({${places.join(',')}});${source}`;
}

function changedOf(before: JsonObject, after: JsonObject): JsonObject {
  const changed: JsonObject = {};
  for (const [name, value] of Object.entries(after)) {
    if (JSON.stringify(before[name]) !== JSON.stringify(value)) setMember(changed, name, value);
  }
  return changed;
}

/** `throw new BpmnError('CODE', 'message')` of a script. */
function bpmnErrorOf(error: unknown): BpmnError | undefined {
  if (!(error instanceof ResourceError) || !isObject(error.detail)) return undefined;
  const code = error.detail['bpmnError'];
  return typeof code === 'string' ? new BpmnError(code, error.message) : undefined;
}

function viewOf(execution: ExecutionView): JsonObject {
  const { id, processInstanceId, processDefinitionId, businessKey, currentActivityId, eventName } = execution;
  const { currentActivityName, parentId, tenantId, rootProcessInstanceId, superExecutionId } = execution;
  return {
    id,
    processInstanceId,
    processDefinitionId,
    rootProcessInstanceId,
    superExecutionId,
    businessKey,
    processBusinessKey: businessKey,
    processInstanceBusinessKey: businessKey,
    currentActivityId,
    currentActivityName,
    parentId,
    tenantId,
    eventName,
  };
}

function taskView(task: NonNullable<ScriptCall['task']>, execution: JsonObject): JsonObject {
  const {
    candidateUsers: _u,
    candidateGroups: _g,
    dueAt,
    delegation,
    createdAt: _c,
    claimedAt,
    ...facts
  } = task.facts;
  return {
    id: task.id,
    taskDefinitionKey: task.definitionKey,
    eventName: task.eventName,
    processInstanceId: execution['processInstanceId'] ?? null,
    processDefinitionId: execution['processDefinitionId'] ?? null,
    executionId: execution['id'] ?? null,
    tenantId: execution['tenantId'] ?? '',
    ...facts,
    delegationState: delegation?.toUpperCase() ?? null,
    dueDate: dueAt === null ? null : dateValue(dueAt),
    createTime: task.createdAt === null ? null : dateValue(task.createdAt),
    claimTime: claimedAt === undefined ? null : dateValue(claimedAt),
    parentTaskId: null,
    suspended: false,
    execution,
  };
}

function variableOperations(of: 'execution' | 'task', view: VariableView): HostOperations {
  const name = (value: JsonValue | undefined): string => {
    if (typeof value === 'string' && value !== '') return value;
    throw new BadRequestError(`${JSON.stringify(value ?? null)} is not the name of a variable`);
  };
  const set = (write: (name: string, value: JsonValue) => void) => (args: JsonValue[]) => {
    write(name(args[0]), args[1] ?? null);
    return null;
  };
  const removing = (remove: (name: string) => void) => (args: JsonValue[]) => {
    remove(name(args[0]));
    return null;
  };
  return {
    [`${of}.getVariable`]: (args) => view.getVariable(name(args[0])) ?? null,
    [`${of}.getVariableLocal`]: (args) => view.getVariableLocal(name(args[0])) ?? null,
    [`${of}.getVariables`]: () => view.getVariables(),
    [`${of}.getVariablesLocal`]: () => view.getVariablesLocal(),
    [`${of}.hasVariable`]: (args) => view.hasVariable(name(args[0])),
    [`${of}.hasVariableLocal`]: (args) => view.getVariableLocal(name(args[0])) !== undefined,
    [`${of}.setVariable`]: set(view.setVariable),
    [`${of}.setVariableLocal`]: set(view.setVariableLocal),
    [`${of}.setTransientVariable`]: set(view.setTransientVariable),
    [`${of}.removeVariable`]: removing(view.removeVariable),
    [`${of}.removeVariableLocal`]: removing(view.removeVariableLocal),
  };
}

const TEXTS = ['name', 'description', 'assignee', 'owner', 'category', 'formKey'] as const;

function taskOperations({
  facts,
  definitionKey,
}: {
  readonly facts: TaskFacts;
  readonly definitionKey: string;
}): HostOperations {
  const listOf = (kind: JsonValue | undefined) =>
    kind === 'candidateUsers' ? ('candidateUsers' as const) : ('candidateGroups' as const);
  return {
    'task.set': ([field, value = null]) => {
      const text = TEXTS.find((known) => known === field);
      if (text !== undefined) facts[text] = value === null ? null : String(value);
      else if (field === 'priority')
        facts.priority = readPriority(typeof value === 'number' ? Math.trunc(value) : value, definitionKey);
      else if (field === 'dueDate')
        facts.dueAt =
          value === null ? null : planDate(typeof value === 'string' ? parseInstant(value) : value).dueAt;
      return value;
    },
    'task.candidates': () => [
      ...facts.candidateUsers.map((userId) => ({ type: 'candidate', userId, groupId: null })),
      ...facts.candidateGroups.map((groupId) => ({ type: 'candidate', userId: null, groupId })),
    ],
    'task.delegate': ([user]) => {
      delegateTask(facts, String(user ?? ''));
      return { assignee: facts.assignee, owner: facts.owner };
    },
    'task.resolve': () => {
      resolveTask(facts);
      return { assignee: facts.assignee, owner: facts.owner };
    },
    'task.add': ([kind, names]) => {
      const list = listOf(kind);
      const added = (Array.isArray(names) ? names : String(names ?? '').split(',')).map((each) =>
        String(each).trim(),
      );
      facts[list] = [...new Set([...facts[list], ...added.filter((each) => each !== '')])];
      return null;
    },
    'task.remove': ([kind, name]) => {
      const list = listOf(kind);
      facts[list] = facts[list].filter((each) => each !== name);
      return null;
    },
  };
}
