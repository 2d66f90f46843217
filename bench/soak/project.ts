import { createProject, type TestProject } from '../../test/support/project.ts';
import { processFile } from '../../test/support/workflow.ts';
import {
  caught,
  end,
  gateway,
  message,
  path,
  service,
  start,
  tag,
  timer,
  user,
} from '../../test/unit/workflow/engine/bpmn.ts';

/**
 * Leaves a mark for the planned time, in the transaction of the run, and asks for it, so that it is written now and
 * not at the commit.
 */
export const MARK = {
  type: 'text/javascript',
  source: `
    var name = context.security.authenticationId;
    var mark = { job: object.job, planned: name.substring(name.length - 24), version: object.version };
    if (object.sleepMs) mark.sleepMs = object.sleepMs;
    svc.read('managed/mark/' + svc.create('managed/mark', null, mark)._id);`,
  timeout: 60_000,
};

/** What starts a scan over the items of a batch. */
export function scanOf(batch: string, source: string) {
  return {
    numberOfThreads: 4,
    scan: {
      object: 'managed/item',
      _queryFilter: `batch eq "${batch}" and !(/task/completed pr)`,
      taskState: { started: '/task/started', completed: '/task/completed' },
    },
    task: { script: { type: 'text/javascript', source } },
  };
}

/** Processes an object of a scan: a mark, and a change of the object itself. */
export const SCAN_SCRIPT = `
  svc.create('managed/mark', null, { item: input._id });
  svc.patch(objectID, null, [{ operation: 'increment', field: '/times', value: 1 }]);
  true;`;

const markTask = (id: string, attributes = {}) =>
  tag(
    'scriptTask',
    id,
    { scriptFormat: 'javascript', ...attributes },
    `<script>svc.create('managed/mark', null, { instance: execution.processInstanceId, at: '${id}' })</script>`,
  );

/** Its mark kills whoever stores it; not to be found in what is stored of the script itself. */
export const POISON_SCRIPT = `svc.create('managed/mark', null, { poison: 'dead' + 'ly' });`;

const POISON_PROCESS = processFile(
  'poison',
  start() +
    tag(
      'scriptTask',
      'deadly',
      { scriptFormat: 'javascript', 'flowable:async': true },
      `<script>${POISON_SCRIPT}</script>`,
    ) +
    end() +
    path('s', 'deadly', 'e'),
);

/** The steps of the process that leave a mark, each once. */
export const PLACES = ['after', 'job', 'joined', 'left', 'right'];

const PROCESS = processFile(
  'soak',
  start() +
    markTask('job', { 'flowable:async': true }) +
    tag('intermediateCatchEvent', 'pause', {}, timer('PT1S')) +
    service('calm', `\${execution.setVariable('calm', true)}`) +
    gateway('parallel', 'split') +
    markTask('left', { 'flowable:async': true }) +
    caught('call', message()) +
    markTask('right') +
    gateway('parallel', 'join') +
    markTask('joined') +
    user('last') +
    markTask('after') +
    end() +
    path('s', 'job', 'pause', 'calm', 'split', 'left', 'join', 'joined', 'last', 'after', 'e') +
    path('split', 'call', 'right', 'join'),
);

/** What the nodes are configured with: types whose hooks write beside them, a schedule in memory, a process. */
export function createSoakProject(): Promise<TestProject> {
  const script = (source: string) => ({ type: 'text/javascript', source });
  return createProject({
    'conf/managed.json': {
      objects: [
        { name: 'plain' },
        { name: 'hooked', onCreate: script("svc.create('managed/echo', null, { of: object.key });") },
        { name: 'echo' },
        {
          name: 'counter',
          onUpdate: script(
            "svc.create('managed/step', null, { counter: oldObject._id, op: newObject.last });",
          ),
        },
        { name: 'step' },
        { name: 'item' },
        { name: 'mark' },
      ],
    },
    // The checker asks for each of them.
    'conf/boot/boot.properties': 'svc.taskscanner.maxcompletedruns=1000000\n',
    'conf/scheduler.json': {
      threadPool: { threadCount: 20 },
      advancedProperties: { 'org.quartz.scheduler.idleWaitTime': '500' },
    },
    'conf/schedule-local.json': {
      enabled: true,
      persisted: false,
      type: 'cron',
      schedule: '* * * * * ?',
      timeZone: 'UTC',
      invokeService: 'script',
      invokeContext: { input: { job: 'local', version: 1 }, script: MARK },
    },
    'workflow/soak.bpmn20.xml': PROCESS,
    'workflow/poison.bpmn20.xml': POISON_PROCESS,
    'service/idle.js': `export default { invokeService: 'idle', execute() {} };`,
  });
}
