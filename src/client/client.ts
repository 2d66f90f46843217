import { type Heard, type Listening, listen } from './events.ts';
import { type Answer, type JsonObject, Objects, parametersOf } from './objects.ts';
import { type Call, Transport, type TransportOptions } from './transport.ts';

export type ClientOptions = TransportOptions;

/** Without types of its own, a client takes each name for a type. */
export interface UnknownTypes {
  readonly [type: string]: JsonObject;
}

interface Rehearsal {
  readonly dryRun?: boolean;
}

/** Without types of its own, a client starts processes with anything. */
export interface UnknownProcesses {
  readonly [key: string]: object;
}

/**
 * `T` has the managed types by their names, `P` what processes are started with by their keys; `svc client types` writes
 * both.
 */
export interface Client<T extends object = UnknownTypes, P extends object = UnknownProcesses> {
  managed<K extends string & keyof T>(type: K): Objects<T[K] & object>;
  readonly scheduler: Schedules;
  /** A configuration by its name, such as `managed`; `config('schedule')` has all those of a kind. */
  config(factory?: string): Objects;
  process<K extends string & keyof P>(
    key: K,
  ): {
    /** @returns the instance */
    start<const O extends Rehearsal>(variables?: P[K] & object, options?: O): Promise<Answer<JsonObject, O>>;
  };
  readonly tasks: Objects;
  /** What has no words of its own here, such as `scheduler/firing`. */
  resource<R extends object = JsonObject>(path: string): Objects<R>;
  /**
   * What happens, as it happens, by its name alone: `schedule`, `task`, `object:user`, …. It connects again when it is cut
   * off; what it cannot be told any more it says with an event `gap`.
   */
  events(topics: readonly string[], options?: Listening): AsyncIterable<Heard>;
  /** What has no words of its own here at all. */
  send<R = unknown>(call: Call): Promise<R>;
  /** Tells who asks, and with which rights. */
  whoAmI(): Promise<JsonObject>;
}

export interface Schedules {
  readonly jobs: Objects;
  job(id: string): {
    read(): Promise<JsonObject>;
    /** Runs it now, on any node. @returns its firing */
    trigger<const O extends Rehearsal>(options?: O): Promise<Answer<JsonObject, O>>;
    pause(): Promise<JsonObject>;
    resume(): Promise<JsonObject>;
  };
}

/** @throws TypeError for a URL that is none */
export function createClient<T extends object = UnknownTypes, P extends object = UnknownProcesses>(
  options: ClientOptions,
): Client<T, P> {
  const transport = new Transport(options);
  const at = <R extends object = JsonObject>(...path: readonly string[]) => new Objects<R>(transport, path);
  const jobs = at('scheduler', 'job');
  return {
    managed: (type) => at('managed', type),
    config: (factory) => (factory === undefined ? at('config') : at('config', factory)),
    resource: (path) => at(...path.split('/')),
    tasks: at('workflow', 'taskinstance'),
    process: (key) => ({
      start: (variables, options) =>
        at('workflow', 'processinstance').create({ ...variables, _key: key }, options),
    }),
    scheduler: {
      jobs,
      job: (id) => ({
        read: () => jobs.read(id),
        trigger: (options) =>
          transport.send({
            method: 'POST',
            path: ['scheduler', 'job', id],
            parameters: { ...parametersOf(options), _action: 'trigger' },
          }),
        pause: () => jobs.action('pause', { id }),
        resume: () => jobs.action('resume', { id }),
      }),
    },
    events: (topics, options) => listen(transport, topics, options),
    send: (call) => transport.send(call),
    whoAmI: () => transport.send({ method: 'GET', path: ['info', 'login'] }),
  };
}
