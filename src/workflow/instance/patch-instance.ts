import { BadRequestError, ConflictError, PreconditionFailedError } from '#errors/index.ts';
import { equalJson, formatPointer, getMember, isObject, type JsonObject, type Pointer } from '#json/index.ts';
import { applyPatch, type PatchRequest, type WriteContext } from '#resource/index.ts';
import { receiveVariables } from '../form/index.ts';
import { senderOf } from '../identity/sender.ts';
import { CONTEXT_VARIABLE, shownVariables } from '../variable/variable.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import { beginStep } from './begin-step.ts';
import type { LockedInstance } from './instance.ts';
import { isId } from './instance-id.ts';
import { lockInstance } from './instance-repository.ts';
import { notRunning } from './not-running.ts';
import { takeStep } from './take-step.ts';

const VARIABLES = 'processVariables';

/**
 * Sets and removes variables of a running instance: operations on `/processVariables/<name>`, and on what is inside them. Who may
 * write which is as everywhere (`receiveVariables`).
 *
 * @throws PreconditionFailedError `WORKFLOW_OUTDATED`; BadRequestError `WORKFLOW_NOT_PATCHABLE`, `WORKFLOW_NOT_WRITABLE`
 */
export async function patchInstance(
  platform: WorkflowPlatform,
  context: WriteContext,
  id: string,
  { operations, revision }: PatchRequest,
): Promise<void> {
  const db = await context.unitOfWork.db();
  const locked = isId(id) ? await lockInstance(db, id) : undefined;
  if (locked === undefined) throw notRunning(id);
  if (revision !== null && revision !== String(locked.revision))
    throw outdated(id, revision, locked.revision);
  for (const { field, from } of operations) for (const at of [field, from ?? field]) requirePatchable(at);
  const before = shownVariables(locked.state.variables['0'] ?? {});
  const patched = await applyPatch({ [VARIABLES]: before }, operations, { budget: context.budget });
  const after = isObject(patched[VARIABLES]) ? patched[VARIABLES] : {};
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => {
    const [was, is] = [getMember(before, name), getMember(after, name)];
    return was === undefined || is === undefined || !equalJson(was, is);
  });
  names.sort();
  if (names.length === 0) return;
  refuseInner(names, locked);
  if (locked.suspended !== null && locked.state.waits.some(({ kind }) => kind === 'conditional'))
    throw mayGoOn(id);
  const given = Object.fromEntries(names.map((name) => [name, getMember(after, name) ?? null]));
  const { definitionId, definitionKey } = locked.instance;
  const { process } = await platform.definitions.get(db, definitionId);
  const { variables, writers } = await receiveVariables(given, {
    process,
    step: undefined,
    settled: locked.settled,
    ...senderOf(platform, context, definitionKey),
    checkedIn: undefined,
  });
  const [removed, set] = partition(names, (name) => getMember(after, name) === undefined);
  const stimulus = {
    kind: 'variables',
    variables: Object.fromEntries(set.map((name) => [name, getMember(variables, name) ?? null])),
    writers,
    removed,
  } as const;
  await takeStep(beginStep(platform, context), locked, stimulus, {
    act: { kind: 'variables', set, removed },
  });
}

function partition(names: readonly string[], fits: (name: string) => boolean): [string[], string[]] {
  return [names.filter(fits), names.filter((name) => !fits(name))];
}

function requirePatchable(at: Pointer): void {
  const [first, name] = at;
  if (first === VARIABLES && name !== undefined && name !== CONTEXT_VARIABLE) return;
  throw new BadRequestError(`'${formatPointer(at)}' of a process instance cannot be patched`, {
    id: 'WORKFLOW_NOT_PATCHABLE',
    field: formatPointer(at),
    hint: 'Its variables can, such as /processVariables/reason',
  });
}

/** A name that only a part of the process has would become another variable beside it. */
function refuseInner(names: readonly string[], { state }: LockedInstance): void {
  const { '0': own = {}, ...others } = state.variables;
  const has = (layer: JsonObject, name: string) => Object.hasOwn(layer, name);
  const inner = names.find(
    (name) =>
      !has(own, name) &&
      Object.entries(others).some(([scope, layer]) => Number(scope) > 0 && has(layer, name)),
  );
  if (inner === undefined) return;
  throw new BadRequestError(`'${inner}' belongs to a part of the process and cannot be written`, {
    id: 'WORKFLOW_NOT_WRITABLE',
    field: formatPointer([VARIABLES, inner]),
    hint: 'Variables of the instance itself can be',
  });
}

function mayGoOn(id: string): ConflictError {
  return new ConflictError(
    `The process instance '${id}' is suspended, and waits for a condition that looks at variables`,
    {
      id: 'WORKFLOW_INSTANCE_SUSPENDED',
      hint: 'Activate it first',
    },
  );
}

function outdated(id: string, given: string, current: number): PreconditionFailedError {
  return new PreconditionFailedError(
    `The process instance '${id}' has the revision ${current}, not ${given}`,
    {
      id: 'WORKFLOW_OUTDATED',
      detail: { revision: String(current) },
    },
  );
}
