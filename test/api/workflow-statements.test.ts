import { expect, test } from 'vitest';
import { createMigratedDatabase } from '../support/migrated-database.ts';
import { createProject } from '../support/project.ts';
import { processFile } from '../support/workflow.ts';
import { openWorkflowCore, statementsOf } from '../support/workflow-core.ts';
import {
  boundary,
  caught,
  end,
  flow,
  path,
  service,
  start,
  timer,
  user,
} from '../unit/workflow/engine/bpmn.ts';

test('a step of a process goes twice to the database, and so do the steps of many timers', async () => {
  await using database = await createMigratedDatabase();
  await using project = await createProject();
  const { connection, connectionOf, claim, run } = await openWorkflowCore(database, project.location);
  const steps = processFile(
    'steps',
    start() +
      user('one', { 'flowable:candidateUsers': 'a,b', 'flowable:candidateGroups': 'c' }) +
      boundary('late', 'one', timer('PT1H')) +
      service('count', '\u0024{1 + 1}', { 'flowable:resultVariable': 'two' }) +
      end() +
      end('over') +
      path('s', 'one', 'count', 'e') +
      flow('late', 'over'),
  );
  await connection.action('workflow/deployment', 'deploy', { name: 'steps.bpmn20.xml', content: steps });
  const begin = () => connection.create('workflow/processinstance', null, { _key: 'steps', a: 1, b: [2] });
  await begin();

  let id = '';
  const starting = await statementsOf(async () => {
    id = String((await begin()).id);
  });
  expect(starting.length, starting.join('\n')).toBe(2);

  const ann = connectionOf('ann');
  await ann.create('workflow/processinstance', null, { _key: 'steps' });
  // How many she has under way is asked where the instance is stored.
  const startingHers = await statementsOf(() =>
    ann.create('workflow/processinstance', null, { _key: 'steps' }),
  );
  expect(startingHers.length, startingHers.join('\n')).toBe(2);

  const { result } = await connection.query('workflow/taskinstance', {
    queryId: 'filtered-query',
    parameters: { processInstanceId: id },
  });
  const task = String(result[0]?.id);
  const claiming = await statementsOf(() =>
    connection.action(`workflow/taskinstance/${task}`, 'claim', { userId: 'a' }),
  );
  expect(claiming.length, claiming.join('\n')).toBe(2);
  const completing = await statementsOf(() =>
    connection.action(`workflow/taskinstance/${task}`, 'complete', { c: 3 }),
  );
  expect(completing.length, completing.join('\n')).toBe(2);

  const timers = processFile(
    'timers',
    start() + caught('pause', timer('PT0S')) + user('one') + end() + path('s', 'pause', 'one', 'e'),
  );
  await connection.action('workflow/deployment', 'deploy', { name: 'timers.bpmn20.xml', content: timers });
  const started = async (count: number) => {
    for (let n = 0; n < count; n++)
      await connection.create('workflow/processinstance', null, { _key: 'timers' });
    return claim(count);
  };
  await run(await started(1));
  const single = await started(1);
  const alone = await statementsOf(() => run(single));
  expect(alone.length, alone.join('\n')).toBe(2);
  // So many go together once they have shown to be short, for which a busy machine may need some tries.
  for (let ways = 20; ways > 2; ) {
    const many = await started(20);
    const together = await statementsOf(() => run(many));
    ways = together.length;
    expect(ways, together.join('\n')).toBeLessThanOrEqual(20);
  }
});
