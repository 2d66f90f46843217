/** Folders and files of an installation of the field that no project here has a use for, and why. */
const LEFT: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/^(?:bundle|felix-cache|lib)\//, 'Java is not run: its functions are in the server, or in scripts'],
  [/\.(?:jar|class|war)$/i, 'Java is not run: its functions are in the server, or in scripts'],
  [/^(?:db|\.checkpoint)\//, 'The schema of another database; the objects in it are not files'],
  [
    /^(?:logs?|audit|cache|update|tools|samples|legal-notices)\//,
    'What the other server has written, or come with',
  ],
  [/^(?:connectors)\//, 'Connectors are in the server (docs/systems.md)'],
  [/^(?:ui|selfservice)\//, 'The user interface of the other server; here /console is'],
  [
    /^security\//,
    'Keys come into the key ring under their aliases (docs/moving-in.md); the files themselves are not read',
  ],
  [/\.(?:jceks|jks|p12|pfx|keystore|truststore)$/i, 'Keys come into the key ring under their aliases'],
  [/^[^/]+\.(?:sh|bat|ps1)$/i, 'It starts the other server'],
  [/(?:^|\/)\.[^/]+\/?$/, 'It is hidden'],
];

/**
 * Why what stands at the path cannot come; undefined for what can.
 *
 * @param path below the project folder; that of a folder ends with a slash
 */
export function leftBehind(path: string): string | undefined {
  return LEFT.find(([pattern]) => pattern.test(path))?.[1];
}
