import type { SyncAction } from '#config/index.ts';

/** What an action has to work with. */
export interface Scene {
  readonly hasSource: boolean;
  /** The one target that was found, by a link or by correlation. */
  readonly hasTarget: boolean;
  readonly isLinked: boolean;
  /** Whether the mapping keeps links. */
  readonly keepsLinks: boolean;
}

/** What becomes of the link: it is made, it is led to the new target, it goes, or it stays as it is. */
export type LinkChange = 'make' | 'move' | 'remove' | 'keep';

/** What an action comes to. */
export type ActionPlan =
  | { readonly does: 'create' | 'update' | 'delete' | 'nothing'; readonly link: LinkChange }
  /** It cannot be done. */
  | { readonly does: 'refuse'; readonly because: string };

/** What an action does: a pure function, so that a table says it of every situation. */
export function planAction(action: SyncAction, scene: Scene): ActionPlan {
  const { hasSource, hasTarget, isLinked, keepsLinks } = scene;
  const made = keepsLinks && !isLinked ? 'make' : 'keep';
  switch (action) {
    case 'CREATE':
      if (!hasSource) return refuse('there is no source object to make a target of');
      if (hasTarget) return refuse('there is a target object already');
      return { does: 'create', link: isLinked ? 'move' : made };
    case 'UPDATE':
    case 'LINK':
      if (!hasSource) return refuse('there is no source object');
      if (!hasTarget) return refuse('there is no target object, or more than one');
      return { does: action === 'UPDATE' ? 'update' : 'nothing', link: made };
    case 'DELETE':
      return { does: hasTarget ? 'delete' : 'nothing', link: isLinked ? 'remove' : 'keep' };
    case 'UNLINK':
      return { does: 'nothing', link: isLinked ? 'remove' : 'keep' };
    case 'EXCEPTION':
      return refuse('the policy says so');
    default:
      return { does: 'nothing', link: 'keep' };
  }
}

/** Whether a `postAction` follows. */
export function hasPostAction(action: SyncAction): boolean {
  return action !== 'ASYNC' && action !== 'IGNORE';
}

function refuse(because: string): ActionPlan {
  return { does: 'refuse', because };
}
