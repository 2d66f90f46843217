import { BadRequestError } from '#errors/index.ts';
import { toText, type Value } from '../expression/index.ts';

const LARGEST = 2 ** 31 - 1;

/** @throws BadRequestError `WORKFLOW_BAD_PRIORITY` for all but whole numbers of 32 bits */
export function readPriority(value: Value, owner: string): number {
  const number = typeof value === 'number' ? value : readWhole(toText(value));
  if (Number.isInteger(number) && Math.abs(number) <= LARGEST) return number;
  throw new BadRequestError(
    `The priority of '${owner}' is '${toText(value)}', which is not a whole number from -${LARGEST} to ${LARGEST}`,
    { id: 'WORKFLOW_BAD_PRIORITY' },
  );
}

export function isPriority(text: string): boolean {
  return Math.abs(readWhole(text)) <= LARGEST;
}

function readWhole(text: string): number {
  return /^\s*[-+]?\d+(\.0*)?\s*$/.test(text) ? Number(text) : Number.NaN;
}
