import type { ResourceError } from '#errors/index.ts';
import type { JsonValue } from '#json/index.ts';

/** A place in a script: its name and the 1-based line and column of the text as its author wrote it. */
export interface ScriptPosition {
  readonly fileName: string;
  readonly line: number;
  readonly column: number;
}

/** The source is not a script. Thrown before anything of it has run. */
export class ScriptSyntaxError extends Error {
  override readonly name = 'ScriptSyntaxError';
  readonly fileName: string;
  readonly line: number;
  readonly column: number;

  constructor(message: string, position: ScriptPosition) {
    super(message);
    this.fileName = position.fileName;
    this.line = position.line;
    this.column = position.column;
  }
}

export interface ThrownFacts {
  readonly thrown: JsonValue;
  readonly message: string;
  readonly thrownName?: string;
  readonly position?: ScriptPosition;
  readonly scriptStack: string;
  readonly resourceError?: ResourceError;
}

/**
 * The script threw and nobody caught it. `thrown` is what was thrown as plain JSON: for `throw {code, message,
 * detail}` that object, for an error its name, message and own members. `message` is the engine's text about it.
 */
export class ScriptThrownError extends Error {
  override readonly name = 'ScriptThrownError';
  readonly thrown: JsonValue;
  /** `TypeError` and the like; absent unless an error was thrown. */
  readonly thrownName: string | undefined;
  /** Absent when what was thrown is no error: QuickJS remembers places only for errors. */
  readonly position: ScriptPosition | undefined;
  /** One `at function (file:line:column)` per line, in the author's coordinates; empty when there is none. */
  readonly scriptStack: string;
  /** The very error with which a host call failed, when that is what ended the script, rethrown or not. */
  readonly resourceError: ResourceError | undefined;

  constructor(facts: ThrownFacts) {
    super(facts.message, facts.resourceError === undefined ? undefined : { cause: facts.resourceError });
    this.thrown = facts.thrown;
    this.thrownName = facts.thrownName;
    this.position = facts.position;
    this.scriptStack = facts.scriptStack;
    this.resourceError = facts.resourceError;
    // The log shows the stack: ours says where in the script, not where in the server.
    if (facts.scriptStack !== '') {
      this.stack = `${this.name}: ${facts.message}\n${facts.scriptStack.replace(/^/gm, '    ')}`;
    }
  }
}

export type ScriptLimit = 'time' | 'memory' | 'stack' | 'result';

/** The script wanted more than it may have. Its effects so far stand; undoing them is up to the caller. */
export class ScriptLimitError extends Error {
  override readonly name = 'ScriptLimitError';
  readonly limit: ScriptLimit;
  readonly #tell: (subject: string) => string;

  /** @param tell the message, which begins with the subject it is given */
  constructor(limit: ScriptLimit, tell: (subject: string) => string) {
    super(tell('The script'));
    this.limit = limit;
    this.#tell = tell;
  }

  /** The same of a script that has a name. */
  messageAbout(name: string): string {
    return this.#tell(`Script '${name}'`);
  }
}
