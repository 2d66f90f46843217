import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { METRICS } from '#observability/catalogue/metric.ts';
import { ALARMS } from '../../../deploy/alarms.ts';
import { alertRules, dashboard, shownMetrics } from '../../../deploy/monitoring.ts';

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const metrics = shownMetrics(read('docs/reference/metrics.md'), Object.values(METRICS));
const guide = read('docs/operations.md');
const promtool = spawnSync('promtool', ['--version']).error === undefined;

/** The series of a metric by the names that expressions use. */
const series = new Set(
  metrics.flatMap(({ name, type }) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
  ),
);
const labelsOf = new Map(metrics.map(({ name, labels }) => [name, labels]));

function named(expression: string): readonly string[] {
  return expression.match(/\b(?:svc|process|nodejs)_\w+/g) ?? [];
}

describe('The alarms and the dashboard', () => {
  const shown = dashboard(metrics) as { panels: { targets: { expr: string }[] }[] };
  const expressions = [
    ...ALARMS.map(({ expression }) => expression),
    ...shown.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ];

  it('are written as the sources say; npm run docs writes them anew', () => {
    expect(parse(read('deploy/prometheus/rules.yaml'))).toEqual(alertRules());
    expect(read('deploy/helm/svc/files/rules.yaml')).toBe(read('deploy/prometheus/rules.yaml'));
    expect(JSON.parse(read('deploy/grafana/svc.json'))).toEqual(shown);
  });

  it('name only series that a node has', () => {
    expect(expressions.length).toBeGreaterThan(50);
    const foreign = expressions.filter((text) => named(text).length === 0);
    expect(foreign).toEqual(['up{job="svc"} == 0']);
    expect(expressions.flatMap(named).filter((name) => !series.has(name))).toEqual([]);
  });

  it('select only by labels that the metric has', () => {
    const unknown = expressions.flatMap((text) =>
      [...text.matchAll(/\b(svc_\w+?)(?:_bucket|_count)?\{([^}]*)\}/g)].flatMap(
        ([, name = '', matchers = '']) =>
          [...matchers.matchAll(/(\w+)=~?"/g)]
            .map(([, label = '']) => label)
            .filter((label) => !['job', 'instance', ...(labelsOf.get(name) ?? [])].includes(label)),
      ),
    );
    expect(unknown).toEqual([]);
  });

  it('show each metric of a node', () => {
    const all = shown.panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => named(expr)));
    const lacking = metrics.filter(({ name }) => !all.some((each) => each.startsWith(name)));
    expect(lacking).toEqual([]);
  });

  it('lead to a heading of the guide, and are those of its table', () => {
    const headings = [...guide.matchAll(/^#+ (.*)$/gm)].map(([, text = '']) =>
      text
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    );
    expect(ALARMS.map(({ goTo }) => goTo).filter((goTo) => !headings.includes(goTo))).toEqual([]);
    const table = guide.slice(guide.indexOf('| alarm when |'), guide.indexOf('Also there:'));
    const ofMetrics = (text: string) =>
      new Set(named(text).map((name) => name.replace(/_(?:count|bucket)$/, '')));
    const inTable = ofMetrics(table.replaceAll(/`svc_db_lock_waiting`/g, ''));
    expect(ofMetrics(ALARMS.map(({ expression }) => expression).join(' '))).toEqual(inTable);
  });

  // Debian has it in the package prometheus.
  it.skipIf(!promtool)(`pass promtool${promtool ? '' : ', which is not installed: not checked'}`, () => {
    const inFolder = { cwd: fileURLToPath(new URL('deploy/prometheus/', root)), encoding: 'utf8' as const };
    const checked = spawnSync('promtool', ['check', 'rules', 'rules.yaml'], inFolder);
    expect(checked.stdout).toContain(`SUCCESS: ${ALARMS.length} rules found`);
    const tested = spawnSync('promtool', ['test', 'rules', 'rules.test.yaml'], inFolder);
    expect(`${tested.stdout}${tested.stderr}`).toContain('SUCCESS');
    expect(tested.status).toBe(0);
  });
});
