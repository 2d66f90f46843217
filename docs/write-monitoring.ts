/** Writes what Prometheus and Grafana take of the alarms and metrics: `deploy/prometheus/`, the chart, `deploy/grafana/`. `npm run docs` */
import { readFile, writeFile } from 'node:fs/promises';
import { stringify } from 'yaml';
import { METRICS } from '#observability/catalogue/metric.ts';
import { alertRules, dashboard, shownMetrics } from '../deploy/monitoring.ts';

const root = new URL('../', import.meta.url);
const page = await readFile(new URL('docs/reference/metrics.md', root), 'utf8');
const metrics = shownMetrics(page, Object.values(METRICS));
const rules = stringify(alertRules(), { lineWidth: 0 });
const heading = '# From deploy/alarms.ts; `npm run docs` writes it anew.\n';
// The chart takes no file from outside of its folder.
for (const folder of ['deploy/prometheus', 'deploy/helm/svc/files']) {
  await writeFile(new URL(`${folder}/rules.yaml`, root), `${heading}${rules}`);
}
await writeFile(new URL('deploy/grafana/svc.json', root), `${JSON.stringify(dashboard(metrics), null, 2)}\n`);
