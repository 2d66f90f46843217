import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { JsonObject } from '#client/index.ts';
import { UsageError } from '../usage-error.ts';
import { agreed, DRY_RUN } from './change.ts';
import { readText, textOf } from './connection.ts';
import { ASSIGNMENTS, CONTENT_NOTES, contentOf, FILE_FLAG } from './content.ts';
import { inTables, LIST_FLAGS, showList } from './list.ts';
import { showObject } from './output.ts';
import { migrateVerb } from './process-migrate.ts';
import { replayProcess } from './process-replay.ts';
import { isRecord } from './profiles.ts';
import { showAnswer } from './report.ts';
import { commandOfVerbs } from './verb.ts';

interface Deployed {
  readonly definitions: readonly (JsonObject & {
    readonly findings?: readonly { readonly message: string }[];
  })[];
}

const INSTANCE_COLUMNS = 'processDefinitionKey,businessKey,startUserId,startTime';
const DEFINITION_COLUMNS = 'key,version,name,deploymentId';

/** `svc process …` */
export const processes = commandOfVerbs({
  name: 'process',
  summary: 'deploy processes, start, look into, migrate and cancel them',
  notes: CONTENT_NOTES,
  verbs: {
    list: {
      does: 'the instances that run; --definitions: the processes that are deployed',
      flags: {
        ...LIST_FLAGS,
        key: { value: '<key>', does: 'of one process' },
        definitions: { does: 'what is deployed, instead of what runs' },
      },
      example: 'svc process list --key accessRequest',
      run(asked) {
        const key = textOf(asked.flags, 'key');
        if (asked.flags['definitions'] === true) {
          const shown = inTables(asked, DEFINITION_COLUMNS);
          return showList(shown, 'workflow/processdefinition', undefined, key === undefined ? {} : { key });
        }
        const parameters = key === undefined ? {} : { processDefinitionKey: key };
        const shown = inTables(asked, INSTANCE_COLUMNS);
        return showList(shown, 'workflow/processinstance', undefined, parameters);
      },
    },
    deploy: {
      does: 'a process file or an archive of them',
      takes: ['<file>'],
      flags: { ...DRY_RUN },
      example: 'svc process deploy workflow/accessRequest.bpmn20.xml',
      async run({ client, flags, form }, file: string) {
        const answer = await client.resource('workflow/deployment').action<Deployed>('deploy', {
          body: { name: basename(file), ...contentOfFile(file) },
          dryRun: flags['dry-run'] === true,
        });
        showAnswer(answer, form);
      },
    },
    start: {
      does: 'an instance, with its variables',
      takes: ['<key>', ASSIGNMENTS],
      flags: {
        ...FILE_FLAG,
        ...DRY_RUN,
        'business-key': { value: '<key>', does: 'by which others know it' },
      },
      example: 'svc process start accessRequest userName=avo role=auditor',
      async run({ client, flags, form }, key: string, ...rest: string[]) {
        const variables = rest.length === 0 && flags['file'] === undefined ? {} : contentOf(flags, rest);
        if (!isRecord(variables)) throw new UsageError('variables are an object of JSON');
        const businessKey = textOf(flags, 'business-key');
        const body = { ...variables, ...(businessKey === undefined ? {} : { _businessKey: businessKey }) };
        showAnswer(await client.process(key).start(body, { dryRun: flags['dry-run'] === true }), form);
      },
    },
    show: {
      does: 'where an instance is, with its variables',
      takes: ['<id>'],
      async run({ client, form }, id: string) {
        const instance = await client
          .resource('workflow/processinstance')
          .read(id, { fields: ['*', 'processVariables'] });
        showObject(instance, form);
      },
    },
    replay: {
      does: 'what happened to an instance, step by step, also when it has ended',
      takes: ['<id>'],
      run: replayProcess,
    },
    migrate: migrateVerb,
    cancel: {
      does: 'end an instance for good; on a terminal it asks before',
      takes: ['<id>'],
      flags: { ...DRY_RUN, yes: { short: 'y', does: 'does not ask' } },
      async run({ client, flags, form }, id: string) {
        await agreed(flags, `Cancel process ${id}?`);
        const instances = client.resource('workflow/processinstance');
        showAnswer(await instances.delete(id, { dryRun: flags['dry-run'] === true }), form);
      },
    },
  },
});

function contentOfFile(file: string): { content: string; encoding?: string } {
  if (!/\.(?:bar|zip)$/i.test(file)) return { content: readText(file, 'deploy') };
  readText(file, 'deploy');
  return { content: readFileSync(file, 'base64'), encoding: 'base64' };
}
