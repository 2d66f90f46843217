export interface Address {
  readonly to: string;
  readonly search?: { readonly tab: string };
}

/** Where things are looked at, by their paths. Ids of other systems may have slashes, and those of configurations do. */
const PLACES: readonly (readonly [RegExp, (...parts: readonly string[]) => Address])[] = [
  [/^managed\/([^/]+)\/([^/]+)$/, (type = '', id = '') => ({ to: `/objects/${type}/${id}` })],
  [
    /^system\/([^/]+)\/([^/]+)\/(.+)$/,
    (name = '', type = '', id = '') => ({ to: `/systems/${name}/${type}/${id}` }),
  ],
  [/^system\/([^/]+)$/, (name = '') => ({ to: `/systems/${name}` })],
  [/^scheduler\/job\/([^/]+)$/, (id = '') => ({ to: `/schedules/${id}` })],
  [/^scheduler\/job$/, () => ({ to: '/schedules' })],
  [/^taskscanner\/([^/]+)$/, (id = '') => ({ to: `/scans/${id}` })],
  [/^recon\/([^/]+)$/, (id = '') => ({ to: `/reconciliations/${id}` })],
  [/^workflow\/job\/deadletter/, () => ({ to: '/processes', search: { tab: 'letters' } })],
  [/^workflow\/processinstance\/([^/]+)$/, (id = '') => ({ to: `/processes/instance/${id}` })],
  [/^config\/(.+)$/, (id = '') => ({ to: `/configuration/of/${id.replaceAll('%2F', '/')}` })],
  [/^cluster/, () => ({ to: '/nodes' })],
];

/** Where the console shows a resource, such as `managed/user/avo`; undefined of what it has no page for. */
export function addressOf(resource: string): Address | undefined {
  for (const [pattern, addressFrom] of PLACES) {
    const parts = pattern.exec(resource)?.slice(1);
    if (parts !== undefined) return addressFrom(...parts.map(encodeURIComponent));
  }
  return undefined;
}
