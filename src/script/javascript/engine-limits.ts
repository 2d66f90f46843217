import { ScriptLimitError } from './failures.ts';
import { QuickJsException } from './quickjs-context.ts';

/** Exceptions and traps that mean a limit. A trap of the native stack is a RangeError, of the memory a RuntimeError. */
export function asLimit(error: unknown, memoryBytes: number): ScriptLimitError | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof QuickJsException) {
    if (error.message === 'out of memory') return memoryLimitError(memoryBytes);
    if (error.message === 'stack overflow') return stackLimitError();
    return undefined;
  }
  if (error instanceof RangeError) return stackLimitError();
  if (error.name !== 'RuntimeError') return undefined;
  return error.message.includes('unreachable') ? stackLimitError() : memoryLimitError(memoryBytes);
}

export function memoryLimitError(bytes: number): ScriptLimitError {
  const allowed = `${Math.round((bytes / 1_048_576) * 10) / 10} MiB`;
  return new ScriptLimitError('memory', (subject) => `${subject} used more memory than it may (${allowed})`);
}

export function stackLimitError(): ScriptLimitError {
  return new ScriptLimitError('stack', (subject) => `${subject} calls itself too deeply`);
}
