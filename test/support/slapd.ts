import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, reachable } from './port.ts';

const run = promisify(execFile);

/** A directory of its own: OpenLDAP as a process of this test. */
export interface Slapd extends AsyncDisposable {
  readonly port: number;
  readonly tlsPort: number;
  readonly suffix: string;
  readonly principal: string;
  readonly password: string;
  /** Who may write all and, unlike the one above, is held to a policy for passwords; it has the same one. */
  readonly manager: string;
  /** Puts entries there without a network. */
  add(ldif: string): Promise<void>;
  /** Has its log know nothing of what has happened until now. */
  forgetChanges(): Promise<void>;
  /** The names of the entries of people that a filter finds. */
  find(filter: string): Promise<readonly string[]>;
  /** Takes away all below ou=people and ou=groups. */
  empty(): Promise<void>;
  /** Ends it at once, and has it begin anew with what it has stored. */
  restart(): Promise<void>;
}

/** Undefined where it is not installed; `CI` demands it. */
export const SLAPD = [
  process.env['SVC_TEST_SLAPD'],
  ...(process.env['PATH'] ?? '').split(delimiter),
  '/usr/sbin',
]
  .map((place) => (place?.endsWith('slapd') === true ? place : join(place ?? '', 'slapd')))
  .find((path) => path !== 'slapd' && existsSync(path));

if (SLAPD === undefined) {
  const words = 'slapd is not installed (apt-get install slapd ldap-utils), so that no directory is asked';
  if (process.env['CI'] !== undefined) throw new Error(words);
  console.warn(words);
}

const SUFFIX = 'dc=example,dc=com';
const PASSWORD = 'directory-password';
const SCHEMAS = ['core', 'cosine', 'inetorgperson', 'nis'].map(
  (name) => `include /etc/ldap/schema/${name}.schema`,
);
const LOG_DATABASE = [
  'moduleload accesslog',
  'database mdb',
  'maxsize 268435456',
  'suffix "cn=accesslog"',
  'rootdn "PRINCIPAL"',
  'directory FOLDER/log',
  'dbnosync',
  'index reqStart,entryCSN eq',
];
const LOG_OVERLAY = [
  'overlay accesslog',
  'logdb cn=accesslog',
  'logops writes',
  'logsuccess TRUE',
  'logold (objectClass=*)',
];
const MANAGER = `cn=manager,${SUFFIX}`;
const POLICY = `cn=policy,${SUFFIX}`;
const POLICY_OVERLAY = ['overlay ppolicy', `ppolicy_default "${POLICY}"`];
const MANAGED = `
dn: ${MANAGER}
objectClass: organizationalRole
objectClass: simpleSecurityObject
userPassword: ${PASSWORD}

dn: ${POLICY}
objectClass: organizationalRole
objectClass: pwdPolicy
pwdAttribute: userPassword
pwdMinLength: 10
pwdCheckQuality: 2
`;
const ROOT = `dn: ${SUFFIX}
objectClass: top
objectClass: dcObject
objectClass: organization
dc: example
o: Example

dn: ou=people,${SUFFIX}
objectClass: organizationalUnit
ou: people

dn: ou=groups,${SUFFIX}
objectClass: organizationalUnit
ou: groups
`;

/**
 * @param tls its certificate, for `localhost`
 * @param keeps a log of what is written, a policy for passwords
 */
export async function startSlapd(
  tls?: { readonly cert: string; readonly key: string },
  { log = false, policy = false }: { readonly log?: boolean; readonly policy?: boolean } = {},
): Promise<Slapd> {
  if (SLAPD === undefined) throw new Error('slapd is not installed');
  await using scope = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'svc-slapd-'));
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'data'));
  await mkdir(join(folder, 'log'));
  const [port, tlsPort] = [await freePort(), await freePort()];
  const certificates: string[] = [];
  if (tls !== undefined) {
    for (const name of ['cert', 'key'] as const) await writeFile(join(folder, `${name}.pem`), tls[name]);
    certificates.push(`TLSCertificateFile ${folder}/cert.pem`, `TLSCertificateKeyFile ${folder}/key.pem`);
  }
  const principal = `cn=admin,${SUFFIX}`;
  const lines = [
    ...SCHEMAS,
    ...certificates,
    `pidfile ${folder}/pid`,
    'modulepath /usr/lib/ldap',
    'moduleload back_mdb',
    ...(policy ? ['moduleload ppolicy'] : []),
    'sizelimit unlimited',
    ...(log
      ? LOG_DATABASE.map((line) => line.replace('FOLDER', folder).replace('PRINCIPAL', principal))
      : []),
    'database mdb',
    'maxsize 268435456',
    `suffix "${SUFFIX}"`,
    `rootdn "${principal}"`,
    `rootpw ${PASSWORD}`,
    `directory ${folder}/data`,
    'dbnosync',
    'index objectClass,uid,entryUUID,entryCSN eq',
    `access to attrs=userPassword by dn.exact="${MANAGER}" write by anonymous auth by self write by * none`,
    `access to * by dn.exact="${MANAGER}" write by users read by anonymous none`,
    ...(log ? LOG_OVERLAY : []),
    ...(policy ? POLICY_OVERLAY : []),
  ];
  const file = join(folder, 'slapd.conf');
  await writeFile(file, `${lines.join('\n')}\n`);
  const urls = [`ldap://127.0.0.1:${port}/`, ...(tls === undefined ? [] : [`ldaps://127.0.0.1:${tlsPort}/`])];
  const program = SLAPD;
  const begin = async () => {
    const server = spawn(program, ['-f', file, '-h', urls.join(' '), '-d', '0'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const said: string[] = [];
    server.stderr.on('data', (text) => said.push(String(text)));
    const ended = once(server, 'exit');
    const end = async (signal: NodeJS.Signals) => {
      server.kill(signal);
      await ended;
    };
    const failed = ended.then(() => {
      throw new Error(`slapd ended: ${said.join('')}`);
    });
    failed.catch(() => {});
    await Promise.race([reachable(port), failed]).catch(async (error: unknown) => {
      await end('SIGKILL');
      throw error;
    });
    return end;
  };
  let end = await begin();
  scope.defer(() => end('SIGTERM'));
  const login = ['-x', '-H', `ldap://127.0.0.1:${port}`, '-D', principal, '-w', PASSWORD];
  const find = async (base: string, filter: string) => {
    const { stdout } = await run(
      'ldapsearch',
      [...login, '-LLL', '-o', 'ldif-wrap=no', '-b', base, '-s', 'one', filter, '1.1'],
      { maxBuffer: 2 ** 26 },
    );
    return stdout.split('\n').flatMap((line) => {
      const [, isBase64, name] = /^dn:(:?) (.*)$/.exec(line) ?? [];
      return name === undefined ? [] : [isBase64 === ':' ? Buffer.from(name, 'base64').toString() : name];
    });
  };
  const remove = async (base: string) => {
    const names = await find(base, '(objectClass=*)');
    if (names.length === 0) return;
    const place = join(folder, 'names');
    await writeFile(place, `${names.join('\n')}\n`);
    await run('ldapdelete', [...login, '-f', place], { maxBuffer: 2 ** 26 });
  };
  const add = async (ldif: string) => {
    const place = join(folder, 'entries.ldif');
    await writeFile(place, ldif);
    await run('ldapadd', [...login, '-f', place], { maxBuffer: 2 ** 26 });
  };
  await add(policy ? `${ROOT}${MANAGED}` : ROOT);
  const opened = scope.move();
  return {
    port,
    tlsPort,
    suffix: SUFFIX,
    principal,
    password: PASSWORD,
    manager: MANAGER,
    add,
    find: (filter) => find(`ou=people,${SUFFIX}`, filter),
    async empty() {
      for (const unit of ['people', 'groups']) await remove(`ou=${unit},${SUFFIX}`);
    },
    async restart() {
      await end('SIGKILL');
      end = await begin();
    },
    forgetChanges: () => remove('cn=accesslog'),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
