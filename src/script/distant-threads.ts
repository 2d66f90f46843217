import { type Line, question } from '#thread/index.ts';
import { type ScriptWork, type ThreadWork, workKind } from './thread-protocol.ts';

/** A piece of work as it is handed on. */
interface Asked {
  readonly id: number;
  readonly kind: string;
  readonly payload: unknown;
  readonly repeatable: boolean;
  readonly caller?: string | undefined;
  readonly isAbortable: boolean;
  /** Whether it can be said whom it is for now. */
  readonly isRenewable: boolean;
}

const workOf = <Answer>() => question<Asked, Answer>('script work');
/** The question: whom is this work for now? */
const RENEW = question<number, unknown>('whose script work');

/** Hands work to script threads that another thread has, which asks back whom it is for. */
export function distantThreads(line: Line): ScriptWork {
  const renewals = new Map<number, () => Promise<unknown>>();
  let next = 1;
  line.answer(RENEW, (id) => {
    const renew = renewals.get(id);
    if (renew === undefined) throw new Error(`Work ${id} is for nobody who could be asked for`);
    return renew();
  });
  return {
    async run<Payload, Answer>(work: ThreadWork<Payload, Answer>): Promise<Answer> {
      const { kind, payload, repeatable, caller, signal, renew } = work;
      const id = next++;
      if (renew !== undefined) renewals.set(id, renew);
      const asked = {
        id,
        kind: kind.name,
        payload,
        repeatable,
        caller,
        isAbortable: signal !== undefined,
        isRenewable: renew !== undefined,
      };
      try {
        return await line.ask(workOf<Answer>(), asked, signal);
      } finally {
        renewals.delete(id);
      }
    },
  };
}

/**
 * Has the threads of this node do what another of its threads asks of them.
 *
 * @param settled resolves when what has been done holds in that thread, too
 */
export function serveScriptWork(line: Line, threads: ScriptWork, settled: () => Promise<void>): void {
  line.answer(
    workOf<unknown>(),
    async ({ id, kind, payload, repeatable, caller, isAbortable, isRenewable }, signal) => {
      const answer = await threads.run({
        kind: workKind(kind),
        payload,
        repeatable,
        ...(caller === undefined ? {} : { caller }),
        ...(isAbortable ? { signal } : {}),
        ...(isRenewable ? { renew: () => line.ask(RENEW, id) } : {}),
      });
      await settled();
      return answer;
    },
  );
}
