import { execFile } from 'node:child_process';

const LONGEST_MS = 5_000;

/**
 * Tells systemd how far this node is, where that has started it (`Type=notify`); by its own program, because Node has no datagram
 * sockets of the machine. Whatever becomes of the message, the node goes on.
 */
export function tellServiceManager(state: 'READY' | 'STOPPING'): Promise<void> {
  if ((process.env['NOTIFY_SOCKET'] ?? '') === '') return Promise.resolve();
  return new Promise((resolve) => {
    execFile('systemd-notify', [`${state}=1`], { timeout: LONGEST_MS }, () => resolve());
  });
}
