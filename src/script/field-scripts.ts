const SYNCHRONISATION = 'There is no synchronisation with other systems yet, so nothing would run it';

/** Scripts that servers of the field ship and this one does not, and what takes their place. */
const FIELD_SCRIPTS: Readonly<Record<string, string>> = {
  'auth/amSessionCheck': 'Leave augmentSecurityContext out: OPENID_CONNECT modules look at each token',
  relationshipFilter:
    'Leave the filter out: what callers see of references is for script/access.js and scopes to say',
  oauthProxy: 'Leave the endpoint out: OPENID_CONNECT modules of authentication.json know other issuers',
  'ui/oauthProxy': 'Leave the endpoint out: OPENID_CONNECT modules of authentication.json know other issuers',
  reconResults: SYNCHRONISATION,
  'ui/reconResults': SYNCHRONISATION,
  'ui/correlateTreeToQueryFilter': SYNCHRONISATION,
  'ui/preferenceCheck': SYNCHRONISATION,
  'roles/defaultMapping': SYNCHRONISATION,
  'roles/defaultPostMapping': SYNCHRONISATION,
  'roles/onRecon': SYNCHRONISATION,
  compensate: SYNCHRONISATION,
  managedPatchHelper: 'PATCH does what it did',
  policy: 'The policies of the field are built in',
};

/** What to do about a script of the field that is not here; undefined for one's own. */
export function fieldScriptHint(path: string): string | undefined {
  const name = path.replace(/^bin\/defaults\/script\//, '').replace(/\.(?:js|groovy)$/, '');
  return Object.hasOwn(FIELD_SCRIPTS, name) ? FIELD_SCRIPTS[name] : undefined;
}
