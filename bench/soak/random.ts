import { seededRandom } from '../../test/support/hostile-requests.ts';

/** Random choices that are the same for the same seed. */
export interface Random {
  /** From `low` to below `high`. */
  between(low: number, high: number): number;
  chance(share: number): boolean;
  pick<T>(from: readonly T[]): T;
  shuffled<T>(from: readonly T[]): T[];
  /** A stream of its own: what is drawn there changes nothing here. */
  fork(name: string): Random;
}

export function createRandom(seed: number): Random {
  const next = seededRandom(seed);
  const random: Random = {
    between: (low, high) => low + next() * (high - low),
    chance: (share) => next() < share,
    pick(from) {
      if (from.length === 0) throw new Error('Nothing to pick from');
      return from[Math.floor(next() * from.length)]!;
    },
    shuffled(from) {
      const left = [...from];
      return from.map(() => left.splice(Math.floor(next() * left.length), 1)[0]!);
    },
    fork: (name) =>
      createRandom([...name].reduce((hash, sign) => (hash * 31 + sign.charCodeAt(0)) >>> 0, seed)),
  };
  return random;
}
