import { BadRequestError } from '#errors/index.ts';

export function unfitMimeType(mimeType: string): BadRequestError {
  return new BadRequestError(`_mimeType '${mimeType}' goes with a read of one field`, {
    id: 'HTTP_MIME_TYPE',
    field: '_mimeType',
    hint: 'Name the media type, and the field with _fields',
  });
}
