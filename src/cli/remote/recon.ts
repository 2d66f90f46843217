import { EXIT } from '../command.ts';
import { cancelRun } from './cancel-run.ts';
import { textOf } from './connection.ts';
import { FILTER_FLAG, LIST_FLAGS, showList } from './list.ts';
import { isTable, ListWriter, say, showObject } from './output.ts';
import type { Asked } from './remote-command.ts';
import { showAnswer } from './report.ts';
import { commandOfVerbs, type Flag } from './verb.ts';

interface Started {
  readonly _id: string;
  readonly state: string;
}

interface Run {
  readonly state: string;
  readonly stageDescription: string;
  readonly estimate: string;
  readonly entrySummary: Readonly<Record<string, number>>;
}

interface Report {
  readonly summary: Run;
  readonly actions: readonly {
    readonly phase: string;
    readonly situation: string | null;
    readonly action: string | null;
    readonly state: string;
    readonly entries: number;
  }[];
  readonly attributes: readonly {
    readonly attribute: string;
    readonly action: string;
    readonly entries: number;
  }[];
  readonly refusal: { readonly message: string } | null;
}

const POLL_MS = 500;
const IDS: Readonly<Record<string, Flag>> = {
  ids: { value: '<id,…>', does: 'only these sources' },
};
const WATCH: Readonly<Record<string, Flag>> = {
  watch: { short: 'w', does: 'stay until it has ended, and report' },
};

/** `svc recon …`: both sides of a mapping are compared. */
export const recon = commandOfVerbs({
  name: 'recon',
  summary: 'compare both sides of a mapping, look at what would happen, have it done',
  notes:
    'A plan ends with 1 when the threshold of the mapping would hold it, a run that is watched when it failed.',
  verbs: {
    plan: {
      does: 'find out what would happen, and report it; nothing else is changed',
      takes: ['<mapping>'],
      flags: IDS,
      example: 'svc recon plan user_account',
      async run(asked, mapping: string) {
        const { _id } = await start(asked, mapping, 'plan');
        await ended(asked, _id);
        if (isTable(asked.form)) say(`svc recon approve ${_id}`);
        return report(asked, _id);
      },
    },
    run: {
      does: 'have done what the policies of the mapping say',
      takes: ['<mapping>'],
      flags: { ...IDS, ...WATCH },
      example: 'svc recon run user_account --watch',
      async run(asked, mapping: string) {
        const started = await start(asked, mapping, 'apply');
        if (asked.flags['watch'] !== true) return showAnswer(started, asked.form);
        await ended(asked, started._id);
        return report(asked, started._id);
      },
    },
    approve: {
      does: 'have done what is planned, or held',
      takes: ['<id>'],
      flags: { except: { value: '<n,…>', does: 'but for these entries, by their numbers' }, ...WATCH },
      async run(asked, id: string) {
        const except = textOf(asked.flags, 'except');
        const parameters = except === undefined ? {} : { except };
        const answer = await asked.client.resource('recon').action('approve', { id, parameters });
        if (asked.flags['watch'] !== true) return showAnswer(answer, asked.form);
        await ended(asked, id);
        return report(asked, id);
      },
    },
    cancel: {
      does: 'end one between two entries',
      takes: ['<id>'],
      run: (asked, id: string) => cancelRun(asked, 'recon', 'recon', id),
    },
    report: {
      does: 'what one has found, and what has come of it',
      takes: ['<id>'],
      run: (asked, id: string) => report(asked, id),
    },
    list: {
      does: 'those that are remembered',
      flags: { ...FILTER_FLAG, ...LIST_FLAGS },
      run: (asked) =>
        showList(
          { ...asked, flags: { fields: 'mapping,mode,state,started,ended', ...asked.flags } },
          'recon',
          textOf(asked.flags, 'filter'),
        ),
    },
  },
});

function start({ client, flags }: Asked, mapping: string, mode: 'plan' | 'apply'): Promise<Started> {
  const ids = textOf(flags, 'ids');
  const parameters = { mapping, mode, ...(ids === undefined ? {} : { ids }) };
  return client.resource('recon').action<Started>(ids === undefined ? 'recon' : 'reconById', { parameters });
}

async function ended({ client }: Asked, id: string): Promise<void> {
  const runs = client.resource<Run>('recon');
  while ((await runs.read(id)).state === 'ACTIVE')
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

async function report({ client, form }: Asked, id: string): Promise<number> {
  const told = await client.resource<Report>(`recon/${id}`).read('report');
  const { summary, actions, attributes, refusal } = told;
  if (isTable(form)) {
    say(summary.stageDescription);
    new ListWriter(form, ['situation', 'action', 'state', 'entries']).show(
      actions.map((one, n) => ({ _id: `${n + 1}`, ...one })),
    );
    new ListWriter(form, ['action', 'entries']).show(
      attributes.map(({ attribute, ...one }) => ({ _id: attribute, ...one })),
    );
    if (refusal !== null) say(refusal.message);
  } else showObject(told, form);
  const isWell = refusal === null && summary.state !== 'FAILED' && summary.entrySummary['failed'] === 0;
  return isWell ? EXIT.OK : EXIT.FINDING;
}
