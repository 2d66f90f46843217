import { randomUUID } from 'node:crypto';
import { toResourceError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { parsePath } from '#resource/index.ts';
import type { ScriptReference } from '#script/index.ts';
import { insertDeadLetter } from './dead-letter-repository.ts';
import { requireSurvivable } from './deliver.ts';
import { runScript } from './mapping-scripts.ts';
import type { Stage } from './stage.ts';
import { keptError } from './sync-record.ts';

/**
 * Does about a change of another system what is to be done when it was tried often enough.
 *
 * @returns whether it is to stay in the queue, as dead
 */
export async function giveUpChange(
  stage: Stage,
  sourceId: string,
  attempts: number,
  error: unknown,
): Promise<boolean> {
  const { afterwards } = stage.platform.mappings.retryPolicyOf(stage.mapping.source);
  if (afterwards === 'dead') return true;
  const end = { sourceId, attempts, error };
  if (afterwards === 'ignore') ignore(stage, end);
  else if (afterwards === 'dead-letter') await bury(stage, end);
  else return !(await ask(stage, afterwards, end));
  return false;
}

interface End {
  readonly sourceId: string;
  readonly attempts: number;
  readonly error: unknown;
}

function ignore({ platform, context, mapping }: Stage, { sourceId, attempts, error }: End): void {
  const { message } = toResourceError(error);
  const told = { mapping: mapping.name, source: `${mapping.source}/${sourceId}`, attempts, error: message };
  context.unitOfWork.afterCommit(`a change of '${sourceId}' is given up`, () =>
    platform.observe({ kind: 'livesync.ignored', ...told }),
  );
}

async function bury(stage: Stage, { sourceId, attempts, error }: End): Promise<void> {
  const { context, mapping } = stage;
  const [, system = '', type = ''] = parsePath(mapping.source);
  await insertDeadLetter(await context.unitOfWork.db(), {
    id: randomUUID(),
    system,
    object_type: type,
    object_id: sourceId,
    mapping: mapping.name,
    kind: 'failure',
    attempts,
    error: keptError(error),
    transaction_id: context.transactionId,
  });
}

/** @returns whether the script has dealt with it; one that fails itself leaves it in the queue */
async function ask(stage: Stage, reference: ScriptReference, end: End): Promise<boolean> {
  const { context, mapping } = stage;
  const [, system = '', type = ''] = parsePath(mapping.source);
  const failure: JsonObject = {
    token: null,
    systemIdentifier: system,
    objectType: type,
    uid: end.sourceId,
    failedRecord: null,
  };
  const asked = new Set<string>();
  const handler = (name: string) => () => {
    asked.add(name);
    return null;
  };
  const told = () =>
    runScript(stage, {
      use: 'syncFailure',
      reference,
      bindings: {
        syncFailure: { ...failure, mapping: mapping.name, attempts: end.attempts },
        failureCause: keptError(end.error),
        failureHandlers: { loggedIgnore: null, deadLetterQueue: null },
      },
      operations: {
        'failureHandlers.loggedIgnore': handler('loggedIgnore'),
        'failureHandlers.deadLetterQueue': handler('deadLetterQueue'),
      },
    });
  try {
    await context.unitOfWork.savepoint(told);
  } catch (error) {
    requireSurvivable(context, error);
    return false;
  }
  if (asked.has('deadLetterQueue')) await bury(stage, end);
  if (asked.has('loggedIgnore')) ignore(stage, end);
  return true;
}
