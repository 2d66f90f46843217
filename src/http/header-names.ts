/** How clients of another server of the field call headers of ours; no other header goes by two names. */
const OF_THE_FIELD: Readonly<Record<string, string>> = {
  'x-svc-username': 'x-openidm-username',
  'x-svc-password': 'x-openidm-password',
  'x-svc-reauth-password': 'x-openidm-reauth-password',
  'x-svc-transactionid': 'x-forgerock-transactionid',
};

/** Other names of headers by ours; the other one counts where ours is not sent. */
export type HeaderNames = ReadonlyMap<string, string>;

export const OWN_NAMES: HeaderNames = new Map();
export const FIELD_NAMES: HeaderNames = new Map(Object.entries(OF_THE_FIELD));

/** Our name of a header: under both it is the same one. */
export function ownNameOf(name: string, names: HeaderNames): string {
  for (const [own, other] of names) if (other === name) return own;
  return name;
}
