import { InternalServerError } from '#errors/index.ts';
import { BpmnError } from './bpmn-error.ts';
import type { LiveExecution, Operation, Run } from './run.ts';
import type { Role } from './state.ts';
import { throwError } from './step/catch.ts';
import { enter, pass, perform } from './step/enter.ts';
import { checkConditions } from './step/fire-wait.ts';
import { releaseInclusiveJoin } from './step/gateway.ts';
import { leave } from './step/leave.ts';

/** A process that loops without ever waiting must not hold its node for ever. */
const MAX_OPERATIONS = 100_000;

/** Roles that something outside will end. */
const AWAKE: ReadonlySet<Role | undefined> = new Set<Role>([
  'task',
  'trigger',
  'jobBefore',
  'jobAfter',
  'child',
]);

/** Goes on, first come first served, until every token waits or the instance has ended. */
export async function settle(run: Run): Promise<void> {
  let next = 0;
  for (;;) {
    while (next < run.agenda.length) {
      if (next >= MAX_OPERATIONS) throw endless();
      const operation = run.agenda[next++]!;
      if (!run.hasEnded && run.isAlive(operation.execution))
        await guard(run, operation.execution, () => operate(run, operation));
      if (run.hasEnded) return;
    }
    const opened = releaseInclusiveJoin(run);
    if (opened !== undefined) await guard(run, opened, () => pass(run, opened, run.node(opened)));
    else if (run.mustCheckConditions) await checkConditions(run);
    if (run.hasEnded) return;
    if (next === run.agenda.length && !run.mustCheckConditions && opened === undefined) break;
  }
  reportStuck(run);
}

async function operate(run: Run, { step, execution }: Operation): Promise<void> {
  if (step === 'enter') await enter(run, execution);
  else if (step === 'perform') await perform(run, execution);
  else await leave(run, execution, step === 'depart');
}

/** Runs a part of an execution's work; a business error that it raises goes to whatever catches it. */
export async function guard(run: Run, execution: LiveExecution, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof BpmnError)) throw error;
    await throwError(run, execution, { code: error.code, message: error.message });
  }
}

/** Joins for which nothing can arrive any more, while nothing outside can change that. */
function reportStuck(run: Run): void {
  const executions = [...run.executions.values()];
  const joins = executions.filter((execution) => execution.is === 'join');
  if (joins.length === 0 || run.allWaits().length > 0) return;
  if (executions.some((execution) => AWAKE.has(execution.is))) return;
  const elements = [...new Set(joins.map((execution) => execution.at ?? ''))];
  run.emit({ kind: 'incident', problem: 'stuck', elements });
}

function endless(): InternalServerError {
  return new InternalServerError(`The process took ${MAX_OPERATIONS} steps without waiting for anything`, {
    id: 'WORKFLOW_ENDLESS',
    hint: 'A loop never ends; let it wait for something or mend its condition',
  });
}
