import type { Shown } from './fields.ts';
import { type Attribute, type ResourceType, writtenLists } from './resource-type.ts';
import type { Selection } from './selection.ts';

/** What is read of a resource on its way through a change. */
interface ShownOnTheWay {
  /** What a PUT needs to see, which is about all that is not hidden. */
  readonly isHeld: Shown;
  /** What a PATCH needs to see. */
  readonly isWritable: Shown;
  /** What is seen of something about to be written, without references: to read them would send it before it is complete. */
  readonly toWrite: Shown;
}

export function shownFor(type: ResourceType, selection: Selection): ShownOnTheWay {
  const known = onTheWay.get(selection);
  if (known !== undefined) return known;
  const { shows, showsPart } = selection;
  const isComplete = answersWhole(type);
  const needing = (isNeeded: Shown['shows']): Shown => ({
    shows: (one) => isNeeded(one) || (isComplete && shows(one)),
    showsPart: (one, name) => isComplete && showsPart(one, name),
  });
  const isHeld = ({ binding, returned }: Attribute) =>
    returned !== 'never' && !(binding.kind === 'reference' && binding.isArray);
  const shown = {
    isHeld: needing(isHeld),
    isWritable: needing((one) => one.mutability !== 'readOnly' && isHeld(one)),
    toWrite: { shows: (one: Attribute) => one.binding.kind !== 'reference' && shows(one), showsPart },
  };
  onTheWay.set(selection, shown);
  return shown;
}

/** Most requests select nothing in particular, and what has to be read is known of them then. */
const onTheWay = new WeakMap<Selection, ShownOnTheWay>();

/** Whether all that the answer to a change shows is read before it: not where that is a list that may be long and is about to change. */
export function answersWhole(type: ResourceType): boolean {
  return writtenLists(type).length === 0;
}
