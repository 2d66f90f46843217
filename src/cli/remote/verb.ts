import { didYouMean } from '#errors/index.ts';
import type { Command } from '../command.ts';
import { UsageError } from '../usage-error.ts';
import { type Asked, atNode, remoteHelp, remoteOptions } from './remote-command.ts';

/** An option: a switch, unless it says what its value is. */
export interface Flag {
  readonly does: string;
  /** What the help calls the value, such as `<time>`. */
  readonly value?: string;
  readonly short?: string;
}

/** One thing that a command does: `schedule run <id>` is the verb `run` of the command `schedule`. */
export interface Verb {
  readonly does: string;
  /** `<id>` must be there, `[<id>]` may, and `k=v …` takes all that is left. Default: nothing. */
  readonly takes?: readonly string[];
  readonly flags?: Readonly<Record<string, Flag>>;
  readonly example?: string;
  /** @returns the exit code, where it is not 0 */
  run(asked: Asked, ...given: string[]): Promise<unknown>;
}

interface Verbs {
  readonly name: string;
  readonly summary: string;
  /** What one has to know of all its verbs. */
  readonly notes?: string;
  readonly verbs: Readonly<Record<string, Verb>>;
}

const WIDTH = 20;

/** A command of verbs, each of which asks a node. Help, checks and completion are read off the table. */
export function commandOfVerbs({ name, summary, notes, verbs }: Verbs): Command {
  const names = Object.keys(verbs);
  return {
    name,
    summary,
    help: helpOf(
      Object.entries(verbs).map(([verb, each]) => [`${name} ${verb}`, each]),
      notes,
    ),
    options: optionsOf(Object.values(verbs)),
    arguments: [names.join('|'), '…'],
    verbs,
    run: (flags, [verb, ...given]) =>
      atNode(name, flags, (asked) => {
        const found = verb !== undefined && Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
        if (found === undefined || verb === undefined) throw new UsageError(noSuchVerb(verb, names));
        return call(`svc ${name} ${verb}`, found, asked, given);
      }),
  };
}

/** A command that does one thing at a node. */
export function commandOf(name: string, summary: string, verb: Verb, notes?: string): Command {
  return {
    name,
    summary,
    help: helpOf([[name, verb]], notes),
    options: optionsOf([verb]),
    ...(verb.takes === undefined ? {} : { arguments: verb.takes }),
    verbs: { '': verb },
    run: (flags, given) => atNode(name, flags, (asked) => call(`svc ${name}`, verb, asked, given)),
  };
}

function call(typed: string, verb: Verb, asked: Asked, given: readonly string[]): Promise<unknown> {
  const takes = verb.takes ?? [];
  const needed = takes.filter((each) => !each.startsWith('[') && !each.endsWith('…'));
  const usage = [typed, ...takes].join(' ');
  const missing = needed[given.length];
  if (missing !== undefined) throw new UsageError(`the ${missing} is missing; expected '${usage}'`);
  const unexpected = takes.at(-1)?.includes('…') === true ? undefined : given[takes.length];
  if (unexpected !== undefined) {
    throw new UsageError(`'${unexpected}' is one argument too many; expected '${usage}'`);
  }
  for (const flag of Object.keys(asked.flags)) {
    if (flag in remoteOptions || flag in (verb.flags ?? {})) continue;
    throw new UsageError(`'${typed}' knows no --${flag}`);
  }
  return verb.run(asked, ...given);
}

function noSuchVerb(verb: string | undefined, names: readonly string[]): string {
  const all = `expected one of ${names.join(', ')}`;
  return verb === undefined ? all : `there is no '${verb}'. ${didYouMean(verb, names) ?? all}`;
}

function optionsOf(verbs: readonly Verb[]): Command['options'] {
  const own = verbs.flatMap(({ flags = {} }) => Object.entries(flags));
  const options = own.map(([name, { value, short }]) => [
    name,
    { type: value === undefined ? 'boolean' : 'string', ...(short === undefined ? {} : { short }) },
  ]);
  return { ...remoteOptions, ...Object.fromEntries(options) };
}

function helpOf(verbs: readonly (readonly [string, Verb])[], notes: string | undefined): string {
  const usages = verbs.map(([typed, { takes = [], does }]) => ({
    usage: ['svc', typed, ...takes].join(' '),
    does,
  }));
  const width = Math.min(48, Math.max(...usages.map(({ usage }) => usage.length)));
  const flags = new Map(verbs.flatMap(([, { flags: own = {} }]) => Object.entries(own)));
  const examples = verbs.flatMap(([, { example }]) => (example === undefined ? [] : [example]));
  const parts = [
    usages.map(({ usage, does }) => `${usage.padEnd(width)}  ${does}`),
    [...flags].map(([name, flag]) => flagLine(name, flag)),
    notes === undefined ? [] : [notes],
    [remoteHelp],
    examples.map((example, at) => `${at === 0 ? 'Example: ' : '         '}${example}`),
  ];
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function flagLine(name: string, { short, value, does }: Flag): string {
  const written = `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
  const gap = written.length > WIDTH - 3 ? `\n  ${' '.repeat(WIDTH)}` : ' '.repeat(WIDTH - written.length);
  return `  ${written}${gap}${does}`;
}
