import type { Exchange, LifecycleRequest } from './exchange.ts';

/** One rule of the lifecycle. */
export interface Step {
  (exchange: Exchange): Promise<void> | void;
  /** Whether there is anything to do; default: always. */
  readonly applies?: (exchange: Exchange) => boolean;
  /** Runs also when nothing is left to store. */
  readonly always?: true;
}
export type Column = LifecycleRequest['method'];
type DeclareStep = (step: Step, ...columns: readonly Column[]) => void;

/** Collects a matrix of steps and columns into one ordered list per request kind. */
export function pipeline(declare: (step: DeclareStep) => void): (exchange: Exchange) => Promise<void> {
  const lists: Record<Column, Step[]> = { create: [], read: [], update: [], patch: [], delete: [] };
  declare((step, ...columns) => {
    for (const column of columns) lists[column].push(step);
  });
  return async (exchange) => {
    const { rehearsed, unitOfWork } = exchange.context;
    const trace = rehearsed === true ? unitOfWork?.trace : undefined;
    for (const step of lists[exchange.request.method]) {
      if (exchange.isUnchanged && step.always !== true) continue;
      if (step.applies?.(exchange) === false) continue;
      if (trace === undefined) {
        // Most steps have nothing to wait for.
        const pending = step(exchange);
        if (pending !== undefined) await pending;
        continue;
      }
      const startedAt = performance.now();
      try {
        await step(exchange);
      } finally {
        // One that fails is the last of the list.
        trace.push({
          step: step.name,
          resource: `managed/${exchange.type.name}/${exchange.id}`,
          ms: Math.round((performance.now() - startedAt) * 1000) / 1000,
        });
      }
    }
  };
}
