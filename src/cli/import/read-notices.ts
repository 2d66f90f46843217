import { fieldFileHint } from '#config/index.ts';
import { foreignQueries } from './query-filter-of.ts';

/** How many notices of one file are told: the rest is like these. */
const MOST_TOLD = 20;
/** Classes of Java itself or of the other server in a script; those of the field that Groovy scripts find are there. */
const JAVA =
  /\b(?:Packages\.|JavaImporter|java(?:x)?\.(?:io|net|sql|naming|security|lang\.(?:System|Runtime|Thread|Process))\b|org\.forgerock\.openidm\.\w+|org\.identityconnectors\b)/;
const EXPRESSION = /\b_?queryExpression\b/;
const REPOSITORIES = /^conf\/repo\.(?:jdbc|orientdb|ds)\.json$/;

/** What does not work as it did, of a file that is copied. */
export function noticesOf(path: string, bytes: Buffer): readonly string[] {
  if (/^script\/.*\.(?:js|groovy)$/.test(path)) return notHere(bytes.toString());
  const [, id] = /^conf\/([^/]+)\.json$/.exec(path) ?? [];
  if (id === undefined) return [];
  const unread = fieldFileHint(id) ?? fieldFileHint(id.replace(/-.*/, ''));
  return [
    ...(unread === undefined ? [] : [`It is not read: ${unread}`]),
    ...(REPOSITORIES.test(path) ? queriesIn(bytes.toString()) : []),
  ];
}

function notHere(text: string): readonly string[] {
  const told = text.split(/\r\n|\r|\n/).flatMap((line, at) => {
    const code = line.replace(/\/\/.*/, '');
    const [found] = JAVA.exec(code) ?? [];
    return [
      ...(found === undefined ? [] : [`Line ${at + 1} uses Java, which is not here: ${found}`]),
      ...(EXPRESSION.test(code)
        ? [`Line ${at + 1} asks in the language of the repository, which is refused: use _queryFilter`]
        : []),
    ];
  });
  return told.slice(0, MOST_TOLD);
}

/** Queries of their own in the language of their database. */
function queriesIn(text: string): readonly string[] {
  return [...foreignQueries(text)]
    .slice(0, MOST_TOLD)
    .map(([id, filter]) =>
      filter === undefined
        ? `The query '${id}' does not come: write it as a filter in conf/repo.json where a script asks it`
        : `The query '${id}' belongs into conf/repo.json as ${filter}`,
    );
}
