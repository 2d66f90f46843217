import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { systemCodeOf } from '#errors/index.ts';

/** A process id alone is used again after a while; with its start it is unique on a machine. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque; equal for the same process only. */
  readonly startedAt: string;
}

export function thisProcess(): ProcessIdentity {
  return identify(process.pid) ?? { pid: process.pid, startedAt: '' };
}

/** Undefined when nothing runs under this id; a zombie, which waits to be buried, runs no more. */
export function identify(pid: number): ProcessIdentity | undefined {
  const startedAt = startOf(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

export function isAlive(identity: ProcessIdentity): boolean {
  return startOf(identity.pid) === identity.startedAt;
}

/** True while the id is taken, also by another user's process or by a zombie. */
export function pidExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCodeOf(error) === 'EPERM';
  }
}

/** Base name of the program, undefined when there is no such process. */
export function programOf(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
    return ps(pid, 'comm=').split('/').at(-1);
  } catch {
    return undefined;
  }
}

function startOf(pid: number): string | undefined {
  try {
    if (process.platform !== 'linux') return ps(pid, 'lstart=');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name may hold blanks and brackets; fields are counted from behind it (proc(5): 3 is the
    // state, 22 the start in ticks since the machine booted).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : `${boot}/${fields[19]}`;
  } catch {
    return undefined;
  }
}

function ps(pid: number, column: string): string {
  return execFileSync('ps', ['-o', column, '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' }).trim();
}
