import { SETTING_FLAGS } from '#config/index.ts';
import type { Command } from './command.ts';

const FLAG_WIDTH = 24;

/** The start contract as command line options. */
export const settingsOptions: Command['options'] = Object.fromEntries(
  Object.values(SETTING_FLAGS)
    // A password on a command line can be read by every user of the machine.
    .filter((flag) => flag !== 'admin-password')
    .map((flag) => [flag, { type: 'string' }]),
);

/** Secrets are in the environment only. */
export const settingsHelp = [
  ...Object.entries(SETTING_FLAGS).map(([variable, flag]) =>
    line(flag === 'admin-password' ? '' : `--${flag}`, variable),
  ),
  line('', 'SVC_KEYS'),
].join('\n');

function line(flag: string, variable: string): string {
  return `  ${flag.padEnd(FLAG_WIDTH)}${variable}`;
}
