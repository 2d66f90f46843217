import { describe, expect, it } from 'vitest';
import { Agenda, type Work } from '../../../src/workflow/instance/agenda.ts';

describe('what steps of instances mean for others', () => {
  it('is done one after the other, each with all that follows from it before the next', async () => {
    const agenda = new Agenda();
    const done: string[] = [];
    const says =
      (name: string, ...more: Work[]): Work =>
      async () => {
        done.push(name);
        return more;
      };
    const handsIn = says('b');
    await agenda.take(
      says(
        'a',
        async () => {
          await agenda.take(says('b1', says('b2')));
          return handsIn().then(() => [says('b3')]);
        },
        says('c'),
      ),
    );
    expect(done).toEqual(['a', 'b', 'b1', 'b2', 'b3', 'c']);
  });

  it('takes no stack, however long the chain is', async () => {
    const agenda = new Agenda();
    let left = 100_000;
    const goOn: Work = async () => {
      if (left-- > 0) await agenda.take(goOn);
      return [];
    };
    await agenda.take(goOn);
    expect(left).toBe(-1);
  });

  it('is forgotten with the step that fails', async () => {
    const agenda = new Agenda();
    const done: string[] = [];
    const fails: Work = async () => {
      throw new Error('no');
    };
    const later: Work = async () => {
      done.push('later');
      return [];
    };
    await expect(agenda.take(async () => [fails, later])).rejects.toThrow('no');
    await agenda.take(async () => []);
    expect(done).toEqual([]);
  });
});
