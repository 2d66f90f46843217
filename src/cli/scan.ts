import { withSecretFiles } from '#config/index.ts';
import { type Command, EXIT } from './command.ts';
import { formatScan, type ScanProgress } from './scan-progress.ts';
import { complain } from './typed-name.ts';

const POLL_MS = 500;

/** `svc scan run <schedule>`, `svc scan list`, `svc scan cancel <id>`: the task scanner from the outside. */
export const scan: Command = {
  name: 'scan',
  summary: 'run the scan of a schedule, watch it, cancel it',
  help: `
svc scan run <schedule>     run the scan of a schedule now
svc scan watch <id>         show how far a run is
svc scan cancel <id>        end a run between two objects
svc scan list               the runs that are remembered

  --watch             after run: stay, and show a progress bar until it has ended
  --dry-run           after run: show what it would claim, and what the script would change for the first objects
  --url <url>         a node; default http://127.0.0.1:$PORT (8080)
  --json              answers as JSON

The user is SVC_USER (svc-admin), the password SVC_PASSWORD, or SVC_ADMIN_PASSWORD; with _FILE appended, the file
that holds it. Exits 1 when the run ended with an error, was cancelled, or failed for some of its objects.

Example: SVC_PASSWORD=… svc scan run purge-inactive-users --watch
`,
  options: {
    watch: { type: 'boolean' },
    'dry-run': { type: 'boolean' },
    url: { type: 'string' },
    json: { type: 'boolean' },
  },
  arguments: ['run|watch|cancel|list', '[<schedule>|<id>]'],

  async run(flags, [verb, name]) {
    const base = `${flags['url'] ?? `http://127.0.0.1:${process.env['PORT'] ?? '8080'}`}/svc/taskscanner`;
    const json = flags['json'] === true;
    try {
      if (verb === 'list') return await list(base, json);
      if (name === undefined || verb === undefined || !(verb in VERBS)) {
        complain("svc scan: expected 'svc scan run <schedule>', 'watch <id>', 'cancel <id>' or 'list'");
        return EXIT.USAGE;
      }
      return await VERBS[verb as keyof typeof VERBS](base, name, { json, ...flags });
    } catch (error) {
      const { cause, message } = error as Error;
      complain(`svc scan: ${cause instanceof Error ? `${base}: ${cause.message}` : message}`);
      return EXIT.FINDING;
    }
  },
};

type Flags = Readonly<Record<string, string | boolean | undefined>>;

const VERBS = {
  async run(base: string, schedule: string, flags: Flags): Promise<number> {
    const name = schedule.includes('/') ? schedule : `schedule/${schedule}`;
    const dryRun = flags['dry-run'] === true ? '&_dryRun=true' : '&waitForCompletion=false';
    const answer = await ask('POST', `${base}?_action=execute&name=${encodeURIComponent(name)}${dryRun}`);
    if (flags['dry-run'] === true) {
      console.log(JSON.stringify(answer, null, 2));
      return EXIT.OK;
    }
    const { _id } = answer as { _id: string };
    if (flags['watch'] === true) return watch(base, _id, flags['json'] === true);
    console.log(
      flags['json'] === true ? JSON.stringify(answer) : `scan ${_id} started; svc scan watch ${_id}`,
    );
    return EXIT.OK;
  },
  watch: (base: string, id: string, flags: Flags) => watch(base, id, flags['json'] === true),
  async cancel(base: string, id: string): Promise<number> {
    const { status } = (await ask('POST', `${base}/${id}?_action=cancel`)) as { status: string };
    console.log(status === 'SUCCESS' ? `scan ${id} cancelled` : `scan ${id} has ended already`);
    return status === 'SUCCESS' ? EXIT.OK : EXIT.FINDING;
  },
};

async function list(base: string, json: boolean): Promise<number> {
  const { tasks } = (await ask('GET', base)) as { tasks: readonly (ScanProgress & { _id: string })[] };
  if (json) console.log(JSON.stringify(tasks, null, 2));
  else for (const run of tasks) console.log(`${run._id}  ${formatScan(run, 20)}`);
  return EXIT.OK;
}

/** On a terminal one line that is written anew, elsewhere a line whenever something has changed. */
async function watch(base: string, id: string, json: boolean): Promise<number> {
  const isTerminal = process.stdout.isTTY === true;
  for (let shown = ''; ; ) {
    const run = (await ask('GET', `${base}/${id}`)) as ScanProgress;
    const isOver = !['INITIALIZED', 'ACTIVE'].includes(run.progress.state);
    const line = formatScan(run, 30);
    if (!json && isTerminal) process.stdout.write(`\r\x1b[K${line}${isOver ? '\n' : ''}`);
    else if (!json && line !== shown) console.log(line);
    shown = line;
    if (isOver) {
      if (json) console.log(JSON.stringify(run, null, 2));
      else for (const { objectID, error } of run.errors) console.log(`  ${objectID}: ${error.message}`);
      if (!json && run.error !== null) console.log(`  ${run.error.message}`);
      return run.progress.state === 'COMPLETED' && run.progress.failures === 0 ? EXIT.OK : EXIT.FINDING;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function ask(method: string, url: string): Promise<unknown> {
  const environment = withSecretFiles(process.env);
  const password = environment['SVC_PASSWORD'] ?? environment['SVC_ADMIN_PASSWORD'] ?? '';
  const response = await fetch(url, {
    method,
    headers: {
      'X-Svc-Username': environment['SVC_USER'] ?? 'svc-admin',
      'X-Svc-Password': password,
    },
  });
  const body = (await response.json()) as { readonly message?: string; readonly detail?: { hint?: string } };
  if (response.ok) return body;
  if (response.status === 401) {
    const user = environment['SVC_USER'] ?? 'svc-admin';
    throw new Error(`401: set SVC_PASSWORD_FILE or SVC_PASSWORD to the password of user ${user}`);
  }
  const hint = body.detail?.hint === undefined ? '' : `\n  ${body.detail.hint}`;
  throw new Error(`${response.status} ${body.message ?? response.statusText}${hint}`);
}
