import { EXIT } from '../command.ts';
import { DRY_RUN } from './change.ts';
import { isTable, ListWriter, say } from './output.ts';
import { showAnswer } from './report.ts';
import { commandOfVerbs } from './verb.ts';

interface Delivered {
  readonly success?: boolean;
  readonly syncDetails?: readonly Record<string, unknown>[];
}

/** `svc sync …`: deliveries of a mapping, by name. */
export const sync = commandOfVerbs({
  name: 'sync',
  summary: 'have a mapping deliver one object, or all',
  notes: 'What fails ends with 1.',
  verbs: {
    once: {
      does: 'bring the targets of one source object in line, now',
      takes: ['<mapping>', '<id>'],
      flags: {
        ...DRY_RUN,
        'force-secrets': { does: 'passwords, too, of which the other system is thought to have them' },
      },
      example: 'svc sync once user_account avo --dry-run',
      async run({ client, form, flags }, mapping: string, sourceId: string) {
        const forceSecrets = flags['force-secrets'] === true ? { forceSecrets: 'true' } : {};
        const options = {
          parameters: { mapping, sourceId, ...forceSecrets },
          dryRun: flags['dry-run'] === true,
        };
        const answer = await client.resource('sync').action<Delivered>('deliver', options);
        if (!isTable(form) || answer.syncDetails === undefined) return void showAnswer(answer, form);
        const columns = ['linkQualifier', 'situation', 'action', 'targetId', 'result'];
        new ListWriter(form, columns).show(answer.syncDetails.map((one) => ({ _id: sourceId, ...one })));
        for (const { cause } of answer.syncDetails) if (cause !== undefined) say(wordsOf(cause));
        return answer.success === true ? EXIT.OK : EXIT.FINDING;
      },
    },
    all: {
      does: 'have all source objects delivered soon, and those that are gone and linked',
      takes: ['<mapping>'],
      run: async ({ client, form }, mapping: string) =>
        showAnswer(
          await client.resource('sync').action<object>('deliverAll', { parameters: { mapping } }),
          form,
        ),
    },
  },
});

function wordsOf(cause: unknown): string {
  const isNamed = typeof cause === 'object' && cause !== null && 'message' in cause;
  return isNamed ? String(cause.message) : JSON.stringify(cause);
}
