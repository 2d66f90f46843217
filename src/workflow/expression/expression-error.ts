import { ResourceError } from '#errors/index.ts';

/** What an expression cannot do, with the place in its text; a process author reads this. */
export class ExpressionError extends ResourceError {
  override readonly name = 'ExpressionError';
  /** Zero-based offset into the text of the expression. */
  readonly position: number;

  constructor(text: string, position: number, problem: string, hint?: string) {
    super(500, `The expression '${shorten(text)}' ${problem} (at character ${position + 1})`, {
      id: 'WORKFLOW_EXPRESSION',
      ...(hint === undefined ? {} : { hint }),
      detail: { position },
    });
    this.position = position;
  }
}

function shorten(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 119)}…`;
}
