import { type Environment, overlayFlags, readSettings, type Settings } from '#config/index.ts';
import { openKeyRing } from '#crypto/index.ts';
import { didYouMean } from '#errors/index.ts';
import { AUDIT_TOPICS, AuditKeys, type TrailHead, type TrailRange } from '#security/index.ts';
import { parseInstant } from '#time/index.ts';
import { printRole } from './audit-role.ts';
import { exportAudit, type TrailTask, verifyDatabase, verifyExport } from './audit-trail.ts';
import { type Command, EXIT } from './command.ts';
import { projectHelp, settingsOptions } from './settings-flags.ts';
import { isTold, toldOptions } from './told.ts';
import { complain } from './typed-name.ts';
import { UsageError } from './usage-error.ts';

const VERBS = ['verify', 'export', 'role'];

/** `svc audit verify|export|role`: whether the audit trail is as the server wrote it, and how to take it elsewhere. */
export const audit: Command = {
  name: 'audit',
  summary: 'verify the audit trail, export it, keep it from its writers',
  help: `
svc audit verify             calculate anew all signatures and chains; exits 1 when something does not fit
svc audit verify --file <f>  the same for an export, without a database
svc audit export             entries and their seals as lines of JSON
svc audit role               SQL after which nodes can write entries, and change or delete none
svc audit list|tree          ask a node, and have a help of their own: svc audit list --help

  --from <time>       what was sealed since then, such as 2026-11-21 or 2026-11-21T02:00:00Z
  --to <time>         what was sealed before then
  --topic <topic>     of an export: ${AUDIT_TOPICS.join(', ')}; others are in it by their signatures alone
  --head <n:text>     of verify: the head that an earlier one has told; finds that the end was cut off
  -o, --output <form> of verify and role: table, json or yaml; default: lines for people. --json is -o json
  --owner <role>      of role: who will own the trail; default: svc_audit_owner
  --service <role>    of role: as whom nodes connect; default: svc
  --undo              of role: SQL that gives the trail back to the service, as before a migration

Needs the key ring that the nodes have, and those keys before it under which something that is kept was signed.

${projectHelp('DATABASE_URL', 'SVC_KEYS')}

Example: svc audit verify --from 2026-11-21
`,
  options: {
    ...settingsOptions,
    ...Object.fromEntries(
      ['from', 'to', 'topic', 'head', 'file', 'owner', 'service'].map((name) => [name, { type: 'string' }]),
    ),
    ...toldOptions,
    undo: { type: 'boolean' },
  },
  arguments: ['verify|export|role'],

  async run(flags, [verb]) {
    if (verb === undefined || !VERBS.includes(verb)) {
      complain(`svc audit: expected 'svc audit verify', 'svc audit export' or 'svc audit role'`);
      return EXIT.USAGE;
    }
    if (verb === 'role') return printRole(flags);
    const wrong = mistakeIn(flags);
    if (wrong !== undefined) {
      complain(`svc audit: ${wrong}`);
      return EXIT.USAGE;
    }
    const settings = readSettings(process.env, flags);
    const keys = await auditKeys(settings, overlayFlags(process.env, flags));
    if (keys === undefined) return EXIT.FINDING;
    const task: TrailTask = { settings, keys, range: rangeOf(flags), flags };
    if (verb === 'export') {
      if (isTold(flags) === 'yaml') throw new UsageError('an export is lines of JSON, and nothing else');
      return exportAudit(
        task,
        AUDIT_TOPICS.find((topic) => topic === flags['topic']),
      );
    }
    const { file } = flags;
    return typeof file === 'string' ? verifyExport(task, file) : verifyDatabase(task, headOf(flags['head']));
  },
};

type Flags = Readonly<Record<string, string | boolean | undefined>>;

function mistakeIn(flags: Flags): string | undefined {
  for (const name of ['from', 'to']) {
    const time = flags[name];
    if (typeof time === 'string' && Number.isNaN(parseInstant(time)))
      return `--${name} '${time}' is no time such as 2026-11-21T02:00:00Z`;
  }
  const { topic, head } = flags;
  if (typeof topic === 'string' && !AUDIT_TOPICS.some((name) => name === topic)) {
    return `there is no topic '${topic}'. ${didYouMean(topic, AUDIT_TOPICS) ?? `Topics are ${AUDIT_TOPICS.join(', ')}`}`;
  }
  if (head !== undefined && headOf(head) === undefined)
    return `--head '${head}' is no head, as 'svc audit verify' tells it`;
  return undefined;
}

function rangeOf(flags: Flags): TrailRange {
  const at = (name: 'from' | 'to') => {
    const time = flags[name];
    return typeof time === 'string' ? { [name]: new Date(time).toISOString() } : {};
  };
  return { ...at('from'), ...at('to') };
}

function headOf(given: string | boolean | undefined): TrailHead | undefined {
  const match = typeof given === 'string' ? /^(\d+):(\S+)$/.exec(given) : null;
  return match === null ? undefined : { number: Number(match[1]), signature: match[2]! };
}

async function auditKeys(settings: Settings, environment: Environment): Promise<AuditKeys | undefined> {
  const ring = await openKeyRing({
    variable: environment['SVC_KEYS'],
    dataDirectory: settings.dataDirectory,
  });
  if (ring.madeFile === undefined && ring.missing === undefined) return new AuditKeys(ring.text);
  complain(`svc audit: there was no key ring in ${ring.place}: give it the SVC_KEYS of the nodes`);
  return undefined;
}
