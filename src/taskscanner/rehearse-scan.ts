import { toResourceError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { type Context, parsePath, type WriteContext } from '#resource/index.ts';
import type { FoundObject } from './claimable.ts';
import { findObjects } from './find-objects.ts';
import { pathOf, processObject } from './process-object.ts';
import { expandQuery, type ScanDefinition } from './scan-definition.ts';
import { connectionOf, type ScanResources, type TaskScannerPlatform } from './scan-platform.ts';

interface Tried extends JsonObject {
  readonly objectID: string;
  readonly outcome: string;
}

const SHOWN = 50;
const TRIED = 5;
/** After so long no further object is tried; whoever waits learns more from one than from none. */
const TRIED_MS = 5_000;

/**
 * What a run would do: how many objects its query finds, the first of them, and what comes of the script for the first
 * few, as far as there is time. It all happens inside the unit of work of a dry run, which knows the changes and rolls them back.
 */
export async function rehearseScan(
  platform: TaskScannerPlatform,
  context: WriteContext,
  given: ScanDefinition,
): Promise<JsonObject> {
  const definition = { ...given, query: expandQuery(given.query, platform.clock.now()) };
  const paging = { pageSize: SHOWN, offset: 0, totalPolicy: 'EXACT' } as const;
  const page = await findObjects(connectionOf(platform, context), definition, paging);
  const most = definition.maxRecords ?? Number.POSITIVE_INFINITY;
  const total = Math.min(page.total === -1 ? page.objects.length : page.total, most);
  return { ...(await rehearseObjects(platform, context, definition, page.objects.slice(0, most))), total };
}

/** What would come of the script for the first few of some objects; its words, and what they may not read, for those who may evaluate scripts. */
export async function rehearseObjects(
  platform: TaskScannerPlatform,
  context: WriteContext,
  definition: ScanDefinition,
  objects: readonly FoundObject[],
): Promise<JsonObject> {
  const tried: Tried[] = [];
  const until = performance.now() + TRIED_MS;
  for (const found of objects.slice(0, TRIED)) {
    tried.push(await tryObject(platform, context, definition, found));
    if (performance.now() > until) break;
  }
  const paths = objects.slice(0, SHOWN).map((found) => pathOf(definition, found));
  const rehearsal = { total: objects.length, objects: paths, tried };
  const { resources } = platform;
  if (await resources.maySeeScripts(context)) return rehearsal;
  const readable = new Set<string>();
  for (const path of paths) if (await mayRead(resources, context, path)) readable.add(path);
  return {
    ...rehearsal,
    objects: paths.filter((path) => readable.has(path)),
    // What a script says may be more than its caller may know.
    tried: tried
      .filter(({ objectID }) => readable.has(objectID))
      .map(({ objectID, outcome }) => ({ objectID, outcome })),
  };
}

function mayRead(resources: ScanResources, context: Context, name: string): Promise<boolean> {
  const asked = { method: 'read', path: parsePath(name), fields: [], parameters: {} } as const;
  return resources.admitRead(context, asked).then(
    () => true,
    () => false,
  );
}

async function tryObject(
  platform: TaskScannerPlatform,
  context: WriteContext,
  definition: ScanDefinition,
  found: FoundObject,
): Promise<Tried> {
  const objectID = pathOf(definition, found);
  const scan = { definition, label: `scan ${definition.object}` };
  const words = { successes: 'completed', failures: 'failed', skipped: 'skipped' } as const;
  try {
    const { verdict, error } = await context.unitOfWork.savepoint(() =>
      processObject(platform, context, scan, found),
    );
    return { objectID, outcome: words[verdict], ...(error === undefined ? {} : { error: error.message }) };
  } catch (thrown) {
    return { objectID, outcome: 'failed', error: toResourceError(thrown).message };
  }
}
