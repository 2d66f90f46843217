import { BadRequestError, PayloadTooLargeError } from '#errors/index.ts';
import { lastOf } from '#json/index.ts';

const MAX_CHARACTERS = 5_000_000;
const MAX_DEPTH = 100;

/**
 * Looks through a process file before it is parsed: size, nesting, and no document type, so no entity can be
 * declared, expanded or fetched.
 *
 * @returns the text without byte order mark and leading blanks
 * @throws PayloadTooLargeError, or BadRequestError `WORKFLOW_BAD_XML`
 */
export function guardXml(text: string): string {
  if (text.length > MAX_CHARACTERS) {
    throw new PayloadTooLargeError(`The process file has more than ${MAX_CHARACTERS} characters`);
  }
  const xml = text.replace(/^[\uFEFF\s]+/, '');
  const bad = (problem: string, at: number, hint?: string) =>
    badXml(problem, hint, placeIn(text, text.length - xml.length + at));
  const open: { readonly name: string; readonly at: number }[] = [];
  for (let at = xml.indexOf('<'); at !== -1; at = xml.indexOf('<', at)) {
    if (xml.startsWith('<!--', at)) at = after(xml, '-->', at, 4, bad);
    else if (xml.startsWith('<![CDATA[', at)) at = after(xml, ']]>', at, 9, bad);
    else if (xml.startsWith('<?', at)) at = after(xml, '?>', at, 2, bad);
    else if (xml.startsWith('<!', at)) throw bad('declares a document type', at, 'Remove the <!DOCTYPE …>');
    else {
      const end = endOfTag(xml, at);
      if (end === -1) throw bad('ends inside a tag', at, 'A quote or a > may be missing');
      const name = nameOfTag(xml, at);
      if (name.startsWith('/')) {
        const last = open.pop();
        if (last === undefined) throw bad(`closes <${name}>, which is not open`, at);
        if (`/${last.name}` !== name) {
          throw bad(`closes <${name}> where <${last.name}> is open`, last.at, 'A closing tag may be missing');
        }
      } else if (xml[end - 2] !== '/') open.push({ name, at });
      if (open.length > MAX_DEPTH) throw bad(`nests elements deeper than ${MAX_DEPTH}`, at);
      at = end;
    }
  }
  const last = open.at(-1);
  if (last !== undefined)
    throw bad(`ends where <${last.name}> is open`, last.at, 'A closing tag may be missing');
  return xml;
}

/** @param place counts from 1 */
export function badXml(
  problem: string,
  hint?: string,
  place?: { readonly line: number; readonly column: number },
): BadRequestError {
  return new BadRequestError(`The process file ${problem}`, {
    id: 'WORKFLOW_BAD_XML',
    ...(hint === undefined ? {} : { hint }),
    ...(place === undefined ? {} : { detail: place }),
  });
}

function placeIn(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length, column: lastOf(lines).length + 1 };
}

function nameOfTag(xml: string, at: number): string {
  return /^\/?[^\s/>]*/.exec(xml.slice(at + 1, at + 300))?.[0] ?? '';
}

type Bad = (problem: string, at: number, hint?: string) => BadRequestError;

function after(xml: string, end: string, at: number, opening: number, bad: Bad): number {
  const found = xml.indexOf(end, at + opening);
  if (found === -1) throw bad(`ends inside a section that '${end}' should close`, at);
  return found + end.length;
}

/** The offset behind the `>` that is not inside an attribute value; -1 where there is none. */
function endOfTag(xml: string, from: number): number {
  for (let at = from; at < xml.length; at++) {
    const character = xml[at];
    if (character === '>') return at + 1;
    if (character === '"' || character === "'") {
      at = xml.indexOf(character, at + 1);
      if (at === -1) break;
    }
  }
  return -1;
}
