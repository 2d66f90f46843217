import { BadRequestError } from '#errors/index.ts';
import type { Request } from './request.ts';

/** What schemas that are answered as JSON Schema say of themselves. */
export const JSON_SCHEMA_DRAFT = 'https://json-schema.org/draft/2020-12/schema';

const FORMAT = 'jsonschema';

/** Reads `_format` of a request for a schema. @throws BadRequestError for a format that there is not */
export function asksForJsonSchema({ parameters }: Pick<Request, 'parameters'>): boolean {
  const format = parameters['_format'];
  if (format === undefined || format.toLowerCase() === FORMAT) return format !== undefined;
  throw new BadRequestError(`There is no format '${format}'`, {
    id: 'SCHEMA_UNKNOWN_FORMAT',
    field: '_format',
    hint: `There is '${FORMAT}', and the schema of this server without _format`,
  });
}
