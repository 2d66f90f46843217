import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PROGRAM_ENVIRONMENT } from './program-environment.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Runs a command of this program at a terminal, which `script` of util-linux makes. @returns all that the terminal is sent */
export async function atTerminal(command: string, environment: Record<string, string>): Promise<string> {
  const program = `'${process.execPath}' src/main.ts ${command}`;
  // It ends as the command does, which may well be with a finding.
  const { stdout } = await promisify(execFile)('script', ['--quiet', '--command', program, '/dev/null'], {
    cwd: ROOT,
    env: { ...PROGRAM_ENVIRONMENT, ...environment },
  });
  return stdout;
}
