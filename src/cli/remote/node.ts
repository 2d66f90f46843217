import { DRY_RUN } from './change.ts';
import { ListWriter } from './output.ts';
import { isRecord } from './profiles.ts';
import { showAnswer } from './report.ts';
import { commandOfVerbs, type Verb } from './verb.ts';

interface Cluster {
  readonly results: readonly { readonly instanceId: string }[];
}

const COLUMNS = ['state', 'ready', 'roles', 'version', 'startup'];

const acting = (action: 'drain' | 'resume', does: string): Verb => ({
  does,
  takes: ['<node>'],
  flags: DRY_RUN,
  example: `svc node ${action} node-a`,
  run: async ({ client, flags, form }, id: string) =>
    showAnswer(
      await client.resource('cluster').action(action, { id, dryRun: flags['dry-run'] === true }),
      form,
    ),
});

/** `svc node list|drain|resume` */
export const node = commandOfVerbs({
  name: 'node',
  summary: 'list the nodes, take one out of work, put it in again',
  verbs: {
    list: {
      does: 'the nodes, and how they are',
      example: 'svc node list -o table',
      async run({ client, form }) {
        const { results } = await client.send<Cluster>({
          method: 'GET',
          path: ['cluster'],
          parameters: { _fields: '*' },
        });
        new ListWriter(form, form === 'table' ? COLUMNS : undefined).show(
          results.map((each) => ({ _id: each.instanceId, ...(isRecord(each) ? each : {}) })),
        );
      },
    },
    drain: acting('drain', 'it claims no more work and is not ready; what it has it finishes'),
    resume: acting('resume', 'it works again'),
  },
});
