import { ConflictError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { type Context, personName } from '#resource/index.ts';
import type { DefinitionRow } from '../definition/definition-repository.ts';
import type { Outcome } from '../engine/index.ts';
import type { Received } from '../form/index.ts';
import { CONTEXT_VARIABLE } from '../variable/variable.ts';
import type { Instance } from './instance.ts';
import { newInstanceId } from './instance-id.ts';
import { requireRoom } from './require-room.ts';
import { type StepContext, startStep } from './take-step.ts';

export interface StartOptions {
  /** A new one, when a variable of its caller holds it already. */
  readonly id?: string;
  /** The start event; the none start event when absent. */
  readonly element?: string;
  readonly variables: JsonObject;
  /** Who writes them, where that is not the process that starts it. */
  readonly writers?: Received['writers'];
  readonly businessKey?: string;
  readonly name?: string;
  /** The execution of another instance that waits for this one. */
  readonly caller?: { readonly instance: Instance; readonly execution: number };
  /** Nobody: a timer has started it. */
  readonly isUnattended?: boolean;
}

export interface Started {
  readonly instance: Instance;
  readonly outcome: Outcome;
}

/**
 * Starts an instance of a definition.
 *
 * @throws ConflictError when the definition is suspended; TooManyRequestsError when the caller has too many under way
 */
export async function startInstance(
  step: StepContext,
  definition: DefinitionRow,
  options: StartOptions,
): Promise<Started> {
  if (definition.suspended || definition.stopped_at !== null) throw suspended(definition);
  const { platform, context } = step;
  const now = platform.now();
  const id = options.id ?? newInstanceId(now);
  const { caller, isUnattended = false } = options;
  const starter = isUnattended ? null : personName(context.security);
  if (starter !== null && caller === undefined) await requireRoom(step, starter);
  const instance: Instance = {
    id,
    definitionId: definition.id,
    definitionKey: definition.key,
    definitionName: definition.name,
    deploymentId: definition.deployment_id,
    rootId: caller?.instance.rootId ?? id,
    caller: caller === undefined ? null : { instanceId: caller.instance.id, execution: caller.execution },
    businessKey: options.businessKey ?? null,
    name: options.name ?? null,
    description: null,
    tenantId: definition.tenant_id,
    startUserId: starter,
    startedAt: now,
  };
  const own =
    isUnattended || CONTEXT_VARIABLE in options.variables ? {} : { [CONTEXT_VARIABLE]: securityOf(context) };
  const outcome = await startStep(step, instance, {
    kind: 'start',
    variables: { ...options.variables, ...own },
    ...(options.writers === undefined ? {} : { writers: options.writers }),
    ...(starter === null ? {} : { starter }),
    ...(options.element === undefined ? {} : { element: options.element }),
    ...(options.businessKey === undefined ? {} : { businessKey: options.businessKey }),
    ...(caller === undefined ? {} : { isCalled: true }),
  });
  return { instance, outcome };
}

/** The caller's security context as it goes with the instance. */
function securityOf({ id, security }: Context): JsonObject {
  const { authenticationId, authorization } = security;
  // The password once more counted for that request, and not for all that the process does later.
  const { reauthenticated: _, ...lasting } = authorization;
  return {
    id,
    authenticationId,
    authorization: { ...lasting, roles: [...authorization.roles] },
  };
}

function suspended({ id, stopped_at, stopped_by }: DefinitionRow): ConflictError {
  const by = stopped_at === null ? '' : ` since ${stopped_at.toISOString()} by ${stopped_by}`;
  return new ConflictError(`The process definition '${id}' is suspended${by}`, {
    id: 'WORKFLOW_SUSPENDED',
    hint:
      stopped_at === null
        ? 'Its file has been removed; deploy it again to start new instances'
        : `It goes on with POST workflow/processdefinition/${id}?_action=activate`,
  });
}
