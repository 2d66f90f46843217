import type { ScriptPosition } from './script-source.ts';

/**
 * The source is not Groovy, or wants what this service does not have. The message is a sentence with the offending
 * text; `hint` says what to write instead, when there is something.
 */
export class GroovySyntaxError extends Error {
  override readonly name = 'GroovySyntaxError';
  readonly fileName: string;
  readonly line: number;
  readonly column: number;
  readonly hint: string | undefined;
  /** All that was found at once, in the order of the source; this error is the first. */
  readonly mistakes: readonly GroovySyntaxError[];

  constructor(
    problem: string,
    position: ScriptPosition,
    hint?: string,
    mistakes: readonly GroovySyntaxError[] = [],
  ) {
    const advice = hint === undefined ? '' : ` ${hint}`;
    super(
      mistakes.length > 0
        ? problem
        : `${problem} @ line ${position.line}, column ${position.column}.${advice}`,
    );
    this.fileName = position.fileName;
    this.line = position.line;
    this.column = position.column;
    this.hint = hint;
    this.mistakes = mistakes.length > 0 ? mistakes : [this];
  }

  /** One error that tells all of them, each in a line. */
  static ofAll(mistakes: readonly GroovySyntaxError[]): GroovySyntaxError {
    const ordered = [...mistakes].sort((one, other) => one.line - other.line || one.column - other.column);
    const [first, ...others] = ordered;
    if (first === undefined || others.length === 0) return first!;
    const text = ordered.map(({ message }) => message).join('\n');
    return new GroovySyntaxError(text, first, first.hint, ordered);
  }
}
