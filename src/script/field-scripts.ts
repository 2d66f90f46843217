const SYNCHRONISATION = 'There is no synchronisation with other systems yet, so nothing would run it';
const OF_MAPPINGS = 'Mappings do this by themselves; in any other place nothing would run it';
const OTHER_ISSUERS = 'Leave it out: OPENID_CONNECT modules of authentication.json know other issuers';
const SELF_SERVICE = 'There is no self-service';
const OLDER_DATA = 'It mends data that older servers of the field have left; here there are none';

/** A script of servers of the field that has no equal here. */
export const FIELD_SCRIPT = 'SCRIPT_NOT_SHIPPED';

/** Scripts that servers of the field ship and this one does not, and what takes their place. */
const FIELD_SCRIPTS: Readonly<Record<string, string>> = {
  'auth/amSessionCheck': 'Leave augmentSecurityContext out: OPENID_CONNECT modules look at each token',
  relationshipFilter:
    'Give it a filter of its own, whose onResponse is "require(\'relationshipFilter\').filterResponse()"',
  oauthProxy: OTHER_ISSUERS,
  'ui/oauthProxy': OTHER_ISSUERS,
  'ui/openamProxy': OTHER_ISSUERS,
  'ui/bindBehavior': OTHER_ISSUERS,
  'ui/unBindBehavior': OTHER_ISSUERS,
  reconResults: SYNCHRONISATION,
  'ui/reconResults': SYNCHRONISATION,
  'ui/correlateTreeToQueryFilter': OF_MAPPINGS,
  'ui/preferenceCheck': SYNCHRONISATION,
  'roles/defaultMapping': OF_MAPPINGS,
  'roles/defaultPostMapping': OF_MAPPINGS,
  'roles/mergeWithTarget': OF_MAPPINGS,
  'roles/noOp': OF_MAPPINGS,
  'roles/onRecon': OF_MAPPINGS,
  'roles/removeFromTarget': OF_MAPPINGS,
  'roles/replaceTarget': OF_MAPPINGS,
  'workflow/triggerWorkflowFromSync': SYNCHRONISATION,
  'workflow/triggerWorkflowGeneric': SYNCHRONISATION,
  'meta/metadataScanner': OLDER_DATA,
  'update/removeRepoPathFromRelationships': OLDER_DATA,
  'update/updateInternalUserAndInternalRoleEntries': OLDER_DATA,
  'ui/jqgridQueryWrapper': 'Collections answer _queryFilter, _sortKeys and _pageSize',
  'ui/securityQA': SELF_SERVICE,
  'ui/getSiteIdentificationForLogin': SELF_SERVICE,
  selfServicePolicies: SELF_SERVICE,
  managedPatchHelper: 'PATCH does what it did',
  policy: 'The policies of the field are built in',
};

/** Scripts that are here under a name of the field, and do less than that name promises. */
const LESS: Readonly<Record<string, string>> = {
  'auth/orgPrivileges': 'Privileges grant nothing: who may do what stands in script/access.js',
};

/** What to do about a script of the field that is not here; undefined for one's own. */
export function fieldScriptHint(path: string): string | undefined {
  return entry(FIELD_SCRIPTS, path);
}

/** What a script that the server ships leaves out; undefined for all others. */
export function lessHint(path: string): string | undefined {
  return entry(LESS, path);
}

function entry(table: Readonly<Record<string, string>>, path: string): string | undefined {
  const name = path.replace(/^bin\/defaults\/script\//, '').replace(/\.(?:js|groovy)$/, '');
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
