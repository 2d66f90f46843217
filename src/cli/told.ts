import type { Command } from './command.ts';
import { printable } from './printable.ts';
import { readForm } from './remote/output.ts';
import { yamlText } from './remote/yaml-text.ts';

type Flags = Parameters<Command['run']>[0];

/** How a command that asks no node tells its outcome. */
export const toldOptions: Command['options'] = {
  output: { type: 'string', short: 'o' },
  json: { type: 'boolean' },
};

export const toldHelp =
  '  -o, --output <form> table, json or yaml; default: lines for people. --json is -o json';

/** @throws UsageError for a form that there is not */
export function isTold(flags: Flags): 'lines' | 'json' | 'yaml' {
  const form = flags['json'] === true ? 'json' : flags['output'];
  if (typeof form !== 'string') return 'lines';
  const read = readForm(form);
  return read === 'json' || read === 'yaml' ? read : 'lines';
}

/** Tells an outcome in the form that was asked for. @param lines for people */
export function tell(flags: Flags, outcome: object, lines: () => string): void {
  const form = isTold(flags);
  const text =
    form === 'json' ? JSON.stringify(outcome, null, 2) : form === 'yaml' ? yamlText(outcome) : lines();
  if (text !== '') console.log(printable(text));
}
