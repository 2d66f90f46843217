import type { TaskFacts } from './effect.ts';

/** Somebody works for whoever has the task, and gives it back when they are done. */
export function delegateTask(facts: TaskFacts, user: string): void {
  facts.owner ??= facts.assignee;
  facts.assignee = user;
  facts.delegation = 'pending';
}

/** The task goes back to its owner. */
export function resolveTask(facts: TaskFacts): void {
  facts.assignee = facts.owner;
  facts.delegation = 'resolved';
}
