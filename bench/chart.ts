/**
 * Renders the chart as Helm does and holds it to the schemas of Kubernetes and to the manifest of the guide: `npm run test:chart`. It ends
 * with 1 when something is wrong, and with 3 when Helm's library could not be installed. Kinds of operators have no schema there.
 */
import { equal } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { parseAllDocuments } from 'yaml';

const PACKAGES = ['helm-python-sdk==0.2.2', 'kubernetes-validate==1.37.0'];
const root = new URL('../', import.meta.url);
const at = (path: string) => fileURLToPath(new URL(path, root));
const ENVIRONMENT = at('node_modules/.cache/helm');

const install = ['install', '--quiet', '--disable-pip-version-check', ...PACKAGES];
if (!runs('python3', ['-m', 'venv', ENVIRONMENT]) || !runs(`${ENVIRONMENT}/bin/pip`, install)) {
  console.error(`${PACKAGES.join(' and ')} could not be installed: the chart was not rendered`);
  process.exit(3);
}

/** What is looked at of a Kubernetes object. */
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  // biome-ignore lint/suspicious/noExplicitAny: of many kinds
  readonly spec?: any;
}
interface Rendered {
  readonly refused?: string;
  readonly findings?: readonly string[];
  readonly documents?: readonly Manifest[];
}

const wrong: string[] = [];
let checks = 0;
const check = (what: string, isRight: boolean) => {
  checks += 1;
  if (!isRight) wrong.push(what);
};

const plain = rendered('the least', { existingSecret: 'svc' });
const full = rendered('everything', {
  existingSecret: 'svc',
  hasDirectUrl: true,
  hasReadUrl: true,
  hasPassword: true,
  image: { digest: `sha256:${'0'.repeat(64)}`, pullSecrets: [{ name: 'registry' }] },
  groups: {
    api: { autoscaling: { enabled: true } },
    worker: { autoscaling: { enabled: true } },
  },
  trustedProxies: '10.42.7.0/28',
  publicUrl: 'https://id.example.com',
  env: { SVC_LOG_LEVEL: 'debug' },
  networkPolicy: { enabled: true, from: [{ namespaceSelector: {} }], to: [{ ports: [{ port: 5432 }] }] },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  prometheusRule: { enabled: true },
  nodeSelector: { pool: 'id' },
  tolerations: [{ key: 'id', operator: 'Exists' }],
  podAnnotations: { note: 'x' },
});
const one = rendered('one group', {
  existingSecret: 'svc',
  groups: { api: null, worker: null, node: { roles: 'api,worker', replicas: 3 } },
});

const kinds = (documents: readonly Manifest[]) => documents.map(({ kind }) => kind).sort();
const least = ['Deployment', 'Deployment', 'Job', 'PodDisruptionBudget', 'PodDisruptionBudget'];
check(
  'the least has its kinds',
  isDeepStrictEqual(kinds(plain), [...least, 'Service', 'Service', 'ServiceAccount']),
);
for (const kind of ['NetworkPolicy', 'ServiceMonitor', 'PrometheusRule', 'HorizontalPodAutoscaler'])
  check(`everything has a ${kind}`, kinds(full).includes(kind));
check('one group has one Deployment', kinds(one).filter((kind) => kind === 'Deployment').length === 1);
check('no release holds secrets', ![...plain, ...full, ...one].some(({ kind }) => kind === 'Secret'));

for (const documents of [plain, full, one]) {
  for (const { kind, metadata, spec } of documents.filter((each) => /^(?:Deployment|Job)$/.test(each.kind))) {
    const name = `${kind} ${metadata.name}`;
    const pod = spec.template.spec;
    const [container] = pod.containers;
    check(
      `${name} is no root`,
      pod.securityContext.runAsNonRoot === true && pod.securityContext.runAsUser > 0,
    );
    check(`${name} writes nowhere`, container.securityContext.readOnlyRootFilesystem === true);
    check(
      `${name} may nothing`,
      isDeepStrictEqual(container.securityContext.capabilities, { drop: ['ALL'] }),
    );
    check(`${name} uses the secret`, pod.volumes[0].secret.secretName === 'svc');
  }
  const job = documents.find(({ kind }) => kind === 'Job');
  check('the schema comes first', job?.metadata.annotations?.['helm.sh/hook'] === 'pre-install,pre-upgrade');
}
const scaled = full
  .filter(({ kind }) => kind === 'HorizontalPodAutoscaler')
  .map(({ spec }) => spec.metrics[0]);
check(
  'workers follow the queue',
  scaled.some((metric) => metric.external?.metric.name === 'svc_queue_ready'),
);
check(
  'what is scaled names no count',
  full.every(({ kind, spec }) => kind !== 'Deployment' || !('replicas' in spec)),
);
const envOf = (documents: readonly Manifest[], name: string): readonly string[] => {
  const found = documents.find(({ metadata }) => metadata.name === name);
  return (found?.spec.template.spec.containers[0].env ?? []).map((each: { name: string }) => each.name);
};
const OF_DATABASE = ['DATABASE_URL_FILE', 'SVC_DATABASE_DIRECT_URL_FILE', 'SVC_DATABASE_PASSWORD_FILE'];
check(
  'migrations go by the same database and password',
  isDeepStrictEqual(envOf(full, 'one-svc-migrate'), OF_DATABASE),
);
check(
  'nodes read from standbys where there is a URL of these',
  envOf(full, 'one-svc-api').includes('SVC_DATABASE_READ_URL_FILE') &&
    !envOf(plain, 'one-svc-api').includes('SVC_DATABASE_READ_URL_FILE'),
);
const policy = full.find(({ kind }) => kind === 'NetworkPolicy')?.spec;
check(
  'nodes go only where they may, where that is said',
  isDeepStrictEqual(policy.policyTypes, ['Ingress', 'Egress']) &&
    isDeepStrictEqual(policy.egress, [{ ports: [{ port: 5432 }] }]),
);
const rule = full.find(({ kind }) => kind === 'PrometheusRule');
const [rules] = parseAllDocuments(readFileSync(at('deploy/prometheus/rules.yaml'), 'utf8'));
check('the alarms are those of deploy/prometheus', isDeepStrictEqual(rule?.spec, rules?.toJS()));

// The guide's manifest is for whoever uses no Helm; both say the same.
const guide = readFileSync(at('docs/operations.md'), 'utf8');
const shown = /```yaml\n(apiVersion: apps\/v1\n.*?)```/s.exec(guide)?.[1] ?? '';
const manifests: readonly Manifest[] = parseAllDocuments(shown).map((document) => document.toJS());
const ofGuide = manifests.find(({ kind }) => kind === 'Deployment')?.spec;
const ofChart = plain.find(({ kind }) => kind === 'Deployment')?.spec;
const [guided, charted] = [ofGuide, ofChart].map((spec) => spec?.template.spec.containers[0]);
for (const part of ['ports', 'startupProbe', 'livenessProbe', 'readinessProbe', 'lifecycle', 'resources'])
  check(`${part} are those of the guide`, isDeepStrictEqual(guided?.[part], charted?.[part]));
check('the strategy is that of the guide', isDeepStrictEqual(ofGuide?.strategy, ofChart?.strategy));
const names = (container: { env: { name: string }[] }) => container.env.map(({ name }) => name);
const lacking = names(guided).filter(
  (name) =>
    !names(full.find(({ kind }) => kind === 'Deployment')?.spec.template.spec.containers[0]).includes(name),
);
check(`all settings of the guide are there, ${lacking} too`, lacking.length === 0);

for (const [what, values] of Object.entries({
  'no secret': {},
  'a role that there is not': { existingSecret: 'svc', groups: { api: { roles: 'all' } } },
  'a misspelt value': { existingSecret: 'svc', replicas: 3 },
}))
  check(`${what} is refused`, render(values).refused?.includes('schema') === true);

for (const text of wrong) console.error(`wrong: ${text}`);
console.log(`${checks - wrong.length} checks of the chart passed, ${wrong.length} failed`);
process.exitCode = wrong.length === 0 ? 0 : 1;

function rendered(what: string, values: object): readonly Manifest[] {
  const { refused, findings = [], documents = [] } = render(values);
  check(`${what} is rendered: ${refused}`, refused === undefined && documents.length > 0);
  check(`${what} fits Kubernetes: ${findings.join('; ')}`, findings.length === 0);
  return documents;
}

function render(values: object): Rendered {
  const parameters = [at('bench/chart/render.py'), at('deploy/helm/svc')];
  const { stdout, stderr, status } = spawnSync(`${ENVIRONMENT}/bin/python`, parameters, {
    input: JSON.stringify(values),
    encoding: 'utf8',
  });
  equal(status, 0, stderr);
  return JSON.parse(stdout);
}

function runs(program: string, parameters: readonly string[]): boolean {
  return spawnSync(program, parameters, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
}
