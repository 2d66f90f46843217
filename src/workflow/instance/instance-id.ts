import { timeOrderedId } from '#time/index.ts';

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const NUMBER_DIGITS = 6;
const ZERO = '0'.repeat(NUMBER_DIGITS);
const MOST = 16 ** NUMBER_DIGITS - 1;

/**
 * A UUID of version 7 whose last six digits are 0: they number the executions of the instance, whose ids are
 * known without asking and sort by age like those of instances.
 */
export function newInstanceId(now: number): string {
  return `${timeOrderedId(now).slice(0, -NUMBER_DIGITS)}${ZERO}`;
}

/** The id of an execution, and of the task that it waits for; that of execution 0 is the instance's own. */
export function executionId(instanceId: string, execution: number): string {
  if (execution > MOST) throw new RangeError(`The instance ${instanceId} has more than ${MOST} executions`);
  return instanceId.slice(0, -NUMBER_DIGITS) + execution.toString(16).padStart(NUMBER_DIGITS, '0');
}

/** The instance and the number that an execution id means; undefined when it cannot be one. */
export function parseExecutionId(id: string): { instanceId: string; execution: number } | undefined {
  if (!ID.test(id)) return undefined;
  const lower = id.toLowerCase();
  return {
    instanceId: lower.slice(0, -NUMBER_DIGITS) + ZERO,
    execution: Number.parseInt(lower.slice(-NUMBER_DIGITS), 16),
  };
}

export function isId(text: string): boolean {
  return ID.test(text);
}
