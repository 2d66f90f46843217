import { randomUUID } from 'node:crypto';
import type { UnitOfWork } from '#database/index.ts';
import { ResourceError } from '#errors/index.ts';
import { type Context, clientData, rootContext, type SecurityContext } from '#resource/index.ts';
import type { TaskScannerPlatform } from '../scan-platform.ts';
import type { OpenOperation } from '../scan-run.ts';

/** For so long the maker of an operation is who they were when they were asked for. */
const SURE_MS = 1_000;

/** What ends a run that is under way. */
export class RunOverError extends ResourceError {
  override readonly name = 'RunOverError';
}

/** The caller for whom an operation is made: each object is asked for with the rights that they have then. */
export class OperationCaller {
  readonly #platform: TaskScannerPlatform;
  readonly #run: OpenOperation;
  #asked: Promise<SecurityContext> | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(platform: TaskScannerPlatform, run: OpenOperation) {
    this.#platform = platform;
    this.#run = run;
  }

  /** @throws RunOverError `OPERATION_CALLER_GONE` when its maker may not come in any more */
  async context(unitOfWork: UnitOfWork): Promise<Context> {
    const { security, transaction, operation } = this.#run;
    const id = randomUUID();
    const of = (who: SecurityContext) =>
      rootContext({
        id,
        transactionId: transaction,
        receivedAt: Date.now(),
        security: who,
        client: operation.client,
        http: null,
      });
    if (!operation.client.isExternal) return { ...of(security), unitOfWork };
    const now = performance.now();
    if (this.#asked === undefined || now - this.#askedAt > SURE_MS) {
      this.#askedAt = now;
      this.#asked = callerNow(this.#platform, of(security), 'OPERATION_CALLER_GONE');
    }
    const asked = this.#asked;
    return {
      ...of(
        await asked.catch((error: unknown) => {
          // Whatever kept it from being answered is asked again.
          if (this.#asked === asked) this.#asked = undefined;
          throw error;
        }),
      ),
      unitOfWork,
    };
  }
}

/** Whoever asks, as what is kept of them: with it they can be asked for anew. */
export async function makerOf(
  platform: Pick<TaskScannerPlatform, 'callerNow'>,
  context: Context,
): Promise<Pick<Context, 'security' | 'client'>> {
  const client = clientData(context.client);
  if (!client.isExternal) return { security: context.security, client };
  return { security: await callerNow(platform, context, 'OPERATION_CALLER_UNSURE'), client };
}

async function callerNow(
  { callerNow: ask }: Pick<TaskScannerPlatform, 'callerNow'>,
  context: Context,
  id: 'OPERATION_CALLER_GONE' | 'OPERATION_CALLER_UNSURE',
): Promise<SecurityContext> {
  const security = await ask(context);
  if (security !== undefined) return security;
  const { authenticationId } = context.security;
  if (id === 'OPERATION_CALLER_GONE') {
    throw new RunOverError(403, `'${authenticationId}', who made the operation, may not come in any more`, {
      id: 'OPERATION_CALLER_GONE',
      hint: 'Somebody who may makes another one for what is left',
    });
  }
  throw new RunOverError(403, `Whether '${authenticationId}' may still come in cannot be asked later`, {
    id: 'OPERATION_CALLER_UNSURE',
    hint: 'Make it with a password, a session, an API key or a token',
  });
}
