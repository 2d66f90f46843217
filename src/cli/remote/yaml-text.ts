/** A text that YAML reads as itself, without quotes. */
const PLAIN = /^(?!(?:true|false|null|yes|no|on|off|y|n)$)[A-Za-z_/][\w./@-]*(?: [\w./@-]+)*$/i;

/** JSON as YAML. What could be read as something else stands in quotes, as in JSON, which YAML reads. */
export function yamlText(value: unknown): string {
  return linesOf(value).join('\n');
}

function linesOf(value: unknown): string[] {
  if (Array.isArray(value) && value.length > 0) return value.flatMap((each) => under('-', each, true));
  if (isFull(value)) {
    return Object.entries(value).flatMap(([name, each]) => under(`${scalar(name)}:`, each, false));
  }
  return [scalar(value)];
}

/** What is in something stands below its name, but begins on the line of a dash. */
function under(head: string, value: unknown, isItem: boolean): string[] {
  const lines = linesOf(value);
  if (!isFull(value)) return [`${head} ${lines.join('')}`];
  const indented = lines.map((line) => `  ${line}`);
  if (!isItem) return [head, ...indented];
  return indented.map((line, at) => (at === 0 ? `${head} ${line.trimStart()}` : line));
}

function isFull(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

function scalar(value: unknown): string {
  return typeof value === 'string' && PLAIN.test(value) ? value : (JSON.stringify(value) ?? 'null');
}
