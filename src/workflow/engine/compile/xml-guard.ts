import { BadRequestError, PayloadTooLargeError } from '#errors/index.ts';

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
  let depth = 0;
  for (let at = xml.indexOf('<'); at !== -1; at = xml.indexOf('<', at)) {
    if (xml.startsWith('<!--', at)) at = after(xml, '-->', at + 4);
    else if (xml.startsWith('<![CDATA[', at)) at = after(xml, ']]>', at + 9);
    else if (xml.startsWith('<?', at)) at = after(xml, '?>', at + 2);
    else if (xml.startsWith('<!', at)) throw badXml('declares a document type', 'Remove the <!DOCTYPE …>');
    else {
      const end = endOfTag(xml, at);
      if (xml[at + 1] === '/') depth--;
      else if (xml[end - 2] !== '/') depth++;
      if (depth > MAX_DEPTH) throw badXml(`nests elements deeper than ${MAX_DEPTH}`);
      at = end;
    }
  }
  return xml;
}

export function badXml(problem: string, hint?: string): BadRequestError {
  return new BadRequestError(`The process file ${problem}`, {
    id: 'WORKFLOW_BAD_XML',
    ...(hint === undefined ? {} : { hint }),
  });
}

function after(xml: string, end: string, from: number): number {
  const at = xml.indexOf(end, from);
  if (at === -1) throw badXml(`ends inside a section that '${end}' should close`);
  return at + end.length;
}

/** The offset behind the `>` that is not inside an attribute value. */
function endOfTag(xml: string, from: number): number {
  for (let at = from; at < xml.length; at++) {
    const character = xml[at];
    if (character === '>') return at + 1;
    if (character === '"' || character === "'") {
      at = xml.indexOf(character, at + 1);
      if (at === -1) break;
    }
  }
  throw badXml('ends inside a tag');
}
