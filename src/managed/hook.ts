import type { Binding } from '#script/index.ts';

/** The kinds of request that run the lifecycle. */
type RequestKind = 'create' | 'read' | 'update' | 'patch' | 'delete';

/** When a hook of a type runs, what it sees of the object, and what of that goes on. */
interface Hook {
  /** The requests that run it, a list in `lifecycle.ts`; retrieval runs for whatever is answered. */
  readonly on: readonly RequestKind[];
  readonly moment: string;
  /** Variables for the object besides `request` and `resourceName`. */
  readonly sees: Readonly<Record<string, Binding>>;
  /** The variables whose changes go on. Where there are two, they are one object, which may be changed under either name. */
  readonly keeps: readonly string[];
  /** Whether `object` has the relationships that the request was about. */
  readonly hasRelationships?: true;
}

const NEW = managed('the object as it will be');
const OLD = managed('as it was stored, or null');
const NULL = { type: 'null', says: 'null' } as const;

/** Hooks of a type, in the order in which a life runs through them. */
export const HOOKS = {
  onCreate: {
    on: ['create'],
    moment: 'before a new object gets its relationships and is checked',
    sees: { object: NEW, oldObject: NULL, newObject: managed('the content of the request') },
    keeps: ['object'],
  },
  onRead: {
    on: ['read'],
    moment: 'last, for each object that is answered',
    sees: { object: managed('the object with what is calculated'), oldObject: NULL, newObject: NULL },
    keeps: ['object'],
  },
  onUpdate: {
    on: ['update', 'patch'],
    moment: 'before a changed object gets its relationships and is checked; not where nothing changes',
    sees: { object: NEW, oldObject: OLD, newObject: NEW },
    keeps: ['object', 'newObject'],
  },
  onDelete: {
    on: ['delete'],
    moment: 'before anything goes',
    sees: { object: managed('the object as it is'), oldObject: OLD, newObject: NULL },
    keeps: [],
  },
  onStore: {
    on: ['create', 'update', 'patch'],
    moment: 'right before the object is stored, when secrets are encrypted already',
    sees: { object: NEW, value: NEW, oldObject: OLD, newObject: NEW },
    keeps: ['object', 'value'],
  },
  onRetrieve: {
    on: ['read'],
    moment: 'first, for each object that is answered, before the hooks of its properties',
    sees: { object: managed('the object with its relationships'), oldObject: NULL, newObject: NULL },
    keeps: ['object'],
  },
  onValidate: {
    on: ['create', 'update', 'patch'],
    moment: 'after the policies and the hooks of properties have agreed',
    sees: { object: NEW, value: NEW, oldObject: OLD, newObject: NEW },
    keeps: ['object', 'value'],
  },
  onSync: {
    on: ['create', 'update', 'patch', 'delete'],
    moment: 'after synchronisation has been told',
    sees: {
      object: managed('the object as it is stored'),
      oldObject: OLD,
      newObject: managed('the same as object, or null'),
      syncResults: { type: 'object', says: 'what came of it' },
    },
    keeps: [],
    hasRelationships: true,
  },
  postCreate: {
    on: ['create'],
    moment: 'when all is stored, and before the commit',
    sees: { object: managed('the object as it is stored'), oldObject: NULL, newObject: managed('the same') },
    keeps: [],
    hasRelationships: true,
  },
  postUpdate: {
    on: ['update', 'patch'],
    moment: 'when all is stored, and before the commit',
    sees: {
      object: managed('the object as it is stored'),
      oldObject: OLD,
      newObject: managed('the same as object'),
    },
    keeps: [],
    hasRelationships: true,
  },
  postDelete: {
    on: ['delete'],
    moment: 'when all is gone, and before the commit',
    sees: { object: managed('as it was stored'), oldObject: managed('the same'), newObject: NULL },
    keeps: [],
  },
} as const satisfies Readonly<Record<string, Hook>>;

/** An object of the type. */
function managed<const Says extends string>(says: Says) {
  return { type: 'object', says, isManaged: true } as const;
}

export type HookName = keyof typeof HOOKS;

export const HOOK_NAMES = Object.keys(HOOKS) as readonly HookName[];

export function hookOf(name: HookName): Hook {
  return HOOKS[name];
}

/** The hooks that a kind of request runs. */
export function hooksOn(request: RequestKind): readonly HookName[] {
  return HOOK_NAMES.filter((name) => hookOf(name).on.includes(request));
}
