import { BroadcastChannel } from 'node:worker_threads';
import { fromErrorBody, toResourceError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { Service } from '#lifecycle/index.ts';
import type { Asked, RunKey } from './run.ts';
import type { ScheduleDefinition } from './schedule.ts';

/** A schedule in memory as it is read. Times are epoch ms. */
export interface MemorySchedule {
  readonly id: string;
  readonly source: 'rest' | 'file';
  readonly generation: number;
  readonly definition: ScheduleDefinition;
  readonly trigger: JsonObject | null;
  readonly nextRunAt: number | null;
  readonly previousRunAt: number | null;
  readonly running: readonly { readonly key: string; readonly fireAt: number; readonly startedAt: number }[];
}

/** The schedules in memory of this process. They live in its main thread; other threads reach them by messages. */
export interface MemorySchedules {
  find(id: string): Promise<MemorySchedule | undefined>;
  list(): Promise<readonly MemorySchedule[]>;
  /** Creates or changes it; unless its times change, what waits keeps waiting. */
  put(id: string, definition: ScheduleDefinition, source: 'rest' | 'file'): Promise<void>;
  /** @returns whether it was there */
  remove(id: string): Promise<boolean>;
  pauseAll(paused: boolean): Promise<void>;
  /** Resuming also brings back one that was parked. */
  pause(id: string, paused: boolean): Promise<void>;
  /** Fires it now, by itself. @returns the key of the firing, undefined when there is no such schedule */
  trigger(id: string, asked: Asked): Promise<RunKey | undefined>;
}

const METHODS = ['find', 'list', 'put', 'remove', 'pauseAll', 'pause', 'trigger'] as const;
type Method = (typeof METHODS)[number];

interface Call {
  readonly call: string;
  readonly method: Method;
  readonly args: readonly unknown[];
}

interface Answer {
  readonly answer: string;
  readonly value?: unknown;
  readonly error?: { code: number; message: string; detail?: unknown };
}

/** Answers the calls of other threads. @param channel a name that only the threads of this process know */
export function serveMemorySchedules(channel: string, schedules: MemorySchedules): Service {
  let open: BroadcastChannel | undefined;
  return {
    name: 'schedules in memory',
    async start() {
      open ??= new BroadcastChannel(channel);
      const port = open;
      port.onmessage = (message) => {
        const { data } = message as { data: Call | Answer };
        if (!('call' in data) || !METHODS.includes(data.method)) return;
        const method = schedules[data.method] as (...args: readonly unknown[]) => Promise<unknown>;
        method.apply(schedules, [...data.args]).then(
          (value) => port.postMessage({ answer: data.call, value } satisfies Answer),
          (error: unknown) =>
            port.postMessage({ answer: data.call, error: toResourceError(error).toJSON() } satisfies Answer),
        );
      };
    },
    async stop() {
      open?.close();
      open = undefined;
    },
  };
}

/** The schedules in memory of the main thread, as another thread sees them. */
export function remoteMemorySchedules(channel: string): MemorySchedules {
  const waiting = new Map<string, (answer: Answer) => void>();
  const port = new BroadcastChannel(channel);
  port.unref();
  port.onmessage = (message) => {
    const { data } = message as { data: Call | Answer };
    if (!('answer' in data)) return;
    waiting.get(data.answer)?.(data);
    waiting.delete(data.answer);
  };
  let calls = 0;
  // Several threads listen on the one channel, so a call carries who made it.
  const thread = crypto.randomUUID();
  const remote = async (method: Method, args: readonly unknown[]): Promise<unknown> => {
    const call = `${thread} ${calls++}`;
    const { value, error } = await new Promise<Answer>((resolve) => {
      waiting.set(call, resolve);
      port.postMessage({ call, method, args } satisfies Call);
    });
    if (error !== undefined) throw fromErrorBody(error);
    return value;
  };
  const methods = METHODS.map((method) => [method, (...args: unknown[]) => remote(method, args)]);
  return Object.fromEntries(methods) as unknown as MemorySchedules;
}

/** Where there are none and none can be made. */
export const noMemorySchedules: MemorySchedules = {
  find: async () => undefined,
  list: async () => [],
  put: async () => {},
  remove: async () => false,
  pauseAll: async () => {},
  pause: async () => {},
  trigger: async () => undefined,
};
