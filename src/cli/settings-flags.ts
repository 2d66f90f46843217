import { SECRET_VARIABLES, SETTING_FLAGS } from '#config/index.ts';
import type { Command } from './command.ts';

const FLAG_WIDTH = 24;

/** The start contract as command line options. */
export const settingsOptions: Command['options'] = Object.fromEntries(
  Object.values(SETTING_FLAGS).map((flag) => [flag, { type: 'string' }]),
);

/** Secrets have no flag: a command line can be read by every user of the machine. */
export const settingsHelp = [
  ...Object.entries(SETTING_FLAGS).map(([variable, flag]) => line(`--${flag}`, variable)),
  ...SECRET_VARIABLES.flatMap((variable) => [line('', variable), line('', `${variable}_FILE`)]),
].join('\n');

/** Why there is no such flag, when somebody would give a secret in one. */
export function secretFlagHint(message: string): string | undefined {
  const flag = /'--([\w-]+)/.exec(message)?.[1];
  const variable = SECRET_VARIABLES.find(
    (name) => name.replace(/^SVC_/, '').toLowerCase().replaceAll('_', '-') === flag,
  );
  if (variable === undefined) return undefined;
  return `Everybody on the machine can read a command line: set ${variable}, or ${variable}_FILE to a file that holds it.`;
}

function line(flag: string, variable: string): string {
  return `  ${flag.padEnd(FLAG_WIDTH)}${variable}`;
}
