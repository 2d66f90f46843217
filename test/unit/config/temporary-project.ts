import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ConfigReport } from '#config/config-report.ts';

/** A project and an installation folder with the given files (paths relative to each), removed on disposal. */
export async function temporaryProject(
  projectFiles: Readonly<Record<string, string>>,
  installFiles: Readonly<Record<string, string>> = {},
) {
  const root = await mkdtemp(join(tmpdir(), 'svc-config-'));
  const settings = {
    projectLocation: join(root, 'project'),
    installLocation: join(root, 'install'),
    workingLocation: root,
    nodeId: 'node-under-test',
  };
  const reports: ConfigReport[] = [];
  const write = async (location: string, files: Readonly<Record<string, string>>) => {
    await mkdir(location, { recursive: true });
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(location, path)), { recursive: true });
      await writeFile(join(location, path), text);
    }
  };
  await write(settings.projectLocation, projectFiles);
  await write(settings.installLocation, { 'conf/script.json': '{ "ECMAScript": {} }', ...installFiles });
  return {
    settings,
    reports,
    options: { settings, environment: {}, report: (report: ConfigReport) => reports.push(report) },
    write: (files: Readonly<Record<string, string>>) => write(settings.projectLocation, files),
    remove: (path: string) => rm(join(settings.projectLocation, path), { recursive: true }),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}
