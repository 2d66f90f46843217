import { describe, expect, it } from 'vitest';
import { addChecks } from '#app/checks.ts';
import { ConfigStore } from '#config/index.ts';
import type { Observation } from '#observability/index.ts';
import { Mappings } from '#sync/mappings.ts';
import { temporaryProject } from '../config/temporary-project.ts';

const one = (name: string, more: object = {}) => ({
  name,
  source: 'managed/a',
  target: 'managed/b',
  ...more,
});
const managed = JSON.stringify({ objects: ['a', 'b', 'c'].map((name) => ({ name })) });
const filesOf = (sync: readonly object[], files: readonly { readonly name: string }[] = []) => ({
  'conf/managed.json': managed,
  'conf/sync.json': JSON.stringify({ mappings: sync }),
  ...Object.fromEntries(files.map((file) => [`conf/mapping-${file.name}.json`, JSON.stringify(file)])),
});

describe('the mappings in force', () => {
  it('leave out one that cannot be, tell why, and go on with the others', async () => {
    const files = filesOf([one('first'), one('bad', { links: 'nothing' }), one('last')], [one('file')]);
    await using project = await temporaryProject(files);
    const told: Observation[] = [];
    const config = await ConfigStore.open(project.options);
    const mappings = new Mappings(config);
    mappings.tellTo((said) => told.push(said));
    expect(mappings.active.map(({ name }) => name)).toEqual(['first', 'last', 'file']);
    expect([...mappings.leftOut]).toEqual([['bad', expect.stringContaining('there is no such mapping')]]);
    expect(told).toEqual([
      { kind: 'config.warned', message: expect.stringContaining("the mapping 'bad' is left out") },
    ]);
  });

  it('follow a file that another one borrows from, and have the borrower back when it fits again', async () => {
    await using project = await temporaryProject(
      filesOf([one('plain')], [one('borrower', { links: 'owner' }), one('owner')]),
    );
    const config = await ConfigStore.open(project.options);
    addChecks(config, project.settings.projectLocation);
    const mappings = new Mappings(config);
    const told: Observation[] = [];
    mappings.tellTo((said) => told.push(said));
    const names = () => mappings.active.map(({ name }) => name).toSorted();
    expect(names()).toEqual(['borrower', 'owner', 'plain']);
    await project.write({ 'conf/mapping-owner.json': JSON.stringify(one('owner', { source: 'managed/c' })) });
    await config.reload();
    expect(names()).toEqual(['owner', 'plain']);
    expect(told).toMatchObject([
      { message: expect.stringContaining('that is about managed/c and managed/b') },
    ]);
    await project.remove('conf/mapping-owner.json');
    await config.reload();
    expect(names()).toEqual(['plain']);
    await project.write({ 'conf/mapping-owner.json': JSON.stringify(one('owner')) });
    await config.reload();
    expect(names()).toEqual(['borrower', 'owner', 'plain']);
  });

  it('are there at a start at which sync.json borrows from a file that is gone', async () => {
    await using project = await temporaryProject(filesOf([one('plain'), one('borrower', { links: 'gone' })]));
    const config = await ConfigStore.open(project.options);
    addChecks(config, project.settings.projectLocation);
    expect((await config.checkAll()).map(({ id }) => id)).not.toContain('sync');
    expect(new Mappings(config).active.map(({ name }) => name)).toEqual(['plain']);
    expect(JSON.stringify(project.reports)).toContain('SYNC_BAD_LINKS');
  });

  it('reach a set that is written with slashes around it, and none below an object', async () => {
    const slashed = { source: '/managed/a', target: '/repo/x/' };
    await using project = await temporaryProject(
      filesOf([
        one('slashed', slashed),
        one('deep', { source: 'managed/a/b' }),
        one('deeper', { target: '/managed/a/b' }),
      ]),
    );
    const mappings = new Mappings(await ConfigStore.open(project.options));
    expect(mappings.active).toMatchObject([{ name: 'slashed', source: 'managed/a', target: 'repo/x' }]);
    expect(mappings.from('managed/a')).toHaveLength(1);
    expect(mappings.names).toEqual(['slashed', 'deep', 'deeper']);
  });
});

describe('a change of mappings', () => {
  it('is refused where it would break one of another file, whichever of the two files it is', async () => {
    await using project = await temporaryProject(
      filesOf(
        [one('owner'), one('debtor', { links: 'lender' })],
        [one('lender'), one('borrower', { links: 'owner' })],
      ),
    );
    const config = await ConfigStore.open(project.options);
    addChecks(config, project.settings.projectLocation);
    const check = async (id: string, content: object) =>
      (await config.check(id, JSON.stringify(content))).findings.map(({ id: what, message }) => [
        what,
        message,
      ]);
    const breaks = (name: string) => [
      ['SYNC_BREAKS_MAPPING', expect.stringContaining(`the mapping '${name}' of another file`)],
    ];
    const debtor = one('debtor', { links: 'lender' });
    const moved = { source: 'managed/c' };
    expect(await check('sync', { mappings: [one('owner', moved), debtor] })).toEqual(breaks('borrower'));
    expect(await check('sync', { mappings: [debtor] })).toEqual(breaks('borrower'));
    expect(await check('sync', { mappings: [one('owner', { displayName: 'x' }), debtor] })).toEqual([]);
    expect(await check('mapping/lender', one('lender', moved))).toEqual(breaks('debtor'));
    expect(await check('mapping/lender', one('lender', { enableSync: false }))).toEqual([]);
    expect(config.removals.ask('mapping/lender')).toMatchObject([{ id: 'SYNC_BREAKS_MAPPING' }]);
    expect(config.removals.ask('mapping/borrower')).toEqual([]);
  });
});
