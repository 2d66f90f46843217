/**
 * The process engine: a pure core without clock, storage or requests.
 *
 * Words: a *definition* is a compiled process file; a *state* is where an instance stands, as a JSON value; a
 * *stimulus* is what happens to it; *effects* are what has to be written because of it. An *execution* is one
 * visit of one element: a token, a scope or a round of a multi-instance activity.
 * Invariants: a step that fails has changed nothing; equal inputs give equal outputs; ids are never reused.
 */
export { adopt } from './adopt.ts';
export { apply, type Outcome } from './apply.ts';
export { BpmnError } from './bpmn-error.ts';
export { compile } from './compile/compile.ts';
export type { CompileOptions } from './compile/findings.ts';
export { ProcessFileError } from './compile/process-file-error.ts';
export { readDiagram } from './compile/read-diagram.ts';
export type {
  Body,
  CallActivity,
  DataObject,
  Finding,
  FlowNode,
  FormProperty,
  ProcessDefinition,
  SequenceFlow,
  StartEvent,
  UserTask,
} from './definition.ts';
export { delegateTask, resolveTask } from './delegation.ts';
export type { Box, Colours, Diagram, Edge, EventMark, Point, Shape } from './diagram.ts';
export type { Delegation, Effect, EndReason, ErrorFacts, TaskFacts, VariableWriter } from './effect.ts';
export type { Condition, EventTrigger, Script, TimerDefinition } from './event-trigger.ts';
export {
  type Call,
  Delegate,
  type DelegateCall,
  type EngineHandlers,
  type ExecutionView,
  type InstanceFacts,
  type ScriptCall,
  type ScriptOutcome,
  type TaskView,
  type VariableView,
} from './handlers.ts';
export {
  type ElementMapping,
  type Migration,
  type MigrationRefusal,
  migrate,
  refusalOf,
  type Standing,
} from './migrate.ts';
export { addressIn } from './outward-address.ts';
export { headerLines, outwardField } from './outward-field.ts';
export { readPriority } from './priority.ts';
export type { RestingInstance } from './resting.ts';
export { listStarts, planStartTimer, type StartTrigger } from './start-trigger.ts';
export {
  countersOf,
  type Execution,
  type ProcessState,
  ROOT,
  STATE_VERSION,
  scopeIdOf,
  taskScopeId,
  type Wait,
} from './state.ts';
export type { Stimulus } from './stimulus.ts';
export { type NextCron, planDate, planDuration, planNext, type Repetition, type TimerPlan } from './timer.ts';
