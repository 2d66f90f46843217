import type { JsonValue } from '#json/index.ts';
import type { Expression } from '../expression/index.ts';
import type { Condition, EventTrigger, Script } from './event-trigger.ts';

/**
 * A process as the interpreter walks it: compiled once from its file, frozen, the same for all instances.
 * Everything is found by element id; elements without one have got `<type>_<n>` in document order.
 */
export interface ProcessDefinition {
  readonly key: string;
  readonly name?: string;
  readonly documentation?: string;
  /** The target namespace of the file. */
  readonly category?: string;
  readonly candidateStarterUsers: readonly string[];
  readonly candidateStarterGroups: readonly string[];
  readonly body: Body;
  readonly nodes: ReadonlyMap<string, FlowNode>;
  readonly flows: ReadonlyMap<string, SequenceFlow>;
  readonly listeners: readonly ExecutionListener[];
  /** For each inclusive join and each of its incoming flows: the nodes from which a token can get there. */
  readonly joinReach: ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;
  /** What the author should know, though it does not keep the process from running. */
  readonly warnings: readonly Finding[];
}

/** One remark on a process file; `element` is the id of the element it is about. */
export interface Finding {
  readonly id: string;
  readonly element: string;
  readonly message: string;
  readonly hint?: string;
}

/** What stands directly in a process or sub-process. */
export interface Body {
  readonly nodes: readonly string[];
  /** Start events in document order. */
  readonly starts: readonly string[];
  readonly eventSubProcesses: readonly string[];
  readonly dataObjects: readonly DataObject[];
}

export interface DataObject {
  readonly name: string;
  readonly value: JsonValue;
}

export interface SequenceFlow {
  readonly id: string;
  readonly name?: string;
  readonly source: string;
  readonly target: string;
  readonly condition?: Condition;
  readonly skip?: Expression;
  readonly listeners: readonly ExecutionListener[];
}

export type Implementation =
  | { readonly kind: 'expression'; readonly expression: Expression }
  | { readonly kind: 'delegateExpression'; readonly expression: Expression }
  /** A Java class name that the host has mapped to a delegate. */
  | { readonly kind: 'class'; readonly name: string }
  /** `mail` or `http`. */
  | { readonly kind: 'type'; readonly type: string }
  | ({ readonly kind: 'script' } & Script);

/** A value injected into a delegate, listener or mail task. */
export interface Field {
  readonly name: string;
  readonly value: Expression;
}

export interface ListenerImplementation {
  readonly implementation: Implementation;
  readonly fields: readonly Field[];
  readonly resultVariable?: string;
}

export interface ExecutionListener extends ListenerImplementation {
  readonly event: 'start' | 'end' | 'take';
}

export type TaskEvent = 'create' | 'assignment' | 'complete' | 'delete';

export interface TaskListener extends ListenerImplementation {
  readonly event: TaskEvent | 'all';
}

/** The most rounds of a multi-instance activity: each is an execution, and a parallel one keeps all at once. */
export const MAX_ROUNDS = 10_000;

/** The most executions that an instance has at once: its state is written as a whole with each step. */
export const MAX_EXECUTIONS = 4 * MAX_ROUNDS;

export interface MultiInstance {
  readonly isSequential: boolean;
  readonly cardinality?: Expression;
  /** A literal is the name of a variable or a JSON list. */
  readonly collection?: Expression;
  readonly elementVariable?: string;
  readonly indexVariable: string;
  readonly completionCondition?: Expression;
}

export interface ResultTarget {
  readonly resultVariable?: string;
  readonly isLocal: boolean;
  readonly isTransient: boolean;
}

export interface NodeCommon {
  readonly id: string;
  readonly name?: string;
  readonly documentation?: string;
  /** The sub-process it stands in; absent in the process itself. */
  readonly parent?: string;
  readonly incoming: readonly string[];
  readonly outgoing: readonly string[];
  readonly defaultFlow?: string;
  readonly isAsyncBefore: boolean;
  readonly isAsyncAfter: boolean;
  readonly isExclusive: boolean;
  readonly retryCycle?: Expression;
  readonly listeners: readonly ExecutionListener[];
  readonly skip?: Expression;
  readonly loop?: MultiInstance;
  readonly boundaries: readonly string[];
  /** The activity that undoes this one. */
  readonly compensation?: string;
  readonly isForCompensation: boolean;
}

export interface UserTask extends NodeCommon {
  readonly kind: 'userTask';
  readonly taskName?: Expression;
  readonly description?: Expression;
  readonly assignee?: Expression;
  readonly owner?: Expression;
  readonly candidateUsers: readonly Expression[];
  readonly candidateGroups: readonly Expression[];
  readonly dueDate?: Expression;
  readonly priority?: Expression;
  readonly category?: Expression;
  readonly formKey?: Expression;
  readonly formProperties: readonly FormProperty[];
  readonly taskListeners: readonly TaskListener[];
  readonly taskIdVariable?: string;
  readonly completerVariable?: string;
}

export interface FormProperty {
  readonly id: string;
  readonly name?: string;
  readonly type?: string;
  readonly variable?: string;
  readonly expression?: Expression;
  readonly default?: Expression;
  readonly datePattern?: string;
  readonly isReadable: boolean;
  readonly isWritable: boolean;
  readonly isRequired: boolean;
  readonly values: readonly { readonly id: string; readonly name: string }[];
}

export interface ScriptTask extends NodeCommon, ResultTarget {
  readonly kind: 'scriptTask';
  readonly script: Script;
  readonly autoStoreVariables: boolean;
}

export interface ServiceTask extends NodeCommon, ResultTarget {
  readonly kind: 'serviceTask';
  readonly implementation: Implementation;
  readonly fields: readonly Field[];
  readonly isTriggerable: boolean;
  readonly exceptionMappings: readonly ExceptionMapping[];
}

/** Says which thrown errors become BPMN errors; without a class it is the mapping for all others. */
export interface ExceptionMapping {
  readonly className?: string;
  /** What is thrown may also be of a kind below that class. */
  readonly includesChildren: boolean;
  readonly errorCode: string;
}

export interface CallActivity extends NodeCommon {
  readonly kind: 'callActivity';
  readonly calledElement: Expression;
  /** `id`: a definition id; `key`: the latest version of that key. */
  readonly calledElementType: 'key' | 'id';
  readonly isSameDeployment: boolean;
  readonly inputs: readonly Mapping[];
  readonly outputs: readonly Mapping[];
  readonly inheritsVariables: boolean;
  readonly businessKey?: Expression;
  readonly inheritsBusinessKey: boolean;
  readonly instanceName?: Expression;
  /** Gets the id of the called instance. */
  readonly idVariable?: string;
  readonly hasLocalOutputs: boolean;
}

/** A variable that crosses into or out of a called process. */
export interface Mapping {
  readonly source: { readonly variable: string } | { readonly expression: Expression };
  readonly target: Expression;
  readonly isTransient: boolean;
}

export interface SubProcess extends NodeCommon {
  readonly kind: 'subProcess';
  readonly isTransaction: boolean;
  readonly body: Body;
}

export interface EventSubProcess extends NodeCommon {
  readonly kind: 'eventSubProcess';
  readonly body: Body;
  readonly start: string;
}

export interface StartEvent extends NodeCommon {
  readonly kind: 'startEvent';
  readonly trigger?: EventTrigger;
  readonly isInterrupting: boolean;
  readonly initiator?: string;
  readonly formKey?: string;
  readonly formProperties: readonly FormProperty[];
}

export interface BoundaryEvent extends NodeCommon {
  readonly kind: 'boundaryEvent';
  readonly trigger: EventTrigger;
  readonly attachedTo: string;
  readonly isInterrupting: boolean;
}

/** `endEvent`, `catchEvent` and `throwEvent` differ in direction; a none event has no trigger. */
export interface PlainEvent extends NodeCommon {
  readonly kind: 'catchEvent' | 'throwEvent' | 'endEvent';
  readonly trigger?: EventTrigger;
}

export interface ReceiveTask extends NodeCommon {
  readonly kind: 'receiveTask';
  readonly message?: Expression;
}

/** `noneTask` is a manual task, or one of no kind: there is nothing to do. */
export interface SimpleNode extends NodeCommon {
  readonly kind: 'noneTask' | 'exclusiveGateway' | 'parallelGateway' | 'inclusiveGateway' | 'eventGateway';
}

export type FlowNode =
  | UserTask
  | ScriptTask
  | ServiceTask
  | ReceiveTask
  | CallActivity
  | SubProcess
  | EventSubProcess
  | StartEvent
  | BoundaryEvent
  | PlainEvent
  | SimpleNode;
