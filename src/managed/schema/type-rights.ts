import {
  type Context,
  formatPath,
  queryOfAll,
  type Request,
  type RequestMethod,
  type ResourcePath,
} from '#resource/index.ts';
import type { Resources } from '../managed-platform.ts';
import type { ManagedType } from '../managed-type.ts';
import { objectActionNames } from '../object-actions.ts';

/** What a caller may ask of the objects of a type. */
export interface TypeRights {
  /** What it may ask of any object. */
  readonly may: readonly RequestMethod[];
  readonly actions: readonly string[];
  /** The caller's own object, where it is one of them. */
  readonly own: OwnRights | undefined;
}

interface OwnRights {
  readonly path: string;
  readonly may: readonly RequestMethod[];
  readonly actions: readonly string[];
}

/** Stands for whichever object: no object of somebody has this id. */
const ANY = '*';

/** The access rules are asked about each kind of request, as they would be if it were made. */
export async function rightsTo(
  resources: Pick<Resources, 'mayAsk'>,
  context: Context,
  type: ManagedType,
): Promise<TypeRights> {
  const grantedOf = async (requests: readonly Request[]) => {
    const answers = await Promise.all(requests.map((request) => resources.mayAsk(context, request)));
    return requests.filter((_, index) => answers[index]);
  };
  const any = await grantedOf([...collectionRequests(type), ...objectRequests(type, ANY)]);
  const { component, id } = context.security.authorization;
  if (component !== `managed/${type.name}`) return { ...split(any), own: undefined };
  const granted = split(await grantedOf(objectRequests(type, id)));
  const own = { path: formatPath(['managed', type.name, id]), ...granted };
  return { ...split(any), own: own.may.length + own.actions.length === 0 ? undefined : own };
}

/** What would be asked about a type, whoever asks. */
export function requestsFor(type: ManagedType): readonly Request[] {
  return [...collectionRequests(type), ...objectRequests(type, ANY)];
}

/** Whether the caller works with objects of the type, or sees only what belongs to its own. */
export function seesWhole({ may }: TypeRights): boolean {
  return may.some((method) => method !== 'delete');
}

export function seesAnything(rights: TypeRights): boolean {
  return seesWhole(rights) || rights.own !== undefined;
}

const PLAIN = { fields: [], parameters: {} } as const;

function collectionRequests({ name }: ManagedType): readonly Request[] {
  const collection = formatPath(['managed', name]);
  const path = ['managed', name];
  return [queryOfAll(collection), { method: 'create', ...PLAIN, path, newResourceId: null, content: {} }];
}

/** A patch without operations stands for one of what the caller may change. */
function objectRequests(type: ManagedType, id: string): readonly Request[] {
  const path: ResourcePath = ['managed', type.name, id];
  return [
    { method: 'read', ...PLAIN, path },
    { method: 'patch', ...PLAIN, path, revision: null, operations: [] },
    { method: 'delete', ...PLAIN, path, revision: null },
    ...objectActionNames(type).map(
      (action) =>
        ({ method: 'action', ...PLAIN, path, action, content: action === 'patch' ? [] : null }) as const,
    ),
  ];
}

function split(granted: readonly Request[]) {
  return {
    may: granted.filter(({ method }) => method !== 'action').map(({ method }) => method),
    actions: granted.flatMap((request) => (request.method === 'action' ? [request.action] : [])),
  };
}
