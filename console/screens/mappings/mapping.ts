import { useQuery } from '@tanstack/react-query';
import type { JsonObject, Page, PatchOperation } from '#client/index.ts';
import { isMembers } from '../../form/members.ts';
import { client, orNone } from '../../session/client.ts';
import { listOf } from './members.ts';

/** A mapping as its file has it. */
export interface Mapping extends JsonObject {
  readonly name: string;
  readonly source: string;
  readonly target: string;
}

/** A mapping, and where it stands. */
export interface Declared {
  readonly mapping: Mapping;
  /** `sync`, or `mapping/<name>`. */
  readonly file: string;
  readonly revision: string;
  /** All of the file. */
  readonly content: JsonObject;
  /** Its place among those of `sync`; undefined of one that is a file. */
  readonly at: number | undefined;
}

/** All mappings, in the order in which a change is told to them. */
export function useMappings() {
  return useQuery({
    queryKey: ['config', 'mappings'],
    queryFn: async (): Promise<readonly Declared[]> => {
      const files = await client.send<Page<{ readonly _id: string }>>({
        method: 'GET',
        path: ['config'],
        parameters: { _queryFilter: '_id sw "mapping/"', _fields: '_id', _sortKeys: '_id' },
      });
      const all = ['sync', ...files.result.map(({ _id }) => _id)];
      return (await Promise.all(all.map(readFile))).flat();
    },
    retry: false,
  });
}

async function readFile(file: string): Promise<readonly Declared[]> {
  const found = await orNone(
    client.send<JsonObject>({ method: 'GET', path: ['config', ...file.split('/')] }),
  );
  if (found === null) return [];
  const { _id, _rev, ...content } = found;
  const common = { file, revision: String(_rev), content };
  if (file !== 'sync') return isMapping(content) ? [{ ...common, mapping: content, at: undefined }] : [];
  return listOf(content['mappings']).flatMap((mapping, at) =>
    isMapping(mapping) ? [{ ...common, mapping, at }] : [],
  );
}

function isMapping(value: unknown): value is Mapping {
  return isMembers(value) && ['name', 'source', 'target'].every((key) => typeof value[key] === 'string');
}

/** The file as it would be with this mapping in place of the one that it has. */
export function contentWith({ content, at }: Declared, mapping: JsonObject): JsonObject {
  if (at === undefined) return mapping;
  const mappings = listOf(content['mappings']).map((each, index) => (index === at ? mapping : each));
  return { ...content, mappings: [...mappings] };
}

/** As little as makes the mapping what it is to be, member by member. */
export function operationsOf(
  before: JsonObject,
  after: JsonObject,
  at: number | undefined,
): readonly PatchOperation[] {
  const place = at === undefined ? '' : `/mappings/${at}`;
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name): PatchOperation[] => {
    const field = `${place}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const value = after[name];
    if (JSON.stringify(before[name]) === JSON.stringify(value)) return [];
    if (value === undefined) return [{ operation: 'remove', field }];
    return [{ operation: before[name] === undefined ? 'add' : 'replace', field, value }];
  });
}

/** The last runs of a reconciliation, the newest first. */
export interface Run {
  readonly _id: string;
  readonly mapping: string;
  readonly mode: 'apply' | 'plan';
  readonly state: 'ACTIVE' | 'SUCCESS' | 'CANCELED' | 'FAILED';
  readonly started: string;
  readonly situationSummary?: Readonly<Record<string, number>>;
}

export function useRuns() {
  return useQuery({
    queryKey: ['config', 'runs'],
    queryFn: () =>
      client.send<Page<Run>>({
        method: 'GET',
        path: ['recon'],
        parameters: {
          _queryFilter: 'true',
          _fields: '_id,mapping,mode,state,started,situationSummary',
          _sortKeys: '-started',
          _pageSize: '200',
        },
      }),
    retry: false,
  });
}
