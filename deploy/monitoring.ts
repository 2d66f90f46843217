/** Rules of Prometheus and a dashboard of Grafana, made from the alarms and from the metrics that a node has. `npm run docs` */
import { ALARMS, JOB } from './alarms.ts';

/** A row of docs/reference/metrics.md. */
export interface ShownMetric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
}

const RUNBOOK = 'docs/operations.md';

/** The text of docs/reference/metrics.md as rows, each with its labels where the catalogue knows them. */
export function shownMetrics(
  page: string,
  catalogue: readonly { readonly name: string; readonly labels: readonly string[] }[],
): readonly ShownMetric[] {
  return [...page.matchAll(/^\| `(\w+)` \| (\w+) \| (.*) \|$/gm)].map(
    ([, name = '', type = '', help = '']) => ({
      name,
      type,
      help,
      labels: catalogue.find((metric) => metric.name === name)?.labels ?? [],
    }),
  );
}

/** One group, as `rule_files` of Prometheus and the spec of a PrometheusRule have it. */
export function alertRules(): object {
  const rules = ALARMS.map(({ name, expression, holdsFor, severity, summary, goTo }) => ({
    alert: name,
    expr: expression,
    ...(holdsFor === undefined ? {} : { for: holdsFor }),
    labels: { severity },
    annotations: { summary, runbook: `${RUNBOOK}#${goTo}` },
  }));
  return { groups: [{ name: 'svc', rules }] };
}

const WIDTH = 12;
const HEIGHT = 8;
const SOURCE = { type: 'prometheus', uid: '$' + '{source}' };
const NODES = `job="${JOB}", instance=~"$node"`;

/** A panel for each metric: counters as rates, durations as percentiles, gauges as they are. */
export function dashboard(metrics: readonly ShownMetric[]): object {
  return {
    title: 'svc',
    uid: 'svc-nodes',
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    tags: ['svc'],
    templating: {
      list: [
        { name: 'source', type: 'datasource', query: 'prometheus', label: 'Source' },
        {
          name: 'node',
          type: 'query',
          label: 'Node',
          datasource: SOURCE,
          query: { query: `label_values(svc_listen_connected{job="${JOB}"}, instance)`, refId: 'nodes' },
          refresh: 2,
          includeAll: true,
          multi: true,
          allValue: '.*',
          current: { text: 'All', value: '$__all' },
        },
      ],
    },
    panels: metrics.map((metric, place) => panel(metric, place)),
  };
}

function panel({ name, type, help, labels }: ShownMetric, place: number): object {
  return {
    id: place + 1,
    type: 'timeseries',
    title: help,
    description: name,
    datasource: SOURCE,
    gridPos: { x: (place % 2) * WIDTH, y: Math.floor(place / 2) * HEIGHT, w: WIDTH, h: HEIGHT },
    fieldConfig: { defaults: { unit: unitOf(name, type), min: 0 }, overrides: [] },
    options: {
      legend: { displayMode: 'list', placement: 'bottom' },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
    targets: queries(name, type, labels).map(([expr, legendFormat], at) => ({
      refId: String.fromCharCode(65 + at),
      datasource: SOURCE,
      expr,
      legendFormat,
    })),
  };
}

function queries(name: string, type: string, labels: readonly string[]): readonly [string, string][] {
  const shown = labels.map((label) => `{{${label}}}`).join(' ');
  if (type === 'counter') {
    const by = labels.length === 0 ? '' : ` by (${labels.join(', ')})`;
    return [[`sum${by} (rate(${name}{${NODES}}[$__rate_interval]))`, shown === '' ? 'all nodes' : shown]];
  }
  if (type === 'histogram') {
    return [0.5, 0.99].map((share) => [
      `histogram_quantile(${share}, sum by (le) (rate(${name}_bucket{${NODES}}[$__rate_interval])))`,
      `p${share * 100}`,
    ]);
  }
  return [[`${name}{${NODES}}`, ['{{instance}}', shown].filter((text) => text !== '').join(' ')]];
}

function unitOf(name: string, type: string): string {
  if (type === 'counter') return 'ops';
  if (name.endsWith('_seconds')) return 's';
  return name.endsWith('_bytes') ? 'bytes' : 'short';
}
