import { stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { type Command, EXIT } from './command.ts';
import { copyProject } from './import/copy-project.ts';
import { finishImport, importStatus, undoImport } from './import/end-import.ts';
import { importRepository, repositoryOptions, verifyRepository } from './import/import-repository.ts';
import { type PlannedFile, planProject } from './import/plan-project.ts';
import { takeKeys } from './import/take-keys.ts';
import { projectHelp, settingsOptions } from './settings-flags.ts';
import { tell, toldHelp, toldOptions } from './told.ts';
import { complain } from './typed-name.ts';

/** `svc import`: the project folder, the keys and the repository of another server of the field. */
export const importCommand: Command = {
  name: 'import',
  summary: 'bring an OpenIDM or Wren:IDM installation along',
  help: `
svc import check <folder>                 what of the project would come, what cannot, and why; writes nothing
svc import project <folder> --to <folder> the same, and copies it; a file that the target has otherwise is kept. With --password-file its
                                          keystore comes, too, into the keys.json of the new project
svc import keys <keystore> --password-file <file>
                                          the AES keys of a keystore (JCEKS, PKCS #12) into keys.json, under their aliases
svc import repository <database>          what of its repository would come, by kind, and what cannot and why; writes nothing
svc import rest https://<host>/openidm    the same over its REST interface: for OrientDB, or a database that cannot be reached
svc import keycloak <file>|<folder>       the same of a realm that Keycloak has exported, with users: hashes, groups, roles
svc import ldif|csv <file>                the same of people and groups of a directory, or of a table of objects
svc import verify <what was named before> compare each object there with what is here
svc import status                         what has come of a repository
svc import finish                         the end of it: schedules fire from now on
svc import undo                           take away what has come and was not changed here since

  --to <folder>     the project folder to be; with check: the one to compare with
${toldHelp}

  --password-file   the file that holds the password of the keystore, or of the database
  --apply           after repository: write it, with ids and revisions, and without hooks or policies
  --delete          take away here what has come and is gone there
  --follow          with --apply: go on with what changes there, and take away what goes, until Ctrl-C
  --every <s>       with --follow: how often; 5
  --only <kinds>    of internal, managed, relationship, repo, link, schedule, process, audit, with commas
  --schema <name>   of Postgres; openidm
  --audit <since>   what was recorded there since a day, or all: read only here, at /audit/imported
  --zone <name>     in which a process engine writes times, such as Europe/Prague; UTC
  --user <name>     with rest: an administrator there; openidm-admin
  --type <name>     with csv: the managed type; user

<database> is postgres://user@host/name or mysql://user@host/name, also for MariaDB. A repository is read in pages, and each is
one transaction: broken off, it goes on where it was; a second time only what is new comes. What was changed here since stays.

Keys of a new alias stand behind a new one, which encrypts; a key itself is never shown. Start the nodes again afterwards.

Copied are conf, script, workflow and what else belongs to the project, as they are; conf/boot/boot.properties is told which
names the project goes by (docs/moving-in.md). A second time nothing is to do. Exits 1 when something cannot come, or
differs. Then look with 'svc config-check --project <folder>'.

${projectHelp('SVC_KEYS', 'DATABASE_URL')}

Example: svc import project /opt/openidm --to /etc/svc
`,
  options: {
    ...settingsOptions,
    ...toldOptions,
    ...repositoryOptions,
    to: { type: 'string' },
    'password-file': { type: 'string' },
  },
  arguments: [
    'check|project|keys|repository|rest|keycloak|ldif|csv|verify|status|finish|undo',
    '[<folder>|<keystore>|<database>|<address>|<file>]',
  ],

  async run(flags, [verb, folder, ...more]) {
    const own = folder === undefined ? ENDS[verb ?? ''] : undefined;
    if (own !== undefined) return own(flags);
    const ofDatabase = DATABASES[verb ?? ''];
    if (ofDatabase !== undefined && folder !== undefined && more.length === 0)
      return ofDatabase(flags, folder);
    if (verb === 'keys' && folder !== undefined && more.length === 0) return takeKeys(flags, folder);
    const to = typeof flags['to'] === 'string' ? resolve(flags['to']) : undefined;
    const isKnown = verb === 'check' || (verb === 'project' && to !== undefined);
    if (!isKnown || folder === undefined || more.length > 0) {
      complain(
        "svc import: expected 'check <folder>', 'project <folder> --to <folder>', 'keys <keystore> --password-file <file>', 'repository <database>', 'rest <address>', 'keycloak|ldif|csv <file>', 'verify <any of these>', 'status', 'finish' or 'undo'",
      );
      return EXIT.USAGE;
    }
    const source = resolve(folder);
    const isProject = await stat(join(source, 'conf')).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (!isProject) {
      complain(`svc import: '${folder}' has no folder 'conf', so it is no project`);
      return EXIT.USAGE;
    }
    if (to !== undefined && !isApart(source, to)) {
      complain('svc import: the one folder lies in the other, or is it; name another target');
      return EXIT.USAGE;
    }
    const plan = await planProject(source, to);
    if (verb === 'project' && to !== undefined) await copyProject(plan, to);
    const { files } = plan;
    const count = (fate: PlannedFile['fate']) => files.filter((file) => file.fate === fate).length;
    const counts = {
      copied: count('copy'),
      unchanged: count('unchanged'),
      differs: count('differs'),
      left: count('left'),
    };
    tell(flags, { isWritten: verb === 'project', ...counts, files }, () => inLines(files, counts, verb));
    const isWhole = counts.differs + counts.left === 0;
    const keystore = to === undefined || verb !== 'project' ? undefined : await keystoreOf(source, flags);
    const keys = keystore === undefined ? EXIT.OK : await takeKeys({ ...flags, project: to }, keystore);
    return isWhole ? keys : Math.max(keys, EXIT.FINDING);
  },
};

const KEYSTORES = ['security/keystore.jceks', 'security/keystore.p12'];

/** Where a password is given, the keystore of the installation comes along. */
async function keystoreOf(source: string, flags: Parameters<Command['run']>[0]): Promise<string | undefined> {
  if (flags['password-file'] === undefined) return undefined;
  for (const path of KEYSTORES) {
    const isThere = await stat(join(source, path)).then(
      (found) => found.isFile(),
      () => false,
    );
    if (isThere) return join(source, path);
  }
  return undefined;
}

const DATABASES: Readonly<Record<string, typeof importRepository>> = {
  repository: importRepository,
  rest: importRepository,
  keycloak: importRepository,
  ldif: importRepository,
  csv: importRepository,
  verify: verifyRepository,
};
const ENDS: Readonly<Record<string, (flags: Parameters<Command['run']>[0]) => Promise<number>>> = {
  status: importStatus,
  finish: finishImport,
  undo: undoImport,
};

function isApart(one: string, other: string): boolean {
  const isBelow = (path: string) => path === '' || !path.startsWith('..');
  return !isBelow(relative(one, other)) && !isBelow(relative(other, one));
}

function inLines(files: readonly PlannedFile[], counts: Record<string, number>, verb: string): string {
  const noticed = files.flatMap(({ path, fate, notices }) =>
    notices.map(
      (notice) => `${fate === 'copy' || fate === 'unchanged' ? 'noticed' : fate}  ${path}: ${notice}`,
    ),
  );
  const { copied, unchanged, differs, left } = counts;
  const done = verb === 'project' ? 'copied' : 'to be copied';
  return [
    ...noticed,
    `${copied} files ${done}, ${unchanged} there already, ${differs} differ, ${left} left`,
  ].join('\n');
}
