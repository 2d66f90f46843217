import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '../..');

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  readonly inBundle?: boolean;
}

describe('What the product is made of', () => {
  const locked = (
    JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, LockedPackage>;
    }
  ).packages;

  test('every package that is installed, programs included, stands in the lock file with its integrity', () => {
    const unknown = installedPackages('node_modules').filter(
      (path) => locked[path]?.integrity === undefined && locked[path]?.inBundle !== true,
    );
    expect(unknown).toEqual([]);
  });

  test('no package runs a script of its own at installation that was not looked at', () => {
    const withScript = Object.entries(locked)
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([path]) => path.replace(/^.*node_modules\//, ''));
    const { allowScripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(withScript.toSorted()).toEqual(Object.keys(allowScripts).toSorted());
  });

  test('images are named by their digest', () => {
    const files = ['Dockerfile', 'compose.yaml'].map((file) => readFileSync(join(root, file), 'utf8'));
    const images = files.flatMap((text) =>
      [...text.matchAll(/^(?:FROM|\s+image:)\s+(\S+)/gm)].map(([, image]) => image!),
    );
    expect(images.length).toBeGreaterThan(3);
    for (const image of images) expect(image).toMatch(/@sha256:[0-9a-f]{64}$/);
  });

  test('the server runs no program but those of its own database, no shell, and no text as code', () => {
    const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.ts'),
    );
    const holding = (pattern: RegExp) =>
      sources.filter((file) => pattern.test(readFileSync(join(root, 'src', file), 'utf8'))).toSorted();
    expect(sources.length).toBeGreaterThan(500);
    expect(
      holding(/node:child_process|node:cluster/).filter((file) => !file.startsWith('database/embedded/')),
      // The editor of whoever sits at a terminal, which no server loads; and what its operator has it run: systemd-notify, and
      // the command that prints the password of the database.
    ).toEqual(['cli/remote/run-editor.ts', 'cli/service-manager.ts', 'config/password-command.ts']);
    expect(holding(/shell: true|\bexecSync\(/)).toEqual([]);
    expect(holding(/node:vm|new Function\(/)).toEqual([]);
    // What policies of a project ask for runs in the sandbox.
    expect(holding(/(?<![.\w])eval\(/)).toEqual(['managed/policy/custom-policies.ts']);
  });

  test('what is deployed has no default password, no history, no tests and no samples in it', () => {
    const [image, compose, ignored] = ['Dockerfile', 'compose.yaml', '.dockerignore'].map((file) =>
      readFileSync(join(root, file), 'utf8'),
    );
    const samples = ['conf/endpoint-echo.json', 'conf/schedule-sample-users.json', 'script/sample-users.js'];
    expect(samples.filter((file) => !existsSync(join(root, file)))).toEqual([]);
    expect(compose).not.toMatch(/PASSWORD: |postgres:\/\/[^$\s]*:[^$\s]*@/);
    expect(compose).toContain('DATABASE_URL_FILE: /run/secrets/database-url');
    const { services } = parse(compose ?? '', { merge: true });
    for (const name of ['node', 'migrate']) {
      expect(services[name]).toMatchObject({ read_only: true, cap_drop: ['ALL'], init: true });
    }
    expect(ignored!.split('\n')).toEqual(expect.arrayContaining(['.git', '.svc', 'test', ...samples]));
    expect(image).not.toMatch(/^COPY \S*(?:test|\.git|\.) /m);
    expect(image).toMatch(/^USER 1000:1000$/m);
    expect(image).toContain('NODE_ENV=production');
  });
});

/** Paths as the lock file has them. */
function installedPackages(folder: string): string[] {
  return foldersIn(folder).flatMap((name) => {
    const names = name.startsWith('@')
      ? foldersIn(join(folder, name)).map((inner) => `${name}/${inner}`)
      : [name];
    return names.flatMap((inner) => {
      const path = `${folder}/${inner}`;
      return [path, ...installedPackages(`${path}/node_modules`)];
    });
  });
}

function foldersIn(path: string): string[] {
  try {
    return readdirSync(join(root, path), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => name);
  } catch {
    return [];
  }
}
