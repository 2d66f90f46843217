import { describe, expect, it } from 'vitest';
import {
  type ActionRequest,
  ActionTable,
  actionResult,
  systemContext,
  type WriteContext,
} from '../../../src/resource/index.ts';

const request = (action: string, dryRun = false): ActionRequest => ({
  method: 'action',
  path: ['lamp', 'l1'],
  fields: [],
  parameters: {},
  action,
  content: null,
  dryRun,
});
// None of these actions writes.
const context = systemContext() as WriteContext;

const rows = {
  switchOn: {
    does: 'Switches the lamp on',
    runsScripts: ({ dryRun }: ActionRequest) => dryRun === true,
    run: async (_context: WriteContext, _request: ActionRequest, id: string) => actionResult({ on: id }),
  },
  blink: {
    does: 'As elsewhere',
    isDescribed: false as const,
    run: async () => actionResult('blinks'),
  },
};

describe('the actions of a resource', () => {
  const lamp = new ActionTable<[id: string]>(rows);

  it('are found by their names, and told where they are asked for', async () => {
    expect(await lamp.run(context, request('switchOn'), 'l1')).toEqual(actionResult({ on: 'l1' }));
    await expect(lamp.run(context, request('SWITCHON'), 'l1')).rejects.toThrow("Action 'SWITCHON'");
    const anyCase = new ActionTable<[id: string]>(rows, { anyCase: true });
    expect(await anyCase.run(context, request('SWITCHON'), 'l2')).toEqual(actionResult({ on: 'l2' }));
  });

  it('describe themselves, but for those that are described elsewhere', () => {
    expect(lamp.describe()).toEqual([{ name: 'switchOn', does: 'Switches the lamp on' }]);
    expect(lamp.names).toEqual(['switchOn', 'blink']);
  });

  it('say of each request whether it may run a script', () => {
    const runs = [request('switchOn'), request('switchOn', true), request('blink', true), request('none')];
    expect(runs.map((one) => lamp.runsScripts(one))).toEqual([false, true, false, false]);
  });

  it('refuse any other name with the nearest of theirs', async () => {
    await expect(lamp.run(context, request('switchon'), 'l1')).rejects.toMatchObject({
      code: 400,
      detail: { id: 'ACTION_UNKNOWN', hint: expect.stringContaining("'switchOn'") },
    });
  });

  it('refuse a name in the way of their resource, where it has one', async () => {
    const refuse = (_request: ActionRequest, names: readonly string[]) => {
      throw new Error(`one of ${names.join()}`);
    };
    const own = new ActionTable<[id: string]>(rows, { refuse });
    await expect(own.run(context, request('none'), 'l1')).rejects.toThrow('one of switchOn,blink');
  });
});
