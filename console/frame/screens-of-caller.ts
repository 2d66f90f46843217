import { SCREENS } from '../screens.ts';
import { useGrants } from '../session/grants.ts';
import type { Screen } from './screen.ts';

const ASKS = SCREENS.flatMap(({ asks }) => asks);

/** What whoever is there may enter; undefined as long as that is not known. */
export function useScreens(): readonly Screen[] | undefined {
  const { may, areKnown } = useGrants(ASKS);
  if (!areKnown) return undefined;
  return SCREENS.filter(({ asks }) => asks.length === 0 || asks.some(may));
}
