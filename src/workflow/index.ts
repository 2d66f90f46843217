/**
 * Workflow: processes that people and time move on, and everything below `/workflow`.
 *
 * Words: a *deployment* is a file of process *definitions*, each a version of its key; an *instance* runs one of them;
 * an *execution* is a token in it; a user *task* waits for somebody, a *job* for its time. A *step* takes an instance
 * from one resting place to the next: look, `apply` of the engine (see `engine/index.ts`), one statement that writes
 * what came of it if the instance is still there (for many instances at once), then what it means for other instances.
 * Invariants: a step is committed as a whole or not at all; a tree of calls has one lock and one revision, those of the
 * state row of its root; a job has its effect once.
 */
export { Definitions } from './definition/definitions.ts';
export { noDelegates, ProjectDelegates } from './delegate/project-delegates.ts';
export { DeploymentAgent } from './deployment/deployment-agent.ts';
export { inspectProcessFiles } from './deployment/inspect-files.ts';
export { findOpenSteps } from './deployment/open-steps.ts';
export { DiagramPainter } from './diagram/index.ts';
export {
  apply,
  type Body,
  BpmnError,
  type Call,
  type CallActivity,
  type CompileOptions,
  type Condition,
  compile,
  type DataObject,
  Delegate,
  type DelegateCall,
  type Effect,
  type EndReason,
  type EngineHandlers,
  type ErrorFacts,
  type EventTrigger,
  type Execution,
  type ExecutionView,
  type Finding,
  type FlowNode,
  type FormProperty,
  type InstanceFacts,
  listStarts,
  type Migration,
  type MigrationRefusal,
  migrate,
  type NextCron,
  type Outcome,
  type ProcessDefinition,
  ProcessFileError,
  type ProcessState,
  planNext,
  planStartTimer,
  type Repetition,
  ROOT,
  type Script,
  type ScriptCall,
  type ScriptOutcome,
  type SequenceFlow,
  type StartEvent,
  type StartTrigger,
  type Stimulus,
  type TaskFacts,
  type TaskView,
  type TimerDefinition,
  type TimerPlan,
  type UserTask,
  type Wait,
} from './engine/index.ts';
export { ExpressionError, HostObject, type MaybePromise, type Value } from './expression/index.ts';
export { historyKeeper } from './history/history-keeper-agent.ts';
export { processGuard } from './http/index.ts';
export { WORKFLOW_QUEUE } from './job/enqueue-job.ts';
export { workflowJobs } from './job/run-workflow-job.ts';
export { MailQueue, mailGuard } from './mail/index.ts';
export type { CronReader, WorkflowPlatform, WorkflowSettings } from './workflow-platform.ts';
export { mountWorkflow } from './workflow-resources.ts';
export {
  readMailSettings,
  readWorkflowSettings,
  workflowDirectory,
  workflowInactive,
} from './workflow-settings.ts';
