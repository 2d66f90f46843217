import type { Api } from './api.ts';

/** A type with a property that is private. */
export const DEVICE = {
  name: 'device',
  schema: {
    title: 'Device',
    properties: {
      label: { type: 'string', title: 'Label', searchable: true },
      secret: { type: 'string', scope: 'private' },
    },
  },
};

/** One with an address, tags and a picture. */
export const createDevice = (api: Api) =>
  api('PUT', 'managed/device/d1', {
    body: {
      label: 'one',
      address: { city: 'Brno', zip: '60200' },
      tags: ['a', 'b'],
      photo: Buffer.from('\u0001PNG').toString('base64url'),
    },
  });
