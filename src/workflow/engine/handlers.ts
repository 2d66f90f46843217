import type { JsonObject, JsonValue } from '#json/index.ts';
import { HostObject, type MaybePromise, type Value } from '../expression/index.ts';
import type { TaskFacts } from './effect.ts';
import type { NextCron } from './timer.ts';

/** What the engine asks of the host. Whatever a handler throws fails the step as a whole. */
export interface EngineHandlers {
  /** Milliseconds since the epoch; the engine has no clock of its own. */
  readonly now: number;
  readonly instance: InstanceFacts;
  /** @throws BpmnError to raise a business error */
  runScript(call: ScriptCall): MaybePromise<ScriptOutcome>;
  /** @throws BpmnError to raise a business error */
  callDelegate(call: DelegateCall): MaybePromise<JsonValue | undefined>;
  /** What `svc` is called beside that: no variable takes the place of it. */
  readonly furtherName?: string;
  /** Names of expressions beyond variables: `svc`, delegates, properties of the script configuration. */
  findBinding?(name: string, execution: ExecutionView): Value | undefined;
  readonly nextCron?: NextCron;
  /** The id by which an execution is known outside, and the task that it waits for. */
  readonly taskId?: (execution: number) => string;
  /** An id for an instance that is about to be called, for `idVariableName`. */
  readonly newInstanceId?: () => string;
  /** A task that is stored, for `task:get`: its fields as JSON; null when there is none of that id. */
  readonly findTask?: (id: string) => MaybePromise<JsonObject | null>;
}

export interface InstanceFacts {
  readonly id: string;
  /** The instance at the top of the chain of calls; itself by default. */
  readonly rootId?: string;
  /** The execution that has called it. */
  readonly superExecutionId?: string;
  readonly definitionId: string;
  /** The user on whose behalf this step runs. */
  readonly user?: string;
  readonly tenant?: string;
}

/** A named handler as an expression sees it; giving one to a service task calls it. */
export class Delegate extends HostObject {}

export interface Call {
  readonly element: string;
  readonly execution: ExecutionView;
  /** The task, for task listeners only. */
  readonly task?: TaskView;
  /** `start`, `end`, `take`, `create`, …; absent when the activity itself runs. */
  readonly eventName?: string;
  readonly fields: JsonObject;
}

export interface ScriptCall extends Call {
  readonly format: string;
  readonly source: string;
  /** Report assigned globals in the outcome. */
  readonly autoStoreVariables: boolean;
}

export interface ScriptOutcome {
  /** The value of the last expression. */
  readonly value?: JsonValue;
  /** Globals that were assigned. */
  readonly assigned?: JsonObject;
}

export interface DelegateCall extends Call {
  readonly kind: 'delegate' | 'class' | 'mail' | 'http';
  /** The name of the delegate or class; for mail and http the kind again. */
  readonly name: string;
}

/** Variables as an execution or a task sees them. Values that go in and out are copies. */
export interface VariableView {
  getVariable(name: string): JsonValue | undefined;
  getVariableLocal(name: string): JsonValue | undefined;
  /** All that are visible, inner before outer. */
  getVariables(): JsonObject;
  /** The variables of the execution alone. */
  getVariablesLocal(): JsonObject;
  hasVariable(name: string): boolean;
  /** Where the name exists already, looking outwards, else in the instance. */
  setVariable(name: string, value: JsonValue): void;
  setVariableLocal(name: string, value: JsonValue): void;
  /** Visible until the step ends, never stored. */
  setTransientVariable(name: string, value: JsonValue): void;
  removeVariable(name: string): void;
  removeVariableLocal(name: string): void;
}

/** An execution for scripts and delegates. */
export interface ExecutionView extends VariableView {
  readonly id: string;
  readonly processInstanceId: string;
  readonly processDefinitionId: string;
  /** The id of the instance at the top of the chain of calls. */
  readonly rootProcessInstanceId: string;
  /** The execution that has called this instance; null for one that nobody called, and for executions inside it. */
  readonly superExecutionId: string | null;
  readonly businessKey: string | null;
  readonly currentActivityId: string | null;
  readonly currentActivityName: string | null;
  /** The id of the execution that it lives in; null for the instance itself. */
  readonly parentId: string | null;
  readonly tenantId: string;
  readonly eventName: string | null;
  setBusinessKey(businessKey: string): void;
}

/** A task for its listeners; what they change in the facts becomes the task. Its own variables are seen by it alone. */
export interface TaskView extends VariableView {
  readonly id: string;
  readonly definitionKey: string;
  readonly eventName: string;
  /** Epoch ms; null for a task that something takes away. */
  readonly createdAt: number | null;
  readonly facts: TaskFacts;
}
