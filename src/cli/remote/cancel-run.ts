import { EXIT } from '../command.ts';
import type { Asked } from './remote-command.ts';
import { showDone } from './report.ts';

/** Ends what goes on. @returns the exit code: a finding where it had ended already */
export async function cancelRun(asked: Asked, path: string, what: string, id: string): Promise<number> {
  const done = await asked.client.resource(path).action<{ status: string }>('cancel', { id });
  const isCancelled = done.status === 'SUCCESS';
  showDone(asked, done, isCancelled ? `${what} ${id} cancelled` : `${what} ${id} has ended already`);
  return isCancelled ? EXIT.OK : EXIT.FINDING;
}
