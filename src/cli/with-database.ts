import type { Settings } from '#config/index.ts';
import {
  type Database,
  findEmbeddedUrl,
  isConnectionLost,
  openDatabase,
  startEmbeddedServer,
} from '#database/index.ts';
import { EXIT } from './command.ts';
import { complain } from './typed-name.ts';

/** Works with the database of a project, whether or not a node runs. */
export async function withDatabase(
  settings: Settings,
  applicationName: string,
  work: (database: Database) => Promise<number>,
): Promise<number> {
  const url = settings.databaseUrl ?? (await findEmbeddedUrl(settings.dataDirectory));
  if (url === undefined) {
    complain('There is no embedded database: start a node first, or set DATABASE_URL.');
    return EXIT.FINDING;
  }
  await using scope = new AsyncDisposableStack();
  if (settings.databaseUrl === undefined && !(await answers(url))) {
    // No node runs, perhaps because it lacks a key.
    const server = await startEmbeddedServer({ dataDir: settings.dataDirectory });
    scope.defer(() => server.stop());
  }
  const database = openDatabase({ url, poolSize: 2, applicationName });
  scope.defer(() => database.close());
  return await work(database);
}

/** The URL of the embedded database, while a node runs it. */
export async function findRunning(dataDirectory: string): Promise<string | undefined> {
  const url = await findEmbeddedUrl(dataDirectory);
  return url !== undefined && (await answers(url)) ? url : undefined;
}

async function answers(url: string): Promise<boolean> {
  const database = openDatabase({ url, poolSize: 1 });
  try {
    await database.pool.query('select');
    return true;
  } catch (error) {
    if (isConnectionLost(error)) return false;
    throw error;
  } finally {
    await database.close();
  }
}
