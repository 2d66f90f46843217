import { ADMIN_PASSWORD } from './api.ts';

const js = (source: string, more: object = {}) => ({ type: 'text/javascript', source, ...more });
const file = (file: string, more: object = {}) => ({ type: 'text/javascript', file, ...more });
const related = (path: string, more: object = {}) => ({
  type: 'relationship',
  validate: true,
  reverseRelationship: false,
  resourceCollection: [{ path, label: path, query: { queryFilter: 'true', fields: ['_id'] } }],
  ...more,
});
const list = (items: object, more: object = {}) => ({
  type: 'array',
  returnByDefault: false,
  items,
  ...more,
});
const text = (...policies: object[]) => ({ type: 'string', userEditable: true, policies });

const USER = {
  name: 'user',
  onCreate: js(
    "require('onCreateUser').setDefaultFields(object); require('roles/conditionalRoles').createConditionalGrantsForUser(object, 'roles');",
  ),
  onUpdate: js(`
    require('onUpdateUser').preserveLastSync(object, oldObject, request);
    require('onUpdateUser').createNotification(object, oldObject);
    require('ui/lastChanged').updateLastChanged(object);
    require('roles/conditionalRoles').updateConditionalGrantsForUser(object, 'roles');`),
  postCreate: js("require('roles/postOperation-roles').manageTemporalConstraints(resourceName);"),
  postUpdate: js("require('roles/postOperation-roles').manageTemporalConstraints(resourceName);"),
  onDelete: file('onDelete-user-cleanup.js'),
  postDelete: js(`
    require('postDelete-idp-cleanup').removeConnectedIdpData(oldObject, resourceName, request);
    require('postDelete-notification-cleanup').removeConnectedNotificationData(oldObject, resourceName, request);`),
  onSync: file('compensate.js'),
  actions: { bind: file('ui/bindBehavior.js') },
  schema: {
    type: 'object',
    order: ['userName'],
    required: ['userName', 'sn'],
    properties: {
      userName: text({ policyId: 'valid-username' }),
      sn: text(),
      joined: text({ policyId: 'valid-datetime' }),
      password: {
        type: 'string',
        scope: 'private',
        secureHash: { algorithm: 'SHA-256' },
        userEditable: true,
        policies: [{ policyId: 're-auth-required', params: { exceptRoles: ['svc-admin'] } }],
      },
      accountStatus: { type: 'string' },
      lastChanged: { type: 'object' },
      friends: list(related('managed/user')),
      manager: related('managed/user', { reverseRelationship: true, reversePropertyName: 'reports' }),
      reports: list(related('managed/user', { reverseRelationship: true, reversePropertyName: 'manager' })),
      roles: list(
        related('managed/role', {
          reverseRelationship: true,
          reversePropertyName: 'members',
          validate: true,
        }),
      ),
      authzRoles: list(related('internal/role')),
      effectiveRoles: {
        type: 'array',
        isVirtual: true,
        returnByDefault: true,
        onRetrieve: js("require('roles/effectiveRoles').calculateEffectiveRoles(object, 'roles');"),
        items: { type: 'object' },
      },
      effectiveAssignments: {
        type: 'array',
        isVirtual: true,
        returnByDefault: true,
        onRetrieve: file('roles/effectiveAssignments.js', { effectiveRolesPropName: 'effectiveRoles' }),
        items: { type: 'object' },
      },
    },
  },
};

const ROLE = {
  name: 'role',
  onCreate: js("require('roles/conditionalRoles').roleCreate(object);"),
  onUpdate: js("require('roles/conditionalRoles').roleUpdate(oldObject, object);"),
  onDelete: file('roles/onDelete-roles.js'),
  onSync: js(
    "require('roles/onSync-roles').syncUsersOfRoles(resourceName, oldObject, newObject, ['members']);",
  ),
  schema: {
    properties: {
      name: text(),
      description: text(),
      condition: text({ policyId: 'valid-query-filter' }),
      temporalConstraints: { type: 'array', policies: [{ policyId: 'valid-temporal-constraints' }] },
      members: list(related('managed/user', { reverseRelationship: true, reversePropertyName: 'roles' })),
      agents: list(related('managed/agent', { reverseRelationship: true, reversePropertyName: 'roles' })),
      assignments: list(
        related('managed/assignment', { reverseRelationship: true, reversePropertyName: 'roles' }),
      ),
    },
  },
};

const ASSIGNMENT = {
  name: 'assignment',
  onSync: js(
    "require('roles/onSync-assignments').syncUsersOfRolesWithAssignment(resourceName, oldObject, newObject, ['roles']);",
  ),
  schema: {
    properties: {
      name: text(),
      roles: list(related('managed/role', { reverseRelationship: true, reversePropertyName: 'assignments' })),
    },
  },
};

/** As the newest servers of the field write types: the server derives what older ones calculate by scripts. */
const AGENT = {
  name: 'agent',
  schema: {
    properties: {
      sn: text(),
      roles: list(
        {
          type: 'relationship',
          notifySelf: true,
          validate: true,
          reverseRelationship: true,
          reversePropertyName: 'agents',
          resourceCollection: [{ path: 'managed/role', conditionalAssociationField: 'condition' }],
        },
        { relationshipGrantTemporalConstraintsEnforced: true },
      ),
      assignments: list(related('managed/assignment', { notifySelf: true })),
      effectiveRoles: {
        type: 'array',
        isVirtual: true,
        returnByDefault: true,
        queryConfig: { referencedRelationshipFields: ['roles'] },
        items: { type: 'object' },
      },
      effectiveAssignments: {
        type: 'array',
        isVirtual: true,
        returnByDefault: true,
        queryConfig: {
          referencedRelationshipFields: [['roles', 'assignments'], ['assignments']],
          referencedObjectFields: ['*'],
        },
        items: { type: 'object' },
      },
    },
  },
};

const EXTERNAL = "context.caller.external === true || context.current.name === 'selfservice'";

/** The files of a project as newer servers of the field have them. */
export const NEWER_PROJECT: Record<string, unknown> = {
  'resolver/boot.properties': `svc.admin.password=${ADMIN_PASSWORD}\nstage=test\n`,
  'conf/script.json': {
    ECMAScript: { '#javascript.debug': '&{svc.script.javascript.debug}' },
    Groovy: {},
    sources: {
      default: { directory: '&{idm.install.dir}/bin/defaults/script' },
      install: { directory: '&{idm.install.dir}' },
      project: { directory: '&{idm.instance.dir}' },
      'project-script': { directory: '&{idm.instance.dir}/script' },
    },
  },
  'conf/authentication.json': {
    serverAuthContext: {
      sessionModule: { name: 'JWT_SESSION', properties: { maxTokenLifeMinutes: '120' } },
      authModules: [
        {
          name: 'STATIC_USER',
          enabled: true,
          properties: {
            queryOnResource: 'internal/user',
            username: 'svc-admin',
            password: '&{svc.admin.password}',
            defaultUserRoles: ['internal/role/svc-authorized', 'internal/role/svc-admin'],
          },
        },
        {
          name: 'STATIC_USER',
          enabled: true,
          properties: {
            queryOnResource: 'internal/user',
            username: '&{svc.metrics.username}',
            password: '&{svc.metrics.password}',
            defaultUserRoles: ['internal/role/svc-admin'],
          },
        },
        {
          name: 'MANAGED_USER',
          enabled: true,
          properties: {
            queryId: 'credential-query',
            queryOnResource: 'managed/user',
            propertyMapping: {
              authenticationId: 'username',
              userCredential: 'password',
              userRoles: 'authzRoles',
              additionalUserFields: ['adminOfOrg'],
            },
            defaultUserRoles: ['internal/role/svc-authorized'],
            augmentSecurityContext: js(
              "var yielded = require('auth/customAuthz').setProtectedAttributes(security); require('auth/orgPrivileges').assignPrivilegesToUser(resource, security, properties, subjectMapping, privileges, 'privileges', 'privilegeAssignments', yielded);",
            ),
          },
        },
        {
          name: 'PASSTHROUGH',
          enabled: true,
          properties: {
            queryOnResource: 'system/ldap/account',
            defaultUserRoles: ['internal/role/svc-authorized'],
            augmentSecurityContext: file('auth/amSessionCheck.js'),
          },
        },
        { name: 'SOCIAL_PROVIDERS', enabled: true, properties: { defaultUserRoles: [] } },
      ],
    },
  },
  'conf/router.json': {
    filters: [
      {
        condition: js(EXTERNAL),
        evaluatePrivileges: true,
        onRequest: js("require('router-authz').testAccess()"),
      },
      {
        pattern: '^(managed|internal)($|(/.+))',
        methods: ['create', 'update'],
        onRequest: file('policyFilter.js'),
      },
      {
        pattern: '^(managed|internal)($|(/.+))',
        condition: js(
          `(${EXTERNAL}) && (typeof context.privilege === 'undefined' || Object.keys(context.privilege.matchingPrivileges).length === 0)`,
        ),
        onResponse: js("require('relationshipFilter').filterResponse()"),
      },
      {
        pattern: '(repo/)?internal/user.*',
        methods: ['create', 'update'],
        onRequest: js("request.content.password = require('crypto').hash(request.content.password);"),
      },
    ],
  },
  'conf/managed.json': { objects: [USER, ROLE, ASSIGNMENT, AGENT] },
  'conf/policy.json': {
    type: 'text/javascript',
    file: 'policy.js',
    additionalFiles: [],
    resources: [
      {
        resource: 'internal/role/*',
        properties: [
          { name: 'condition', policies: [{ policyId: 'valid-query-filter' }] },
          { name: 'temporalConstraints', policies: [{ policyId: 'valid-temporal-constraints' }] },
          { name: 'privileges', policies: [{ policyId: 'valid-array-items', params: { properties: [] } }] },
        ],
      },
    ],
  },
  'conf/access.json': { configs: [] },
  'conf/repo.init.json': { insert: { 'internal/role': [{ id: 'svc-admin' }] } },
  'conf/endpoint-oauthproxy.json': { context: 'endpoint/oauthproxy', ...file('oauthProxy.js') },
  'conf/endpoint-reconResults.json': { context: 'endpoint/reconResults', ...file('reconResults.js') },
  'conf/endpoint-repairMetadata.json': file('meta/metadataScanner.js'),
  'conf/endpoint-mappingDetails.json': { context: 'endpoint/mappingDetails', ...file('mappingDetails.js') },
  'conf/endpoint-stage.json': {
    type: 'groovy',
    source: "[stage: identityServer.getProperty('stage'), asked: request.additionalParameters.of]",
  },
  'script/access.js': `var httpAccessConfig = { configs: [
    { pattern: '*', roles: 'internal/role/svc-admin', methods: '*', actions: '*',
      customAuthz: 'disallowQueryExpression()', excludePatterns: 'repo,repo/*' },
    { pattern: 'repo/internal/*', roles: 'internal/role/svc-admin', methods: '*', actions: '*' },
    { pattern: 'info/*', roles: '*', methods: 'read', actions: '*' },
    { pattern: 'managed/user/*', roles: '*', methods: 'patch', actions: '*',
      customAuthz: '(checkIfUIIsEnabled("x") || checkIfProgressiveProfileIsEnabled()) && isSelfServiceRequest()' },
    { pattern: 'internal/notification/*', roles: 'internal/role/svc-authorized', methods: 'read', actions: '*', customAuthz: 'ownRelationship()' },
    { pattern: 'managed/*', roles: 'internal/role/svc-authorized', methods: 'read', actions: '*', customAuthz: 'ownIDP()' },
    { pattern: 'managed/user/*', roles: 'internal/role/svc-authorized', methods: 'read,query', actions: '*', customAuthz: "ownRelationshipCollection(['friends'])" },
    { pattern: '*', roles: 'internal/role/svc-authorized', methods: 'read', actions: '*', customAuthz: 'ownDataOnly()' },
    { pattern: '*', roles: 'internal/role/svc-authorized', methods: 'update,patch', actions: '*',
      customAuthz: "ownDataOnly() && onlyEditableManagedObjectProperties('user', [])" },
    { pattern: 'managed/assignment/*', roles: 'internal/role/svc-authorized', methods: 'read', actions: '*' },
  ] };`,
};
