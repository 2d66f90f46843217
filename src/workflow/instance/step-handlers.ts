import { nextInUtc } from '#cron/index.ts';
import { InternalServerError, ResourceError } from '#errors/index.ts';
import { getMember } from '#json/index.ts';
import { Connection, dbOf, nextPart, personName, readerOf, type WriteContext } from '#resource/index.ts';
import { delegateExecution, fromDelegate, withDates, withIsoDates } from '../delegate/delegate-view.ts';
import { Delegate, type DelegateCall, type EngineHandlers, type ExecutionView } from '../engine/index.ts';
import { runHttpTask } from '../http/index.ts';
import { readSecurity } from '../identity/kept-security.ts';
import { identityServerObject, svcObject } from '../script/expression-bindings.ts';
import { runProcessScript } from '../script/script-calls.ts';
import { findTask } from '../task/task-listing-repository.ts';
import { viewTask } from '../task/task-view.ts';
import { CONTEXT_VARIABLE } from '../variable/variable.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import type { Changes } from './changes.ts';
import { executionId, isId, newInstanceId } from './instance-id.ts';

/** Called before something is done that a rollback does not undo. */
export type ReachOut = () => Promise<void>;

/** What the engine asks of the house while it takes a step of this instance. */
export function stepHandlers(
  platform: WorkflowPlatform,
  context: WriteContext,
  { instance, instanceChange, now }: Changes,
  mayReachOut: ReachOut,
): EngineHandlers {
  /** Fails for a job that is another's by now, too: the other does it itself. */
  const reachOut = async () => {
    await mayReachOut();
    await context.fence?.(await dbOf(platform, context));
  };
  // The engine does not know it: it is only kept and shown.
  const setBusinessStatus = (status: string) => {
    instanceChange.business_status = status;
  };
  /** Scripts act with the identity that the process has kept, within the unit of work of this step. */
  const actingContext = (execution: ExecutionView): WriteContext => ({
    ...context,
    security: readSecurity(execution.getVariable(CONTEXT_VARIABLE)),
  });
  return {
    now,
    instance: {
      id: instance.id,
      definitionId: instance.definitionId,
      rootId: instance.rootId,
      ...(instance.caller === null
        ? {}
        : { superExecutionId: executionId(instance.caller.instanceId, instance.caller.execution) }),
      user: personName(context.security),
      ...(instance.tenantId === '' ? {} : { tenant: instance.tenantId }),
    },
    runScript: (call) =>
      naming({ process: instance.definitionKey, element: call.element }, () =>
        runProcessScript(platform.scripts, actingContext(call.execution), call, { setBusinessStatus }),
      ),
    callDelegate: (call) =>
      naming({ process: instance.definitionKey, element: call.element }, () =>
        callDelegate(platform, actingContext(call.execution), call, reachOut),
      ),
    ...(platform.furtherName === undefined ? {} : { furtherName: platform.furtherName }),
    findBinding(name, execution) {
      if (name === 'svc' || name === platform.furtherName)
        return svcObject(platform, actingContext(execution));
      if (name === 'identityServer') return identityServerObject(platform.getProperty);
      if (platform.delegates.find(name) !== undefined) {
        return new Delegate(name, {
          methods: [
            ['execute', () => callByName(platform, actingContext(execution), name, execution, reachOut)],
          ],
        });
      }
      return getMember(platform.scriptProperties(), name);
    },
    nextCron: nextInUtc,
    taskId: (execution) => executionId(instance.id, execution),
    newInstanceId: () => newInstanceId(now),
    async findTask(id) {
      const row = isId(id) ? await findTask(await readerOf(platform, context), id) : undefined;
      return row === undefined ? null : { id: row.id, ...viewTask(row) };
    },
  };
}

/** A failure that says nothing but its message is told with the element where it happened. */
async function naming<T>(
  place: { readonly process: string; readonly element: string },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ResourceError) || error.code !== 500 || error.detail !== undefined) throw error;
    throw new InternalServerError(error.message, {
      id: 'WORKFLOW_ELEMENT_FAILED',
      detail: place,
      cause: error.cause ?? error,
    });
  }
}

async function callDelegate(
  platform: WorkflowPlatform,
  context: WriteContext,
  call: DelegateCall,
  reachOut: ReachOut,
) {
  if (call.kind === 'mail' || call.kind === 'http') {
    const outward = { ...call, fields: withIsoDates(call.fields) };
    if (call.kind === 'mail') return (await platform.mail.runTask(context.unitOfWork, outward)) ?? undefined;
    await reachOut();
    return (await runHttpTask(outward, platform.addressGuard(), nextPart(context))) ?? undefined;
  }
  const run = platform.delegates.find(call.name);
  if (run === undefined) {
    throw new InternalServerError(`There is no delegate '${call.name}', which '${call.element}' names`, {
      id: 'WORKFLOW_NO_DELEGATE',
      hint: "Export it in a module of the project's service folder: export const delegates = { … }",
    });
  }
  await reachOut();
  const result = await run({
    ...call,
    execution: delegateExecution(call.execution),
    fields: withDates(call.fields),
    svc: new Connection(platform.resources, context),
  });
  return fromDelegate(result);
}

async function callByName(
  platform: WorkflowPlatform,
  context: WriteContext,
  name: string,
  execution: ExecutionView,
  reachOut: ReachOut,
) {
  const element = execution.currentActivityId ?? '';
  const call = { kind: 'delegate', name, element, execution, fields: {} } as const;
  return (await callDelegate(platform, context, call, reachOut)) ?? null;
}
