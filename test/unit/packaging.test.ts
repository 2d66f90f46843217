import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const systemd = spawnSync('systemd-analyze', ['--version']).error === undefined;

describe('compose.yaml', () => {
  const { services, secrets, configs } = parse(read('compose.yaml'), { merge: true });

  it('starts two nodes, which are asked whether they are ready, and a balancer that waits for that', () => {
    expect(services.node.deploy.replicas).toBe(2);
    expect(services.node.healthcheck.test).toEqual(['CMD', 'node', 'src/main.ts', 'health']);
    expect(services.balancer.depends_on).toEqual({ node: { condition: 'service_healthy' } });
    for (const name of ['postgres', 'node', 'balancer']) {
      expect(services[name].healthcheck.test[0]).toBe('CMD');
      expect(services[name].restart).toBe('unless-stopped');
    }
  });

  it('names only services, secrets and configs that it has', () => {
    const named = Object.values(services as Record<string, Parts>).flatMap((service) => [
      ...Object.keys(service.depends_on ?? {}).map((name) => name in services),
      ...(service.secrets ?? []).map((name) => name in secrets),
      ...(service.configs ?? []).map(({ source }) => source in configs),
    ]);
    expect(named.length).toBeGreaterThan(6);
    expect(named).not.toContain(false);
  });

  it('has a balancer that tries the next node, but for what changes something', () => {
    const { content } = configs.balancer;
    expect(content).toMatch(/proxy_next_upstream error timeout http_502 http_503;/);
    expect(content).not.toContain('non_idempotent');
  });

  interface Parts {
    readonly depends_on?: Readonly<Record<string, unknown>>;
    readonly secrets?: readonly string[];
    readonly configs?: readonly { readonly source: string }[];
  }
});

describe('The Postgres of CloudNativePG', () => {
  const documents = parseAllDocuments(read('deploy/kubernetes/cloudnativepg.yaml')).map((each) => {
    expect(each.errors).toEqual([]);
    return each.toJS();
  });
  const byKind = Object.fromEntries(documents.map((each) => [each.kind, each]));

  it('has three instances, of which a standby has what is acknowledged', () => {
    expect(byKind['Cluster'].spec.instances).toBe(3);
    expect(byKind['Cluster'].spec.postgresql.synchronous.number).toBe(1);
  });

  it('has a pooler and a backup of that cluster, in a mode that nodes can use', () => {
    const { name } = byKind['Cluster'].metadata;
    expect(byKind['Pooler'].spec).toMatchObject({
      cluster: { name },
      type: 'rw',
      pgbouncer: { poolMode: 'transaction' },
    });
    expect(byKind['ScheduledBackup'].spec.cluster).toEqual({ name });
    expect(byKind['ScheduledBackup'].spec.schedule.split(' ')).toHaveLength(6);
  });
});

describe('The unit of systemd', () => {
  const unit = read('deploy/systemd/svc@.service');

  it('gives a node longer to stop than it drains, and its secrets as files', () => {
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(30);
    const given = [...unit.matchAll(/(\w+)_FILE=%d\/([\w-]+)/g)].map(([, , file]) => file);
    const loaded = [...unit.matchAll(/^LoadCredential=([\w-]+):/gm)].map(([, name]) => name);
    expect(given).toEqual(['database-url', 'keys', 'admin-password']);
    expect(loaded).toEqual(given);
  });

  it.skipIf(!systemd)(
    `is understood by systemd${systemd ? '' : ', which is not installed: not checked'}`,
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'units-'));
      try {
        const here = unit.replace('/usr/bin/node', process.execPath).replace('/opt/svc', folder);
        writeFileSync(join(folder, 'svc@.service'), here);
        writeFileSync(join(folder, 'svc.target'), read('deploy/systemd/svc.target'));
        const verify = (file: string) => {
          const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], {
            encoding: 'utf8',
            env: { ...process.env, SYSTEMD_UNIT_PATH: `${folder}:` },
          });
          return `${stdout}${stderr}`
            .split('\n')
            .filter((line) => line.includes(folder) || /svc[@.]/.test(line));
        };
        expect(verify(join(folder, 'svc@one.service'))).toEqual([]);
        writeFileSync(join(folder, 'svc@.service'), here.replace('TimeoutStopSec', 'TimeoutStopSek'));
        expect(verify(join(folder, 'svc@one.service')).join()).toContain('TimeoutStopSek');
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );
});
