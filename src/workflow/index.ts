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
export type { AdoptedDefinition } from './adopt/adopt-definitions.ts';
export type { EndedActivity, ForeignInstance } from './adopt/adopt-tree.ts';
export { ProcessImport } from './adopt/process-import.ts';
export { checkWorkflow, findOpenProcesses, findProcessMistakes } from './check-processes.ts';
export type { ProcessDefinition, RestingInstance, TaskFacts } from './engine/index.ts';
export { dateValue } from './expression/index.ts';
export { workflowFeature } from './workflow-feature.ts';
export type { WorkflowPlatform } from './workflow-platform.ts';
