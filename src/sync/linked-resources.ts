import { ForbiddenError, NotFoundError, toResourceError } from '#errors/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import { formatPath, nextContext, parsePath, resourceBody, type WriteContext } from '#resource/index.ts';
import { listPairs } from './linked-pair.ts';
import type { SyncPlatform } from './stage.ts';

interface Entry {
  readonly head: JsonObject;
  readonly path: string;
  readonly mappings: JsonObject[];
}

function newEntry(head: JsonObject, path: string): Entry {
  return { head, path, mappings: [] };
}

/** What is linked to an object, by whatever mapping; each is shown as its caller may read it. */
export async function linkedResources(
  platform: SyncPlatform,
  context: WriteContext,
  collection: string,
  id: string,
): Promise<JsonObject[]> {
  const db = await context.unitOfWork.db();
  const found = new Map<string, Entry>();
  for (const mapping of platform.mappings.about(collection)) {
    for (const end of ['source', 'target'] as const) {
      if (mapping[end] !== collection) continue;
      const other = end === 'source' ? 'target' : 'source';
      for (const { row, sourceId, targetId } of await listPairs(db, mapping, end, id)) {
        const path = formatPath([...parsePath(mapping[other]), other === 'target' ? targetId : sourceId]);
        const head = { resourceName: path, linkQualifier: row.qualifier, linkType: row.link_type };
        const key = JSON.stringify(head);
        const entry = found.get(key) ?? newEntry(head, path);
        entry.mappings.push({ name: mapping.name, type: other });
        found.set(key, entry);
      }
    }
  }
  const shown: JsonObject[] = [];
  for (const { head, path, mappings } of found.values()) {
    shown.push({ ...head, ...(await contentOf(platform, context, path)), mappings });
  }
  return shown;
}

async function contentOf(
  { resources }: SyncPlatform,
  context: WriteContext,
  path: string,
): Promise<Readonly<Record<'content' | 'error', JsonValue>>> {
  const read = { method: 'read', path: parsePath(path), fields: [], parameters: {} } as const;
  try {
    const answer = await resources.handle(nextContext(context), read);
    return { content: answer.kind === 'resource' ? resourceBody(answer) : null, error: null };
  } catch (error) {
    if (!(error instanceof ForbiddenError) && !(error instanceof NotFoundError)) throw error;
    const { code, reason, message } = toResourceError(error);
    return { content: null, error: { code, reason, message } };
  }
}
