import { BadRequestError } from '#errors/index.ts';
import type { CronField } from './cron-field.ts';

/** A piece of an expression: one element of a field, or a field as a whole. */
export interface Piece {
  readonly expression: string;
  readonly field: CronField;
  readonly text: string;
  /** The position of its first character in the expression, counted from 1. */
  readonly position: number;
}

/** `SCHED_BAD_CRON` for the expression as a whole; `detail` has `expression`. */
export function badCron(expression: string, problem: string, hint: string): BadRequestError {
  return new BadRequestError(`Bad cron expression '${expression}': ${problem}`, {
    id: 'SCHED_BAD_CRON',
    hint,
    detail: { expression },
  });
}

/** `SCHED_BAD_CRON` for one piece; `detail` has `expression`, `cronField`, `element` and `position` (from 1). */
export function badPiece(piece: Piece, problem: string, hint: string): BadRequestError {
  const { expression, field, text, position } = piece;
  return new BadRequestError(
    `Bad cron expression '${expression}': ${field.label} '${text}' (character ${position}) ${problem}`,
    {
      id: 'SCHED_BAD_CRON',
      hint,
      detail: { expression, cronField: field.name, element: text, position },
    },
  );
}
