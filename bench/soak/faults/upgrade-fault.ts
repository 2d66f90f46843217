import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SoakNode } from '../node.ts';
import type { Fault } from './fault.ts';

const ROOT = new URL('../../../', import.meta.url).pathname;
const VERSION = '99.0.0';

/** As migrations of a version to come may be that nodes of this one need not notice. */
const MIGRATION = `-- compatible
alter table scheduler_job add column to_come text;
create table to_come (id int primary key);
comment on table to_come is 'Of a version to come';
`;

/**
 * What the guide to operations tells for an upgrade, under load: `migrate` of the new version while the old nodes work,
 * then node after node is replaced, and at last one goes back. The new version is another installation: this one with
 * another number and one more migration.
 */
export const UPGRADE_FAULT: Fault = {
  name: 'upgrade',
  what: 'a new version migrates the database and replaces nodes one after the other; one goes back',
  boundMs: 1_000,
  once: { leastMinutes: 1 },
  async strike({ nodes, databaseUrl }) {
    const since = Date.now();
    const installation = await install();
    try {
      const { stdout } = await promisify(execFile)(process.execPath, ['src/main.ts', 'migrate'], {
        cwd: installation,
        env: { ...process.env, DATABASE_URL: databaseUrl },
      });
      if (!stdout.includes('to-come')) throw new Error(`The new version migrated nothing: ${stdout}`);
      for (const node of nodes) await replace(node, installation);
      // Back, and all of them in the end: the installation goes with us.
      for (const node of nodes) await replace(node, undefined);
    } finally {
      await rm(installation, { recursive: true, force: true });
    }
    return { target: nodes.map(({ name }) => name).join(' '), since };
  },
};

async function replace(node: SoakNode, installation: string | undefined): Promise<void> {
  const ended = await node.terminate();
  if (ended !== 0) node.unexpectedEnds.push({ node: node.name, at: Date.now(), how: ended });
  node.installation = installation;
  await node.start();
}

async function install(): Promise<string> {
  const location = await mkdtemp(join(tmpdir(), 'svc-soak-new-version-'));
  const folders = ['src', 'workers', 'migrations', 'bin', 'conf', 'script', 'workflow', 'service', 'test'];
  for (const folder of folders) await cp(join(ROOT, folder), join(location, folder), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(location, 'node_modules'));
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Record<string, unknown>;
  await writeFile(join(location, 'package.json'), JSON.stringify({ ...manifest, version: VERSION }));
  const last = (await readdir(join(location, 'migrations'))).toSorted().at(-1)!;
  const number = String(Number(last.slice(0, 4)) + 1).padStart(4, '0');
  await writeFile(join(location, 'migrations', `${number}_to-come.sql`), MIGRATION);
  return location;
}
