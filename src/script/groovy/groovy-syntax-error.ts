import { ScriptSyntaxError } from '../javascript/index.ts';

/**
 * The source is not Groovy, or wants what this service does not have. The message is a sentence with the offending
 * text; `hint` says what to write instead, when there is something.
 */
export class GroovySyntaxError extends ScriptSyntaxError {
  readonly hint: string | undefined;

  constructor(problem: string, position: { fileName: string; line: number; column: number }, hint?: string) {
    const advice = hint === undefined ? '' : ` ${hint}`;
    super(`${problem} @ line ${position.line}, column ${position.column}.${advice}`, position);
    this.hint = hint;
  }
}
