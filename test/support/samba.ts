import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A domain controller of its own, by Samba. */
export interface Samba extends AsyncDisposable {
  readonly host: string;
  readonly suffix: string;
  readonly principal: string;
  readonly password: string;
  /** The certificate of who vouches for it, PEM, in a file. */
  readonly caFile: string;
  /** Puts entries there without a network. */
  add(ldif: string): Promise<void>;
  /** Takes away all below a place. */
  empty(place: string): Promise<void>;
}

const wanted = process.env['SVC_TEST_SAMBA'] !== undefined;
const isRoot = process.getuid?.() === 0;
const isThere = existsSync('/usr/sbin/samba') && existsSync('/usr/bin/samba-tool');

/** It listens at 389 and 636 and runs as root, so that it is for a command of its own: `npm run test:samba`. */
export const HAS_SAMBA = wanted && isRoot && isThere;
if (wanted && !HAS_SAMBA) {
  const words = isRoot
    ? 'Samba is not installed (apt-get install samba samba-ad-dc samba-ad-provision samba-dsdb-modules)'
    : 'A domain controller runs as root only';
  if (process.env['CI'] !== undefined) throw new Error(words);
  console.warn(`${words}, so that no Active Directory is asked`);
}

/** What its own tools do one by one is done at once: LDIF that is read from the standard input, or the children of a place. */
const PROGRAM = `
import sys, ldb
from samba.auth import system_session
from samba.param import LoadParm
from samba.samdb import SamDB
does, config, where = sys.argv[1:4]
parameters = LoadParm(); parameters.load(config)
directory = SamDB(url=parameters.private_path('sam.ldb'), session_info=system_session(), lp=parameters)
directory.transaction_start()
if does == 'add': directory.add_ldif(sys.stdin.read())
else:
    for entry in directory.search(where, scope=ldb.SCOPE_ONELEVEL, attrs=[]): directory.delete(entry.dn)
directory.transaction_commit()
`;

const HOST = 'dc1.ad.example.com';
const PASSWORD = 'Directory-Words-1';

export async function startSamba(): Promise<Samba> {
  await using scope = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'svc-samba-'));
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  await run('samba-tool', [
    'domain',
    'provision',
    '--realm=AD.EXAMPLE.COM',
    '--domain=AD',
    '--server-role=dc',
    '--dns-backend=NONE',
    `--adminpass=${PASSWORD}`,
    `--targetdir=${folder}`,
    '--host-name=dc1',
    '--host-ip=127.0.0.1',
    `--option=posix:eadb=${folder}/eadb.tdb`,
    '--option=interfaces=lo',
    '--option=bind interfaces only=yes',
    '--option=server services=ldap',
    '--option=ldb:nosync=true',
    '--option=vfs objects = acl_xattr xattr_tdb',
  ]);
  const file = join(folder, 'etc/smb.conf');
  const server = spawn('/usr/sbin/samba', ['-F', '--no-process-group', '-s', file], {
    stdio: 'ignore',
    detached: true,
  });
  const ended = once(server, 'exit');
  scope.defer(async () => {
    if (server.pid !== undefined) process.kill(-server.pid, 'SIGTERM');
    await ended;
  });
  const caFile = join(folder, 'private/tls/ca.pem');
  await Promise.race([reachable(caFile), ended.then(() => Promise.reject(new Error('samba ended')))]);
  const work = (does: 'add' | 'empty', place: string, ldif = '') => {
    const child = spawn('/usr/bin/python3', ['-c', PROGRAM, does, file, place], {
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    const said: string[] = [];
    child.stderr.on('data', (text) => said.push(String(text)));
    child.stdin.end(ldif);
    return once(child, 'close').then(([status]) => {
      if (status !== 0) throw new Error(said.join(''));
    });
  };
  const opened = scope.move();
  return {
    host: HOST,
    suffix: 'dc=ad,dc=example,dc=com',
    principal: 'administrator@ad.example.com',
    password: PASSWORD,
    caFile,
    add: (ldif) => work('add', '', ldif),
    empty: (place) => work('empty', place),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Its certificate is made at the first start. */
async function reachable(caFile: string): Promise<void> {
  for (;;) {
    const socket = connect(636, '127.0.0.1');
    const isUp = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    socket.destroy();
    if (isUp && existsSync(caFile) && readFileSync(caFile, 'utf8').includes('END CERTIFICATE')) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
