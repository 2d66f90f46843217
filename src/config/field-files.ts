/** Files that servers of the field read and this one does not, and what takes their place. */
const FIELD_FILES: Readonly<Record<string, string>> = {
  access: 'Who may do what stands in script/access.js',
  privileges: 'Who may do what stands in script/access.js',
  privilegeAssignments: 'Who may do what stands in script/access.js',
  internal: 'Internal users and roles are those of repo/internal/user and repo/internal/role',
  recon: 'What a reconciliation may do stands in its mapping',
  provisioner: 'Systems stand in provisioner.openicf-<name>.json',
  'provisioner.openicf.connectorinfoprovider':
    'Connectors run in the server itself; there are no remote ones',
  'provisioner.salesforce': 'There is no connector for it',
  linkedView: 'sync?_action=getLinkedResources shows what is linked to an object',
  'repo.jdbc': 'DATABASE_URL names the database',
  'repo.orientdb': 'DATABASE_URL names the database',
  'repo.ds': 'DATABASE_URL names the database',
  'repo.init': 'SVC_ADMIN_PASSWORD is the password of the first administrator',
  'datasource.jdbc': 'DATABASE_URL names the database',
  'external.email': 'All mail leaves as "mail" in workflow.json says, that of external/email, too',
  'external.rest': 'external/rest reaches what SVC_EGRESS_ALLOW and workflow.json let it',
  emailTemplate: 'Processes have tasks of type mail',
  selfservice: 'There is no self-service',
  'selfservice.kba': 'There is no self-service',
  'selfservice.terms': 'There is no self-service',
  policyFilter: 'Policies are in force for all requests',
  'webserver.listener': 'PORT and SVC_HOST say where the server listens; TLS ends in front of it',
  webserver: 'PORT and SVC_HOST say where the server listens; TLS ends in front of it',
  metrics: '/metrics is always there; SVC_DIAGNOSTICS says for whom',
  secrets: 'SVC_KEYS holds the key ring',
  identityProviders: 'OPENID_CONNECT modules of authentication.json know other issuers',
  identityProvider: 'OPENID_CONNECT modules of authentication.json know other issuers',
  notificationFactory: 'There are no notifications about changes',
  notification: 'There are no notifications about changes',
};

/** Why a file of this name (the part before the first dash) changes nothing here; undefined for one's own. */
export function fieldFileHint(name: string): string | undefined {
  return Object.hasOwn(FIELD_FILES, name) ? FIELD_FILES[name] : undefined;
}
