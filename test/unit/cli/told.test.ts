import { afterEach, describe, expect, it, vi } from 'vitest';
import { tell } from '../../../src/cli/told.ts';
import { complain } from '../../../src/cli/typed-name.ts';

const NAME = 'eve\u001b[2J\u009b1m\u202e\u061c';
const SHOWN = 'eve\\u001b[2J\\u009b1m\\u202e\\u061c';

describe('what a command tells', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it.each([{}, { output: 'json' }, { output: 'yaml' }])(
    'shows a terminal no character of a name that it would obey: %j',
    (flags) => {
      const log = vi.spyOn(console, 'log').mockImplementation(() => {});
      tell(flags, { name: NAME }, () => `Their name is ${NAME},\nand nothing else`);
      const [[said]] = log.mock.calls as [[string]];
      expect(said).toContain(SHOWN);
      expect(said).not.toContain('\u001b');
    },
  );

  it('nor in what it has against how it was called', () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => {});
    complain(`There is no user '${NAME}'`);
    expect(error).toHaveBeenCalledWith(`There is no user '${SHOWN}'`);
  });
});
