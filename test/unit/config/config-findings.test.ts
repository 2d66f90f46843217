import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkConfig } from '#config/check-config.ts';
import { ConfigStore } from '#config/index.ts';
import { ActivationError, formatFinding } from '#errors/index.ts';
import { temporaryProject } from './temporary-project.ts';

const GOLDEN = join(import.meta.dirname, 'golden');

/** Sections `=== path`, of which the last, `findings`, holds the lines to expect. */
async function readGolden(name: string) {
  const text = await readFile(join(GOLDEN, name), 'utf8');
  const sections = Object.fromEntries(
    text
      .split(/^=== /m)
      .slice(1)
      .map((section): [string, string] => {
        const end = section.indexOf('\n');
        return [section.slice(0, end), section.slice(end + 1)];
      }),
  );
  const { findings = '', ...files } = sections;
  return { files, expected: findings.trimEnd().split('\n') };
}

describe('configurations with mistakes', async () => {
  it.each(await readdir(GOLDEN))('give exactly the findings of %s, all at once', async (name) => {
    const { files, expected } = await readGolden(name);
    await using project = await temporaryProject(files);
    const opened = ConfigStore.open(project.options);
    await expect(opened).rejects.toThrow(ActivationError);
    expect((await opened.catch((error: ActivationError) => error.message)).toString().split('\n')).toEqual(
      expected,
    );
    const checked = await checkConfig(project.settings.projectLocation, project.options);
    expect(checked.map(formatFinding)).toEqual(expected);
  });

  it('are found even in the installation, which is named by its whole path', async () => {
    await using project = await temporaryProject({}, { 'conf/cluster.json': '{"instanceID": "a"}' });
    const [finding] = await checkConfig(project.settings.projectLocation, project.options);
    expect(finding?.where).toBe(`${project.settings.installLocation}/conf/cluster.json:1:2`);
  });

  it('include a required file that nobody has', async () => {
    await using project = await temporaryProject({});
    const settings = { ...project.settings, installLocation: '/no/such/folder' };
    const findings = await checkConfig(settings.projectLocation, { environment: {}, settings });
    expect(findings.map(({ id, where }) => `${where} ${id}`)).toEqual([
      'conf/script.json:1:1 CONFIG_MISSING_FILE',
    ]);
  });

  it('include a file that is not UTF-8', async () => {
    await using project = await temporaryProject({});
    await project.write({ 'conf/policy.json': Buffer.from([0x7b, 0xff, 0x7d]) as unknown as string });
    const findings = await checkConfig(project.settings.projectLocation, project.options);
    expect(findings.map(({ id }) => id)).toEqual(['CONFIG_UNREADABLE_FILE']);
  });

  it('are a hundred at most of one text, and that there are more', async () => {
    await using project = await temporaryProject({});
    const store = await ConfigStore.open(project.options);
    const everyKind = {
      managed: { objects: Array(2_000).fill({ a: 1 }) },
      policy: { resources: Array(2_000).fill({ resource: 'x', properties: [{ name: 1 }] }) },
      cluster: Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`key${index}`, 1])),
    };
    for (const [id, content] of Object.entries(everyKind)) {
      const { findings } = await store.check(id, JSON.stringify(content, null, 2));
      expect(findings).toHaveLength(101);
      expect(findings.at(-1)?.id).toBe('CONFIG_MORE_FINDINGS');
    }
    const misspelt = Array(2_000).fill({ name: 'x', shema: {} });
    const { warnings } = await store.check('managed', JSON.stringify({ objects: misspelt }));
    expect(warnings).toHaveLength(100);
  });

  it('include an alias that leads to nothing, and not a file that is not there', async () => {
    await using project = await temporaryProject({});
    const { projectLocation } = project.settings;
    const check = async () => (await checkConfig(projectLocation, project.options)).map(formatFinding);
    expect(await check()).toEqual([]);
    await mkdir(join(projectLocation, 'conf'), { recursive: true });
    await symlink('../data/audit.json', join(projectLocation, 'conf/audit.json'));
    expect(await check()).toEqual([
      expect.stringContaining(
        "conf/audit.json:1:1  the file leads to '../data/audit.json', where nothing is",
      ),
    ]);
    await project.write({ 'data/audit.json': '{}' });
    expect(await check()).toEqual([]);
  });

  it('are told from keys that are right and change nothing, of which is warned', async () => {
    await using project = await temporaryProject({
      'conf/cluster.json':
        '{"instanceId": "a",\n "enabled": true, "instanceTimeout": "30000", "instanceCheckInOffset": 0}',
    });
    const { projectLocation } = project.settings;
    expect(await checkConfig(projectLocation, project.options)).toEqual([]);
    expect(project.reports).toMatchObject([
      {
        kind: 'config.warned',
        message: expect.stringMatching(
          /^conf\/cluster.json:2:19 {2}"instanceTimeout", "instanceCheckInOffset" have no effect: .*after 3 s/,
        ),
      },
    ]);
  });

  it('are told from what workflow.json asks for and nobody has', async () => {
    await using project = await temporaryProject({
      'conf/workflow.json':
        '{"location": "local", "tablePrefix": "ACT_", "tablePrefixIsSchema": false, "engine": {"url": "x"}}',
    });
    const { projectLocation } = project.settings;
    expect(await checkConfig(projectLocation, project.options)).toEqual([]);
    expect(project.reports).toMatchObject([
      {
        kind: 'config.warned',
        message: expect.stringMatching(
          /^conf\/workflow.json:1:\d+ {2}"tablePrefix", "engine" have no effect: .*fixed names/,
        ),
      },
      {
        kind: 'config.warned',
        message: expect.stringMatching(
          /^conf\/workflow.json:1:\d+ {2}"location" is "local": .*500.*"embedded"/s,
        ),
      },
    ]);
  });

  it('never show what stands under a password', async () => {
    await using project = await temporaryProject({
      'conf/authentication.json':
        '{"serverAuthContext":{"authModules":[{"name":"x","properties":{},"enabled":{}}]}}',
      'conf/managed.json':
        '{"objects":[{"name":"u","schema":{"properties":{"password":{"userEditable":"hunter2"}}}}]}',
    });
    const findings = await checkConfig(project.settings.projectLocation, project.options);
    expect(findings).toHaveLength(2);
    expect(JSON.stringify(findings)).not.toContain('hunter2');
  });
});
