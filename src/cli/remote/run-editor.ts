import { spawn } from 'node:child_process';
import { UsageError } from '../usage-error.ts';

/**
 * Has the person at the terminal edit a file, with VISUAL or EDITOR, which may have arguments.
 *
 * @throws UsageError when it cannot be started, or gives up
 */
export async function runEditor(file: string): Promise<void> {
  const editor = [process.env['VISUAL'], process.env['EDITOR']].find((each) => each?.trim()) ?? 'vi';
  const [program = '', ...given] = [...editor.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
  const code = await new Promise<number | null | Error>((resolve) => {
    const child = spawn(program, [...given, file], { stdio: 'inherit' });
    child.once('error', resolve);
    child.once('close', resolve);
  });
  if (code === 0) return;
  const why = code instanceof Error ? `cannot be started (${code.message})` : `ended with ${code}`;
  throw new UsageError(`the editor '${editor}' ${why}; EDITOR names another one`);
}
