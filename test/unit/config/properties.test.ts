import { describe, expect, it } from 'vitest';
import { overlayFlags } from '#config/index.ts';
import { parseJavaProperties } from '../../../src/config/java-properties.ts';
import { openProperties } from '../../../src/config/property-source.ts';
import { temporaryProject } from './temporary-project.ts';

const entriesOf = (text: string) => Object.fromEntries(parseJavaProperties(text).entries);

describe('a properties text', () => {
  it.each([
    [
      'takes =, : and blanks as separators',
      'a=1\nb:2\nc 3\nd\t=\t4\ne : 5',
      { a: '1', b: '2', c: '3', d: '4', e: '5' },
    ],
    ['takes only the first separator', 'a==1\nb= =2\nc\t:=3', { a: '=1', b: '=2', c: '=3' }],
    ['skips comments and blank lines', '# a=1\n  ! b=2\n\n \t\nc=3', { c: '3' }],
    ['gives a key without a value an empty one', 'a\nb=', { a: '', b: '' }],
    ['keeps trailing blanks of a value', 'a=1 ', { a: '1 ' }],
    ['reads escapes', 'a\\ b\\=c=\\u00e9\\t\\n\\\\\\z', { 'a b=c': 'é\t\n\\z' }],
    ['continues lines and drops their indentation', 'a=1,\\\n   2,\\\n\t3\nb=4', { a: '1,2,3', b: '4' }],
    ['ends a continuation at a blank line', 'a=1\\\n\nb=2', { a: '1', b: '2' }],
    ['does not continue after an escaped backslash', 'a=1\\\\\nb=2', { a: '1\\', b: '2' }],
    ['does not continue a comment', '# note \\\na=1', { a: '1' }],
    ['takes # as content inside a continuation', 'a=1\\\n#2', { a: '1#2' }],
    ['ends at the end of the text even when continued', 'a=1\\', { a: '1' }],
    ['lets the last of two equal keys win', 'a=1\na=2', { a: '2' }],
    ['knows all line ends', 'a=1\rb=2\r\nc=3', { a: '1', b: '2', c: '3' }],
  ])('%s', (_, text, expected) => {
    expect(entriesOf(text)).toEqual(expected);
  });

  it('reports malformed unicode escapes with their lines', () => {
    expect(parseJavaProperties('a=1\n\nb=\\u12\nc\\\n  =\\uxyzw').problems.map(({ line }) => line)).toEqual([
      3, 4,
    ]);
  });
});

describe('a property', () => {
  it('comes from the environment, then system, boot and config.properties, then the launcher, then the built-in values', async () => {
    await using project = await temporaryProject({
      'conf/system.properties': 'svc.a=system\nsvc.c=system\n',
      'conf/boot/boot.properties':
        'svc.a=boot\nsvc.b=boot\nsvc.c=boot\nlauncher.working.location=/elsewhere\n',
      'conf/config.properties': 'svc.b=config\nsvc.d=config\n',
    });
    const { properties } = await openProperties({
      settings: project.settings,
      environment: { SVC_A: 'environment', SVC_X_Y: 'dashed' },
    });
    expect(properties.get('svc.a')).toBe('environment');
    expect(properties.get('svc.x-y')).toBe('dashed');
    expect(properties.get('svc.b')).toBe('boot');
    expect(properties.get('svc.c')).toBe('system');
    expect(properties.get('svc.d')).toBe('config');
    expect(properties.get('launcher.working.location')).toBe('/elsewhere');
    expect(properties.get('launcher.project.location')).toBe(project.settings.projectLocation);
    expect(properties.get('launcher.install.url')).toBe(`file://${project.settings.installLocation}/`);
    expect(properties.get('svc.scheduler.execute.persistent.schedules')).toBe('true');
    expect(properties.get('svc.node.id')).toBe('node-under-test');
    expect(properties.get('svc.unheard.of')).toBeUndefined();
    expect(properties.get('constructor')).toBeUndefined();
  });

  it('falls back to the boot.properties of the installation', async () => {
    await using project = await temporaryProject({}, { 'conf/boot/boot.properties': 'svc.a=installed' });
    const { properties } = await openProperties({ settings: project.settings, environment: {} });
    expect(properties.get('svc.a')).toBe('installed');
  });

  it('is read from the place that svc.boot.file names', async () => {
    await using project = await temporaryProject({ 'conf/boot/b.properties': 'svc.a=b' });
    const environment = { SVC_BOOT_FILE: 'conf/boot/b.properties' };
    const { properties } = await openProperties({ settings: project.settings, environment });
    expect(properties.get('svc.a')).toBe('b');
  });

  it('comes from the environment only where that is meant for configuration', async () => {
    await using project = await temporaryProject({ 'conf/boot/boot.properties': 'mail.host=localhost' });
    const { properties } = await openProperties({
      settings: { ...project.settings, exposedVariables: ['SITE_*', 'DB_PASSWORD'] },
      environment: {
        MAIL_HOST: 'mail.example.com',
        AWS_REGION: 'eu-1',
        SITE_NAME: 'Acme',
        SITE_TOKEN: 'hidden',
        DB_PASSWORD: 'sesame',
        SVC_MAIL_PASSWORD: 'barley',
      },
    });
    const { ofFiles } = properties;
    expect([properties.get('mail.host'), properties.get('site.name')]).toEqual(['mail.example.com', 'Acme']);
    for (const name of ['aws.region', 'AWS_REGION', 'PATH', 'site.token']) {
      expect(ofFiles.get(name), name).toBeUndefined();
    }
    expect(ofFiles.hintFor?.('aws.region')).toBe(
      'AWS_REGION of the environment is not shown to configuration: name it in SVC_EXPOSED_ENV, or declare aws.region in conf/boot/boot.properties',
    );
    expect(ofFiles.hintFor?.('mail.port')).toBeUndefined();
    // Configuration needs secrets, scripts do not.
    expect([ofFiles.get('db.password'), ofFiles.get('svc.mail.password')]).toEqual(['sesame', 'barley']);
    expect([properties.get('db.password'), properties.get('svc.mail.password')]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('never tells the secrets of the start contract', async () => {
    await using project = await temporaryProject({});
    const environment = overlayFlags(
      { DATABASE_URL: 'postgres://u:p@db/svc', SVC_ADMIN_PASSWORD: 'x' },
      { 'node-id': 'from-flag' },
    );
    const { properties } = await openProperties({ settings: project.settings, environment });
    expect(properties.get('database.url')).toBeUndefined();
    expect(properties.get('DATABASE_URL')).toBeUndefined();
    expect(properties.get('svc.admin.password')).toBeUndefined();
    expect(properties.ofFiles.get('database.url')).toBeUndefined();
    expect(properties.ofFiles.get('svc.admin.password')).toBeUndefined();
    expect(properties.get('svc.node.id')).toBe('from-flag');
  });
});
