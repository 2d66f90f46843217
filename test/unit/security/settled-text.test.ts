import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScriptSources } from '../../../src/script/index.ts';
import { settledText } from '../../../src/security/access/settled-text.ts';
import { createProject, type TestProject } from '../../support/project.ts';

const RULES = 'var httpAccessConfig = { configs: [] };';
const SHIPPED = 'var httpAccessConfig = { configs: [1] };';

describe('the text of a file that is watched', () => {
  let project: TestProject;
  let sources: ScriptSources;
  const read = async () => (await sources.find('access.js'))?.text;
  const settled = (meanwhile: () => Promise<unknown>) => settledText(read, () => sources.forget(), meanwhile);

  beforeAll(async () => {
    project = await createProject({ 'shipped/access.js': SHIPPED, 'own/access.js': RULES });
    await mkdir(join(project.location, 'own'), { recursive: true });
    const folder = (name: string) => ({ name, directory: join(project.location, name) });
    sources = new ScriptSources([folder('shipped'), folder('own')], 60_000);
  });
  afterAll(() => project[Symbol.asyncDispose]());

  it.each<[string, () => Promise<unknown>]>([
    ['away for a moment, where one of its name is shipped', () => project.remove('own/access.js')],
    ['empty for a moment', () => project.write('own/access.js', '')],
    ['cut short for a moment', () => project.write('own/access.js', RULES.slice(0, 20))],
  ])('is none that counts while it is %s', async (_, replace) => {
    await replace();
    sources.forget();
    expect(await settled(() => project.write('own/access.js', RULES))).toBeUndefined();
    expect(await settled(async () => {})).toEqual({ text: RULES });
  });

  it('is what stands there, or that of the one that is shipped, when it stays so', async () => {
    await project.write('own/access.js', 'changed');
    sources.forget();
    expect(await settled(async () => {})).toEqual({ text: 'changed' });
    await project.remove('own/access.js');
    sources.forget();
    expect(await settled(async () => {})).toEqual({ text: SHIPPED });
  });
});
