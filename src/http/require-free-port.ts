import { createServer } from 'node:net';
import { ActivationError } from '#errors/index.ts';

/**
 * Tells that a port cannot be listened on before anything else is started: a node that cannot serve must not join the
 * others first.
 *
 * @throws ActivationError `HTTP_CANNOT_LISTEN`
 */
export async function requireFreePort(host: string, port: number): Promise<void> {
  if (port === 0) return;
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', (error) => reject(cannotListen(error, host, port)));
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}

export function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const why: Record<string, string> = {
    EADDRINUSE: `port ${port} of ${host} is in use by another program`,
    EACCES: `this user may not listen on port ${port}`,
    EADDRNOTAVAIL: `${host} is no address of this machine`,
    ENOTSUP: `threads cannot share port ${port} on this system (SVC_HTTP_THREADS)`,
  };
  const message = why[error.code ?? ''];
  if (message === undefined) return error;
  return new ActivationError([
    { id: 'HTTP_CANNOT_LISTEN', where: '', message, hint: 'set PORT (0: any that is free) or SVC_HOST' },
  ]);
}
