/**
 * What the values need of the dispatcher, which is built on them: calls and properties of anything by name.
 * The dispatcher fills it in while it loads.
 */
export interface Dispatcher {
  invoke(receiver: unknown, name: string, args: unknown[]): unknown;
  property(receiver: unknown, name: string): unknown;
  setProperty(receiver: unknown, name: string, value: unknown): void;
  /** Whether a call of the method would find one. */
  responds(receiver: unknown, name: string, count: number): boolean;
}

export const dispatcher: Dispatcher = {
  invoke: notReady,
  property: notReady,
  setProperty: notReady,
  responds: notReady,
};

function notReady(): never {
  throw new Error('The dispatcher is not loaded');
}

/** A part of the library as the host hands it in. */
export interface LibraryPart {
  readonly name: string;
  readonly source: string;
}

/** A text of Groovy that the host has compiled, or what is wrong with it. */
export type CompiledByHost =
  | { readonly problem: string }
  | {
      readonly problem?: undefined;
      readonly javascript: string;
      readonly parts: readonly LibraryPart[];
    };

/** What the host answers, by what it is asked; nobody relies on its other answers. */
export interface HostAnswers {
  'groovy.library': readonly LibraryPart[];
  'groovy.template': CompiledByHost;
  'groovy.config': CompiledByHost;
  /** Offsets of a zone in a year: from when, and how many milliseconds east of UTC. */
  'groovy.zone': readonly (readonly [from: number, offset: number])[];
}

export type AskHost = <Operation extends string>(
  operation: Operation,
  ...args: readonly unknown[]
) => Operation extends keyof HostAnswers ? HostAnswers[Operation] : unknown;

/** What a run needs of the outside. */
export interface Outside {
  host: AskHost;
  print(text: string): void;
  /** Loads what has the name and was not mentioned by the script; whether there was anything. */
  loads(name: string): boolean;
  /** Adds parts of the library; whether one of them was not here yet. */
  take(parts: readonly LibraryPart[]): boolean;
}

export const outside: Outside = {
  host: () => {
    throw new Error('There is no host');
  },
  print: () => {},
  loads: () => false,
  take: () => false,
};
