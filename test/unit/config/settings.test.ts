import { describe, expect, it } from 'vitest';
import { type Environment, readSettings, takeEnvironment } from '#config/index.ts';
import type { Flags } from '#config/settings.ts';
import { ActivationError } from '#errors/index.ts';
import { temporaryProject } from './temporary-project.ts';

const machine = {
  hostName: 'box.example',
  cores: 8,
  workingLocation: '/',
  installLocation: import.meta.dirname,
  randomPart: 'r4nd0m',
};
const read = (environment: Environment, flags: Flags = {}) => readSettings(environment, flags, machine);

function findingsOf(environment: Environment, flags: Flags = {}): readonly string[] {
  try {
    read(environment, flags);
    return [];
  } catch (error) {
    if (!(error instanceof ActivationError)) throw error;
    return error.message.split('\n');
  }
}

describe('settings', () => {
  it('have a default for everything', () => {
    expect(read({})).toEqual({
      port: 8080,
      host: '127.0.0.1',
      readStalenessMs: 5000,
      databasePoolSize: 10,
      dataDirectory: `${import.meta.dirname}/.svc`,
      installLocation: import.meta.dirname,
      projectLocation: import.meta.dirname,
      workingLocation: '/',
      nodeId: 'box.example-r4nd0m',
      httpThreads: 0,
      roles: ['api', 'worker'],
      logLevel: 'info',
      publicPath: '',
      scriptThreads: 7,
      bodyLimitBytes: 1_048_576,
      answerLimitBytes: 67_108_864,
      queryTimeoutMs: 10_000,
      requestTimeoutMs: 60_000,
      requestDeadlineMs: 15_000,
      trustedProxies: [],
      allowedNetworks: [],
      onlyDestinations: undefined,
      exposedVariables: [],
      trustsTransactionId: false,
      requestsPerMinute: undefined,
      diagnostics: 'local',
      servesConsole: true,
      environmentName: undefined,
    });
  });

  it('come from the environment, with paths relative to the working folder', () => {
    const settings = read({
      PORT: '0',
      SVC_HOST: '::',
      DATABASE_URL: 'postgresql://u:p@pooler/svc',
      SVC_DATABASE_DIRECT_URL: 'postgresql://u:p@db/svc',
      SVC_DATABASE_READ_URL: 'postgresql://u:p@a,b/svc?target_session_attrs=prefer-standby',
      SVC_READ_STALENESS: '2',
      SVC_DATA_DIR: 'var/data',
      SVC_PROJECT: 'tmp',
      SVC_NODE_ID: 'b',
      SVC_ROLES: 'worker, worker',
      SVC_ADMIN_PASSWORD: 's3cret',
      SVC_LOG_LEVEL: 'WARN',
      SVC_SCRIPT_THREADS: '1',
      SVC_BODY_LIMIT: '2048',
      SVC_DATABASE_POOL: '3',
      SVC_DATABASE_PREPARE: 'false',
      SVC_REQUEST_TIMEOUT: '5',
      SVC_REQUEST_DEADLINE: '20',
      SVC_TRUSTED_PROXIES: '10.0.0.7, fd00::/8',
      SVC_PUBLIC_URL: 'https://id.example.com/iam',
      SVC_TRUST_TRANSACTION_ID: 'true',
      SVC_EGRESS_ALLOW: '127.0.0.1',
      SVC_EGRESS_ONLY: 'id.example.com, .example.org, 127.0.0.1',
      SVC_EXPOSED_ENV: 'MAIL_HOST, SITE_*',
      SVC_RATE_LIMIT: '600',
      SVC_DIAGNOSTICS: 'Admin',
      SVC_CONSOLE: 'off',
      SVC_ENVIRONMENT: 'Production',
    });
    expect(settings).toEqual({
      port: 0,
      httpThreads: 0,
      host: '::',
      databaseUrl: 'postgresql://u:p@pooler/svc',
      databaseDirectUrl: 'postgresql://u:p@db/svc',
      databaseReadUrl: 'postgresql://u:p@a,b/svc?target_session_attrs=prefer-standby',
      readStalenessMs: 2000,
      databasePoolSize: 3,
      databasePrepares: false,
      dataDirectory: '/var/data',
      installLocation: import.meta.dirname,
      projectLocation: '/tmp',
      workingLocation: '/',
      nodeId: 'b',
      roles: ['worker'],
      adminPassword: 's3cret',
      logLevel: 'warn',
      scriptThreads: 1,
      bodyLimitBytes: 2048,
      answerLimitBytes: 67_108_864,
      queryTimeoutMs: 10_000,
      requestTimeoutMs: 5_000,
      requestDeadlineMs: 20_000,
      trustedProxies: ['10.0.0.7', 'fd00::/8'],
      publicUrl: 'https://id.example.com/iam',
      publicPath: '/iam',
      allowedNetworks: ['127.0.0.1'],
      onlyDestinations: ['id.example.com', '.example.org', '127.0.0.1'],
      exposedVariables: ['MAIL_HOST', 'SITE_*'],
      trustsTransactionId: true,
      requestsPerMinute: 600,
      diagnostics: 'admin',
      servesConsole: false,
      environmentName: 'Production',
    });
  });

  it('take a flag before the environment, and neither when it is empty', () => {
    const settings = read({ PORT: '1', SVC_HOST: ' ', SVC_NODE_ID: 'env' }, { port: '2', 'node-id': '' });
    expect(settings).toMatchObject({ port: 2, host: '127.0.0.1', nodeId: 'env' });
  });

  it('leave other flags and variables to others', () => {
    expect(findingsOf({ SVC_SCHEDULER_REPO_RETRY: '3', PATH: '/bin' }, { migrate: true, json: 'x' })).toEqual(
      [],
    );
  });

  it('take secrets from files, of which findings tell the names only', async () => {
    await using project = await temporaryProject({
      url: 'postgres://u:hunter2@db/svc\n',
      password: ' s3cret\n',
      empty: '\n',
    });
    const at = (name: string) => `${project.settings.projectLocation}/${name}`;
    expect(read({ DATABASE_URL_FILE: at('url'), SVC_ADMIN_PASSWORD_FILE: at('password') })).toMatchObject({
      databaseUrl: 'postgres://u:hunter2@db/svc',
      adminPassword: 's3cret',
    });
    expect(
      findingsOf({
        DATABASE_URL_FILE: at('url'),
        DATABASE_URL: 'postgres://u:hunter3@db/svc',
        SVC_KEYS_FILE: at('nothing'),
        SVC_ADMIN_PASSWORD_FILE: at('empty'),
      }),
    ).toEqual([
      'DATABASE_URL and DATABASE_URL_FILE are both set — Leave one of them out  [SETTING_INVALID]',
      `SVC_ADMIN_PASSWORD_FILE names a file that is empty: '${at('empty')}'  [SETTING_INVALID]`,
      `SVC_KEYS_FILE names a file that cannot be read (ENOENT): '${at('nothing')}'  [SETTING_INVALID]`,
    ]);
    const wrong = findingsOf({ DATABASE_URL_FILE: at('password') });
    expect(wrong).toEqual([expect.stringMatching(/^DATABASE_URL must look like/)]);
    expect(wrong.join()).not.toContain('s3cret');
  });

  it('are taken out of the environment where they are secret, so that nothing inherits them', () => {
    const all = { DATABASE_URL: 'postgres://u:p@db/svc', SVC_KEYS: '{}', SVC_PASSWORD: 'x', PORT: '1' };
    const environment: Record<string, string> = { ...all };
    expect(takeEnvironment(environment)).toEqual(all);
    expect(environment).toEqual({ PORT: '1' });
  });

  it('give small machines two script threads', () => {
    expect(readSettings({}, {}, { ...machine, cores: 1 }).scriptThreads).toBe(2);
  });

  it('make a node id of any host name', () => {
    expect(readSettings({}, {}, { ...machine, hostName: 'žluť ký/box' }).nodeId).toBe('-lu--k--box-r4nd0m');
  });

  it('report every wrong value at once and never show a secret', () => {
    expect(
      findingsOf(
        {
          PORT: '70000',
          DATABASE_URL: 'mysql://root:hunter2@db',
          SVC_NODE_ID: 'a b',
          SVC_ROLES: 'api,wroker',
          SVC_LOG_LEVEL: 'wran',
          SVC_BODY_LIMIT: '1MB',
          SVC_TRUSTED_PROXIES: '10.0.0.0/8,10.0.0.0/33',
          SVC_EGRESS_ONLY: 'id.example.com,https://example.org',
          SVC_PUBLIC_URL: 'id.example.com:443',
          SVC_PROJECT: '/no/such/folder',
        },
        { 'script-threads': '0' },
      ),
    ).toEqual([
      'PORT must be a whole number from 0 to 65535, not "70000"  [SETTING_INVALID]',
      'DATABASE_URL must look like postgres://user:password@host:5432/database  [SETTING_INVALID]',
      'SVC_NODE_ID must be 1 to 100 letters, digits, dots, colons, dashes or underscores, not "a b"  [SETTING_INVALID]',
      `SVC_ROLES must be a list of api and worker, not "api,wroker" — Did you mean 'worker'?  [SETTING_INVALID]`,
      `SVC_LOG_LEVEL must be one of trace, debug, info, warn, error, not "wran" — Did you mean 'warn'?  [SETTING_INVALID]`,
      '--script-threads must be a whole number from 1 to 256, not "0"  [SETTING_INVALID]',
      'SVC_BODY_LIMIT must be a whole number from 1024 to 1073741824, not "1MB"  [SETTING_INVALID]',
      `SVC_TRUSTED_PROXIES must be a list of addresses and networks, not "10.0.0.0/8,10.0.0.0/33" — '10.0.0.0/33' is none of them; such as 10.0.0.7,10.1.0.0/16,fd00::/8  [SETTING_INVALID]`,
      'SVC_PUBLIC_URL must look like https://id.example.com, not "id.example.com:443"  [SETTING_INVALID]',
      `SVC_EGRESS_ONLY must be a list of hosts, domains, addresses and networks, not "id.example.com,https://example.org" — 'https://example.org' is none of them; such as id.example.com,.example.org,10.1.0.0/16  [SETTING_INVALID]`,
      'SVC_PROJECT must be an existing folder, not "/no/such/folder" — It holds conf/ and script/  [SETTING_INVALID]',
    ]);
  });

  it('have one path, that of the public URL or one of its own', () => {
    const pathOf = (environment: Record<string, string>) => read(environment).publicPath;
    expect(pathOf({})).toBe('');
    expect(pathOf({ SVC_PUBLIC_URL: 'https://id.example.com/' })).toBe('');
    expect(pathOf({ SVC_PUBLIC_URL: 'https://id.example.com/iam/' })).toBe('/iam');
    expect(pathOf({ SVC_PUBLIC_URL: 'https://id.example.com', SVC_PUBLIC_PATH: '/iam' })).toBe('/iam');
    for (const path of ['iam', '/iam/', '/', '/../iam', '/i%41m', '/i;m'])
      expect(findingsOf({ SVC_PUBLIC_PATH: path })).toEqual([
        `SVC_PUBLIC_PATH must look like /identity, not "${path}"  [SETTING_INVALID]`,
      ]);
    expect(findingsOf({ SVC_PUBLIC_URL: 'https://id.example.com/iam', SVC_PUBLIC_PATH: '/other' })).toEqual([
      `SVC_PUBLIC_PATH must be the path of SVC_PUBLIC_URL, not "/other" — SVC_PUBLIC_URL has the path '/iam'; one of them is enough  [SETTING_INVALID]`,
    ]);
  });

  it('need at least one role', () => {
    expect(findingsOf({ SVC_ROLES: ',' })).toEqual([
      'SVC_ROLES must name at least one of api and worker, not ","  [SETTING_INVALID]',
    ]);
  });
});
