import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A process of Node that answers one message at a time. */
export interface Child<Task, Answer> extends AsyncDisposable {
  ask(task: Task): Promise<Answer>;
}

/**
 * Forks a file of this folder, which calls `answerParent`, and waits until it is ready.
 * @param environment laid over our own
 */
export async function startChild<Task extends object, Answer>(
  file: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Child<Task, Answer>> {
  const process_ = fork(fileURLToPath(new URL(file, import.meta.url)), [], {
    env: { ...process.env, ...environment },
  });
  const next = <T>(): Promise<T> => nextMessage(process_, file);
  await next();
  return {
    async ask(task) {
      const answer = next<{ answer: Answer } | { error: string }>();
      process_.send(task);
      const received = await answer;
      if ('error' in received) throw new Error(`${file}: ${received.error}`);
      return received.answer;
    },
    async [Symbol.asyncDispose]() {
      if (process_.exitCode !== null || process_.signalCode !== null) return;
      const gone = new Promise((resolve) => process_.once('exit', resolve));
      process_.disconnect();
      await gone;
    },
  };
}

/** The other side: answers each message of the parent, and ends with it. */
export function answerParent<Task, Answer>(answer: (task: Task) => Promise<Answer>): void {
  process.on('message', (task: Task) => {
    answer(task).then(
      (value) => process.send?.({ answer: value }),
      (error: unknown) => process.send?.({ error: error instanceof Error ? error.stack : String(error) }),
    );
  });
  process.on('disconnect', () => process.exit(0));
  process.send?.({ ready: true });
}

function nextMessage<T>(child: ChildProcess, file: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: unknown) => {
      child.off('exit', onExit);
      resolve(message as T);
    };
    const onExit = (code: number | null, signal: string | null) => {
      child.off('message', onMessage);
      reject(new Error(`${file} ended with ${code ?? signal}`));
    };
    child.once('message', onMessage);
    child.once('exit', onExit);
  });
}
