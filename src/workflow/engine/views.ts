import { cloneJson, type JsonValue } from '#json/index.ts';
import {
  dateValue,
  type ExpressionScope,
  HostObject,
  type MaybePromise,
  toJson,
  toNumber,
  toText,
  type Value,
} from '../expression/index.ts';
import { delegateTask, resolveTask } from './delegation.ts';
import type { ExecutionView, TaskView, VariableView } from './handlers.ts';
import { readPriority } from './priority.ts';
import type { LiveExecution, Run } from './run.ts';
import { ROOT, scopeIdOf, taskScopeId } from './state.ts';
import { readDueDate } from './timer.ts';
import {
  findVariable,
  localVariable,
  localVariables,
  removeLocalVariable,
  removeVariable,
  setLocalVariable,
  setTransientVariable,
  setVariable,
  type Viewer,
  visibleVariables,
} from './variables.ts';

export function viewExecution(run: Run, execution: LiveExecution, eventName?: string): ExecutionView {
  const parent = run.parent(execution);
  return {
    ...viewVariables(run, execution, 'execution'),
    id: run.executionId(execution),
    processInstanceId: run.handlers.instance.id,
    processDefinitionId: run.handlers.instance.definitionId,
    rootProcessInstanceId: run.handlers.instance.rootId ?? run.handlers.instance.id,
    // Only the process itself was called.
    superExecutionId: parent === undefined ? (run.handlers.instance.superExecutionId ?? null) : null,
    get businessKey() {
      return run.businessKey ?? null;
    },
    currentActivityId: execution.at ?? null,
    currentActivityName: run.definition.nodes.get(execution.at ?? '')?.name ?? null,
    parentId: parent === undefined ? null : run.executionId(parent),
    tenantId: run.handlers.instance.tenant ?? '',
    eventName: eventName ?? null,
    setBusinessKey(businessKey) {
      run.businessKey = businessKey;
      run.emit({ kind: 'businessKey.set', businessKey });
    },
  };
}

/** Variables as an execution sees them, or the task that it waits for. */
export function viewVariables(run: Run, execution: LiveExecution, viewer: Viewer): VariableView {
  const copy = (value: JsonValue | undefined) => (value === undefined ? undefined : cloneJson(value));
  const own = viewer === 'task' ? taskScopeId(execution) : scopeIdOf(execution);
  return {
    getVariable: (name) => copy(findVariable(run, execution, name, viewer)),
    getVariableLocal: (name) => copy(localVariable(run, execution, name, viewer)),
    getVariables: () => visibleVariables(run, execution, viewer),
    getVariablesLocal: () => localVariables(run, execution, viewer),
    hasVariable: (name) => findVariable(run, execution, name, viewer) !== undefined,
    setVariable: (name, value) => setVariable(run, execution, name, value, viewer),
    setVariableLocal: (name, value) => setLocalVariable(run, own, name, value),
    // For the rest of the step, wherever it leads.
    setTransientVariable: (name, value) =>
      setTransientVariable(run, run.executions.get(ROOT) ?? execution, name, value),
    removeVariable: (name) => removeVariable(run, execution, name, viewer),
    removeVariableLocal: (name) => removeLocalVariable(run, own, name),
  };
}

/** Variables come from callers, who must not say by one of these names what reaches out; scripts keep them as well. */
const OF_HOST: ReadonlySet<string> = new Set(['svc', 'identityServer']);

/**
 * The names that expressions see: `execution`, `task`, who acts and what reaches out, which no variable takes the place of;
 * variables, implicit names, further bindings of the host.
 */
export function scopeOf(
  run: Run,
  execution: LiveExecution,
  options: { readonly task?: TaskView; readonly eventName?: string } = {},
): ExpressionScope {
  const viewer = options.task === undefined ? 'execution' : 'task';
  const implicit: Readonly<Record<string, () => Value>> = {
    currentTenant: () => run.handlers.instance.tenant ?? null,
    processInstanceId: () => run.handlers.instance.id,
  };
  return {
    find(name) {
      if (name === 'execution' || name === 'variableContainer') {
        return executionObject(viewExecution(run, execution, options.eventName));
      }
      if (name === 'task' && options.task !== undefined) {
        return taskObject(options.task, viewExecution(run, execution, options.eventName), run.handlers.now);
      }
      if (name === 'authenticatedUserId') return run.handlers.instance.user ?? null;
      const isOfHost = OF_HOST.has(name) || name === run.handlers.furtherName;
      const value = isOfHost ? undefined : findVariable(run, execution, name, viewer);
      if (value !== undefined) return value;
      if (Object.hasOwn(implicit, name)) return implicit[name]?.();
      return run.handlers.findBinding?.(name, viewExecution(run, execution, options.eventName));
    },
    findVariable: (name) => findVariable(run, execution, name, viewer),
    findTask: (id) => findTask(run, id),
  };
}

/** A task of this step, which is not stored yet, or one that is. */
function findTask(run: Run, id: string): MaybePromise<Value> {
  return run.tasks.get(id) ?? run.handlers.findTask?.(id) ?? null;
}

function executionObject(view: ExecutionView): HostObject {
  const properties = {
    id: () => view.id,
    processInstanceId: () => view.processInstanceId,
    processDefinitionId: () => view.processDefinitionId,
    rootProcessInstanceId: () => view.rootProcessInstanceId,
    superExecutionId: () => view.superExecutionId,
    processInstanceBusinessKey: () => view.businessKey,
    processBusinessKey: () => view.businessKey,
    businessKey: () => view.businessKey,
    currentActivityId: () => view.currentActivityId,
    currentActivityName: () => view.currentActivityName,
    parentId: () => view.parentId,
    tenantId: () => view.tenantId,
    eventName: () => view.eventName,
    variables: () => view.getVariables(),
  };
  return new HostObject('execution', {
    properties: Object.entries(properties),
    methods: [
      ...getters(properties),
      ...variableMethods(view),
      ['isActive', () => true],
      ['isEnded', () => false],
    ],
  });
}

type Methods = [string, (...args: Value[]) => Value][];

function variableMethods(view: VariableView): Methods {
  const set = (write: (name: string, value: JsonValue) => void) => (name: Value, value: Value) => {
    write(toText(name), toJson(value));
    return null;
  };
  const removing =
    (remove: (name: string) => void) =>
    (name: Value = null) => {
      remove(toText(name));
      return null;
    };
  return [
    ['getVariable', (name = null) => view.getVariable(toText(name)) ?? null],
    ['getVariableLocal', (name = null) => view.getVariableLocal(toText(name)) ?? null],
    ['hasVariable', (name = null) => view.hasVariable(toText(name))],
    ['hasVariableLocal', (name = null) => view.getVariableLocal(toText(name)) !== undefined],
    ['getVariablesLocal', () => view.getVariablesLocal()],
    ['getVariableNames', () => Object.keys(view.getVariables())],
    ['hasVariables', () => Object.keys(view.getVariables()).length > 0],
    ['setVariable', set(view.setVariable)],
    ['setVariableLocal', set(view.setVariableLocal)],
    ['setTransientVariable', set(view.setTransientVariable)],
    ['removeVariable', removing(view.removeVariable)],
    ['removeVariableLocal', removing(view.removeVariableLocal)],
  ];
}

function taskObject(view: TaskView, execution: ExecutionView, now: number): HostObject {
  const { facts } = view;
  const properties: Record<string, () => Value> = {
    id: () => view.id,
    execution: () => executionObject(execution),
    executionId: () => execution.id,
    processInstanceId: () => execution.processInstanceId,
    processDefinitionId: () => execution.processDefinitionId,
    variables: () => view.getVariables(),
    eventName: () => view.eventName,
    taskDefinitionKey: () => view.definitionKey,
    name: () => facts.name,
    description: () => facts.description,
    assignee: () => facts.assignee,
    owner: () => facts.owner,
    dueDate: () => (facts.dueAt === null ? null : dateValue(facts.dueAt)),
    priority: () => facts.priority,
    category: () => facts.category,
    formKey: () => facts.formKey,
    delegationState: () => facts.delegation?.toUpperCase() ?? null,
    createTime: () => (view.createdAt === null ? null : dateValue(view.createdAt)),
    claimTime: () => (facts.claimedAt === undefined ? null : dateValue(facts.claimedAt)),
    tenantId: () => execution.tenantId,
  };
  const text =
    (name: 'name' | 'description' | 'assignee' | 'owner' | 'category' | 'formKey') => (value: Value) => {
      facts[name] = value === null ? null : toText(value);
      return null;
    };
  const remove = (name: 'candidateUsers' | 'candidateGroups') => (value: Value) => {
    facts[name] = facts[name].filter((candidate) => candidate !== toText(value));
    return null;
  };
  const add = (name: 'candidateUsers' | 'candidateGroups') => (value: Value) => {
    const added = Array.isArray(value) ? value.map(toText) : [toText(value)];
    facts[name] = [...new Set([...facts[name], ...added])];
    return null;
  };
  return new HostObject('task', {
    properties: Object.entries(properties),
    methods: [
      ...getters(properties),
      ...variableMethods(view),
      ['setName', text('name')],
      ['setDescription', text('description')],
      ['setAssignee', text('assignee')],
      ['setOwner', text('owner')],
      ['setCategory', text('category')],
      ['setFormKey', text('formKey')],
      [
        'setPriority',
        (value) => {
          facts.priority = readPriority(toNumber(value), view.definitionKey);
          return null;
        },
      ],
      [
        'setDueDate',
        (value) => {
          facts.dueAt = value === null ? null : readDueDate(value, now);
          return null;
        },
      ],
      [
        'delegate',
        (user) => {
          delegateTask(facts, toText(user));
          return null;
        },
      ],
      [
        'resolve',
        () => {
          resolveTask(facts);
          return null;
        },
      ],
      ['addCandidateUser', add('candidateUsers')],
      ['addCandidateUsers', add('candidateUsers')],
      ['addCandidateGroup', add('candidateGroups')],
      ['addCandidateGroups', add('candidateGroups')],
      ['deleteCandidateUser', remove('candidateUsers')],
      ['deleteCandidateGroup', remove('candidateGroups')],
    ],
  });
}

function getters(properties: Readonly<Record<string, () => Value>>): Methods {
  return Object.entries(properties).map(([name, read]) => [
    `get${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    read,
  ]);
}
