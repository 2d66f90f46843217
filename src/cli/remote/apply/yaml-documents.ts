import { parseAllDocuments } from 'yaml';
import { UsageError } from '../../usage-error.ts';

/**
 * What the documents of a YAML text hold, of those that hold anything. It is YAML 1.2: `yes` and dates are texts.
 *
 * @throws UsageError with the line and column of the first mistake, and for what JSON does not have
 */
export function yamlDocuments(text: string, where: string): readonly unknown[] {
  const documents = parseAllDocuments(text, { version: '1.2', stringKeys: true });
  const read: unknown[] = [];
  for (const document of documents) {
    // A tag that is not known would be another value than was meant.
    const mistake = document.errors[0] ?? document.warnings[0];
    if (mistake !== undefined) {
      const { line = 1, col = 1 } = mistake.linePos?.[0] ?? {};
      const [said = ''] = mistake.message.replace(/ at line \d+, column \d+:?/, '').split('\n');
      throw new UsageError(`${where}, line ${line}, column ${col}, is no YAML: ${said}`);
    }
    if (document.contents === null) continue;
    read.push(asJson(contentOf(document, where), where));
  }
  return read;
}

/** @throws UsageError for references that blow it up, or lead nowhere */
function contentOf(document: ReturnType<typeof parseAllDocuments>[number], where: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw new UsageError(`${where} is no YAML: ${error instanceof Error ? error.message : error}`);
  }
}

function asJson(value: unknown, where: string): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new UsageError(`${where} has ${value}, which is no number of JSON`);
  }
  if (Array.isArray(value)) return value.map((each) => asJson(each, where));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, asJson(each, where)]));
}
