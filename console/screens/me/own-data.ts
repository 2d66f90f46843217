import { filter, SvcError } from '#client/index.ts';
import { client } from '../../session/client.ts';

/** Where else the server keeps something that is somebody's own, and shows it to them. */
const KEPT = {
  sessions: 'session',
  requests: 'endpoint/myrequests',
  preferences: 'preference',
  views: 'view',
  drafts: 'draft',
} as const;

/**
 * Has the browser save all that the server keeps of whoever asks, as far as it shows it to them.
 *
 * @param relationships of the own object, by name
 */
export async function saveOwnData(type: string, id: string, relationships: readonly string[]): Promise<void> {
  const account = await client.managed(type).read(id, { fields: ['*', ...relationships] });
  const kept = await Promise.all(
    Object.entries(KEPT).map(async ([name, path]) => [name, await all(path)] as const),
  );
  const data = { savedAt: new Date().toISOString(), account, ...Object.fromEntries(kept) };
  const file = new Blob([JSON.stringify(data, null, 2)], { type: 'application/json' });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = `${id}.json`;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** All pages; null of what the server does not show. */
async function all(path: string): Promise<readonly unknown[] | null> {
  const found: unknown[] = [];
  try {
    for await (const each of client.resource(path).query({ filter: filter`true` })) found.push(each);
  } catch (error) {
    if (error instanceof SvcError && (error.code === 403 || error.code === 404)) return null;
    throw error;
  }
  return found;
}
