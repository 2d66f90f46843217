import { fieldFileHint } from '#config/index.ts';
import { isObject, type JsonValue } from '#json/index.ts';
import { hasPredefinedQuery } from '#resource/index.ts';

/** How many notices of one file are told: the rest is like these. */
const MOST_TOLD = 20;
/** Classes of Java itself or of the other server in a script; those of the field that Groovy scripts find are there. */
const JAVA =
  /\b(?:Packages\.|JavaImporter|java(?:x)?\.(?:io|net|sql|naming|security|lang\.(?:System|Runtime|Thread|Process))\b|org\.forgerock\.openidm\.\w+|org\.identityconnectors\b)/;
const REPOSITORIES = /^conf\/repo\.(?:jdbc|orientdb|ds)\.json$/;

/** What does not work as it did, of a file that is copied. */
export function noticesOf(path: string, bytes: Buffer): readonly string[] {
  if (/^script\/.*\.(?:js|groovy)$/.test(path)) return javaIn(bytes.toString());
  const [, id] = /^conf\/([^/]+)\.json$/.exec(path) ?? [];
  if (id === undefined) return [];
  const unread = fieldFileHint(id) ?? fieldFileHint(id.replace(/-.*/, ''));
  return [
    ...(unread === undefined ? [] : [`It is not read: ${unread}`]),
    ...(REPOSITORIES.test(path) ? foreignQueries(bytes.toString()) : []),
  ];
}

function javaIn(text: string): readonly string[] {
  const told = text.split(/\r\n|\r|\n/).flatMap((line, at) => {
    const [found] = JAVA.exec(line.replace(/\/\/.*/, '')) ?? [];
    return found === undefined ? [] : [`Line ${at + 1} uses Java, which is not here: ${found}`];
  });
  return told.slice(0, MOST_TOLD);
}

/** Queries of their own in the language of their database, which nobody can run here. */
function foreignQueries(text: string): readonly string[] {
  const { queries } = contentOf(text);
  const sections = isObject(queries) ? Object.values(queries) : [];
  const ids = new Set(sections.flatMap((section) => (isObject(section) ? Object.keys(section) : [])));
  return [...ids]
    .filter((id) => !hasPredefinedQuery(id))
    .slice(0, MOST_TOLD)
    .map(
      (id) =>
        `The query '${id}' does not come: write it as a filter in conf/repo.json where a script asks it`,
    );
}

function contentOf(text: string): { readonly queries?: JsonValue } {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}
