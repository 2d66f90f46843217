import { openCrypto } from '#crypto/index.ts';
import { type Database, openDatabase } from '#database/index.ts';
import { ManagedTypes } from '#managed/index.ts';
import { ProcessImport } from '#workflow/index.ts';
import { openHouse } from '../../src/cli/import/houses/open-house.ts';
import { runImport } from '../../src/cli/import/repository/run-import.ts';
import { listProcesses } from '../../src/cli/import/repository/store-repository.ts';
import { verifyImport } from '../../src/cli/import/repository/verify-import.ts';
import { shippedAuthentication } from './authentication-config.ts';
import { COMMON_RING } from './key-ring.ts';

async function within<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = openDatabase({ url });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

export interface ProcessesGiven {
  /** Of the database of the other engine. */
  readonly from: string;
  readonly schema?: string;
  readonly to: string;
  readonly isApplied?: boolean;
  readonly deletes?: boolean;
  readonly zone?: string;
}

/** Brings the processes of another engine: what was told, and what has become of each. */
export async function importProcesses({
  from,
  to,
  isApplied = true,
  deletes = false,
  ...more
}: ProcessesGiven) {
  const ring = JSON.parse(COMMON_RING);
  const crypto = openCrypto({ keyRing: ring });
  const types = new ManagedTypes();
  const given = { place: from, password: undefined, schema: more.schema, user: undefined, type: undefined };
  await using source = await openHouse(
    { ...given, zone: more.zone, audit: undefined },
    { types, crypto, projectLocation: '/' },
  );
  return await within(to, async (database) => {
    const only = new Set(['process'] as const);
    const how = { isApplied, deletes, isQuick: false, only, role: 'svc-authorized', keepDays: 365 };
    const authentication = shippedAuthentication();
    const options = { source, database, types, crypto, ring, authentication, ...how };
    const { kinds, remarks } = await runImport(options);
    const verified = isApplied ? await verifyImport(options) : undefined;
    const known = await listProcesses(database.db, null);
    return {
      counts: kinds.find(({ about }) => about === 'workflow/processinstance'),
      definitions: kinds.find(({ about }) => about === 'workflow/processdefinition'),
      remarks,
      differing: verified?.remarks ?? [],
      /** Its id here. */
      rootOf: (foreignId: string) => known.find((one) => one.foreignId === foreignId)?.rootId ?? '',
    };
  });
}

/** As `svc import finish` does. */
export function releaseImported(url: string): Promise<void> {
  return within(url, async (database) => {
    const processes = new ProcessImport(database, '');
    for (const { rootId, isSuspended } of await listProcesses(database.db, null)) {
      if (!isSuspended) await processes.release(rootId);
    }
    await processes.releaseDefinitions();
  });
}
