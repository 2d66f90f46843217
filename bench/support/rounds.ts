/**
 * Measures contenders in turn, several times, each time another one first: what disturbs the machine for a while
 * disturbs all of them.
 *
 * @returns by contender, one result a round
 */
export async function interleave<Name extends string, Result>(
  rounds: number,
  contenders: Readonly<Record<Name, () => Promise<Result>>>,
): Promise<Record<Name, Result[]>> {
  const names = Object.keys(contenders) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Result[]>;
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(round + turn) % names.length]!;
      results[name].push(await contenders[name]());
    }
  }
  return results;
}
