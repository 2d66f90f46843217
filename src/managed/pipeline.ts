import {
  breathing,
  type CreateRequest,
  type DeleteRequest,
  type PatchRequest,
  type ReadRequest,
  type UpdateRequest,
} from '#resource/index.ts';
import type {
  Change,
  Creation,
  Exchange,
  LifecycleRequest,
  Loaded,
  Stored,
  WriteExchange,
} from './exchange.ts';
import { stepTracer } from './trace-step.ts';

/** One rule of the lifecycle; what it takes says how far the exchange must have come. */
export interface Step<E> {
  (exchange: E): Promise<void> | void;
  /** Whether there is anything to do; default: always. */
  readonly applies?: (exchange: E) => boolean;
  /** Runs also when nothing is left to store. */
  readonly always?: true;
}

/** A step for those exchanges only of which its condition has shown something. */
interface GuardedStep<E, A extends E> {
  (exchange: A): Promise<void> | void;
  readonly applies: (exchange: E) => exchange is A;
}

/** What an exchange is by the stage at which a step runs, and by the kind of its request. */
interface Stages {
  readonly asked: {
    readonly create: WriteExchange<CreateRequest>;
    readonly read: Exchange<ReadRequest>;
    readonly update: WriteExchange<UpdateRequest>;
    readonly patch: WriteExchange<PatchRequest>;
    readonly delete: WriteExchange<DeleteRequest>;
  };
  readonly loaded: {
    readonly update: Loaded<UpdateRequest>;
    readonly patch: Loaded<PatchRequest>;
    readonly delete: Loaded<DeleteRequest>;
  };
  readonly planned: {
    readonly create: Creation;
    readonly update: Change<UpdateRequest>;
    readonly patch: Change<PatchRequest>;
    readonly delete: Change<DeleteRequest>;
  };
  readonly stored: {
    readonly create: Stored<Creation>;
    readonly read: Stored<Exchange<ReadRequest>>;
    readonly update: Stored<Change<UpdateRequest>>;
    readonly patch: Stored<Change<PatchRequest>>;
    readonly delete: Stored<Change<DeleteRequest>>;
  };
}

interface DeclareStep<Stage> {
  <M extends keyof Stage>(step: Step<Stage[NoInfer<M>]>, ...columns: readonly M[]): void;
  <M extends keyof Stage, A extends Stage[M]>(
    step: GuardedStep<Stage[NoInfer<M>], A>,
    ...columns: readonly M[]
  ): void;
}
type DeclareSteps = { readonly [S in keyof Stages]: DeclareStep<Stages[S]> };
type Method = LifecycleRequest['method'];

/** Collects a matrix of steps and columns into one ordered list per request kind. */
export function pipeline(declare: (steps: DeclareSteps) => void): (exchange: Exchange) => Promise<void> {
  const lists: Record<Method, Step<Exchange>[]> = { create: [], read: [], update: [], patch: [], delete: [] };
  // Each exchange runs through its list from the top, and so comes to a step at the stage that the step is declared for.
  const step = (step: Step<never>, ...columns: readonly Method[]) => {
    for (const column of columns) lists[column].push(step as Step<Exchange>);
  };
  declare({ asked: step, loaded: step, planned: step, stored: step });
  return async (exchange) => {
    const { rehearsed, unitOfWork } = exchange.context;
    const traced =
      rehearsed === true && unitOfWork !== null ? stepTracer(exchange, unitOfWork.trace) : undefined;
    const breathe = breathing();
    for (const step of lists[exchange.request.method]) {
      if (exchange.isUnchanged && step.always !== true) continue;
      if (step.applies?.(exchange) === false) continue;
      // Most steps have nothing to wait for.
      const pending = traced === undefined ? step(exchange) : traced(step, () => step(exchange));
      if (pending !== undefined) await pending;
      // Each step takes long where lists are long, and others get their turn between the steps.
      const pause = breathe();
      if (pause !== undefined) await pause;
    }
  };
}
