import { describe, expect, it } from 'vitest';
import { formatConfigId, parseConfigId } from '#config/index.ts';
import { configIdOfFile } from '../../../src/config/config-id.ts';

describe('the id of a configuration', () => {
  it.each([
    ['script.json', 'script'],
    ['schedule-nightly.json', 'schedule/nightly'],
    ['endpoint-a-b.json', 'endpoint/a-b'],
    ['datasource.jdbc-default.json', 'datasource.jdbc/default'],
    ['schedule-my report.json', 'schedule/my_report'],
  ])('of the file %s is %s', (file, id) => {
    expect(formatConfigId(configIdOfFile(file)!)).toBe(id);
  });

  it.each(['-x.json', 'schedule-.json', '.json', 'x.cfg', 'script.json.bak'])(
    'is not to be had of %s',
    (file) => {
      expect(configIdOfFile(file)).toBeUndefined();
    },
  );

  it.each(['', 'a/b/c', '/a', 'a/', 'router/x'])('is refused over REST as %j', (path) => {
    expect(() => parseConfigId(path)).toThrow(expect.objectContaining({ code: 400 }));
  });
});
