import type { ResourceError } from '#errors/index.ts';
import {
  cloneJson,
  getMember,
  isObject,
  isTooDeep,
  type JsonObject,
  type JsonValue,
  MOST_LEVELS,
  setMember,
} from '#json/index.ts';
import { calledAt, insteadOfCalling } from './called-function.ts';
import { memoryLimitError, stackLimitError } from './engine-limits.ts';
import { ScriptLimitError, type ScriptPosition, ScriptThrownError } from './failures.ts';
import { type SandboxRun, SHALLOW_LENGTH } from './script-run.ts';
import type { TextPosition } from './source-edits.ts';
import { mapStackTrace } from './stack-trace.ts';

export interface SandboxResult {
  /** The value of the script, null for undefined and for functions. */
  readonly value: JsonValue;
  /** When the value is a date: milliseconds since the epoch. */
  readonly date?: number;
  /**
   * The bindings that were asked for, as the script left them. It is the value that was bound, with what the
   * script changed inside it: to assign another value to the variable changes the variable only.
   */
  readonly bindings: JsonObject;
}

export interface OutcomeReader {
  readonly resultLimitBytes: number;
  readonly memoryLimitBytes: number;
  getError(reference: number): ResourceError | undefined;
  positionOf(fileName: string, place: TextPosition): ScriptPosition | undefined;
  /** The text of a script that took part, as its author wrote it. */
  sourceOf(fileName: string): string | undefined;
}

/** What the prelude's `run` answered. It has been in the script's hands, so nothing of it is taken for granted. */
export function readOutcome(text: string, request: SandboxRun, reader: OutcomeReader): SandboxResult {
  if (text.length > reader.resultLimitBytes) {
    throw new ScriptLimitError(
      'result',
      (subject) =>
        `${subject} has a result of ${text.length} characters; at most ${reader.resultLimitBytes} are allowed`,
    );
  }
  const outcome: unknown = JSON.parse(text);
  if (!isObject(outcome)) throw brokenEnvironmentError('no result');
  if (text.length > SHALLOW_LENGTH && isTooDeep(outcome)) {
    throw new ScriptLimitError(
      'result',
      (subject) => `${subject} has a result that is nested deeper than ${MOST_LEVELS} levels`,
    );
  }
  const failure = getMember(outcome, 'failure');
  if (isObject(failure)) throw toFailure(failure, request, reader, outcome['inResult'] === true);
  const changed = getMember(outcome, 'bindings');
  const bindings: JsonObject = {};
  for (const name of request.returnBindings ?? []) {
    const value = isObject(changed) ? getMember(changed, name) : undefined;
    // A binding that the script does not mention never went in.
    const kept = value === undefined ? cloneJson(getMember(request.bindings, name) ?? null) : value;
    setMember(bindings, name, kept);
  }
  const date = getMember(outcome, 'date');
  return {
    value: getMember(outcome, 'value') ?? null,
    ...(typeof date === 'number' ? { date } : {}),
    bindings,
  };
}

/** The script has changed the built-in objects so that its own end could not be told. */
export function brokenEnvironmentError(message: string): ScriptThrownError {
  return new ScriptThrownError({
    thrown: { message },
    message: `The script broke the objects that it runs with: ${message}`,
    scriptStack: '',
  });
}

function toFailure(
  failure: JsonObject,
  request: SandboxRun,
  reader: OutcomeReader,
  inResult: boolean,
): Error {
  const limit = getMember(failure, 'limit');
  if (limit === 'memory') return memoryLimitError(reader.memoryLimitBytes);
  if (limit === 'stack') return stackLimitError();
  const reference = getMember(failure, 'reference');
  const resourceError = typeof reference === 'number' ? reader.getError(reference) : undefined;
  const thrownName = getMember(failure, 'name');
  const trace = mapStackTrace(String(getMember(failure, 'stack') ?? ''), reader.positionOf);
  const { position } = trace;
  const text = named(String(getMember(failure, 'message') ?? ''), position, reader);
  const message = inResult ? `The result of the script cannot be written as JSON: ${text}` : text;
  const place = request.debugInfo && position ? ` (${position.fileName}#${position.line})` : '';
  return new ScriptThrownError({
    thrown: getMember(failure, 'thrown') ?? null,
    message: `${message}${place}`,
    scriptStack: trace.text,
    ...(typeof thrownName === 'string' ? { thrownName } : {}),
    ...(position === undefined ? {} : { position }),
    ...(resourceError === undefined ? {} : { resourceError }),
  });
}

const NOT_CALLABLE = /^TypeError: (not a function|not a constructor)$/;

/** QuickJS does not say what it was that is no function. */
function named(message: string, position: ScriptPosition | undefined, reader: OutcomeReader): string {
  const [, problem] = NOT_CALLABLE.exec(message) ?? [];
  if (problem === undefined || position === undefined) return message;
  const name = position.fileName;
  const source = reader.sourceOf(name);
  const called = source === undefined ? undefined : calledAt({ name, source }, position);
  if (called === undefined) return message;
  const instead = insteadOfCalling(called);
  return `TypeError: ${called} is ${problem}${instead === undefined ? '' : `; write ${instead}`}`;
}
