/*
 * Who may do what from outside. Rules are tried in order, the first that grants wins, and what no rule grants is
 * refused; there are no rules that deny. Lists are separated by commas without spaces, * stands for any.
 *
 *   pattern          *, a path, or prefix/* for everything below the prefix
 *   roles            roles of the caller
 *   methods          create, read, update, delete, patch, action, query
 *   actions          for the method action: which ones
 *   excludePatterns  paths that the rule does not grant
 *   customAuthz      an expression that must be true besides; it sees request and context. Known functions, such as
 *                    ownDataOnly(), cost nothing; any other expression runs as a script.
 */
var httpAccessConfig = {
  configs: [
    // Anybody who names themselves, also as anonymous.
    { pattern: 'info/*', roles: '*', methods: 'read', actions: '*' },
    { pattern: 'info/error', roles: '*', methods: 'query', actions: '' },
    { pattern: 'info/features', roles: '*', methods: 'query', actions: '' },
    {
      pattern: 'authentication',
      roles: '*',
      methods: 'read,action',
      actions: 'login,logout,redirect,callback',
    },
    { pattern: 'authentication', roles: 'svc-authorized', methods: 'action', actions: 'reauthenticate' },

    // What they may do; only administrators ask it of others.
    { pattern: 'access', roles: 'svc-authorized', methods: 'action', actions: 'may' },

    // What changes, of what they may read.
    { pattern: 'events', roles: 'svc-authorized', methods: 'read', actions: '' },

    // Their sessions; only administrators see, and end, those of others.
    { pattern: 'session', roles: 'svc-authorized', methods: 'query,action', actions: 'endAll' },
    { pattern: 'session/*', roles: 'svc-authorized', methods: 'read,delete', actions: '' },

    // Clients of SCIM: what conf/scim.json names, and nothing else. Everybody finds out what that is, and what they are in it.
    { pattern: 'scim/ServiceProviderConfig', roles: '*', methods: 'read', actions: '' },
    { pattern: 'scim/ResourceTypes', roles: '*', methods: 'query', actions: '' },
    { pattern: 'scim/ResourceTypes/*', roles: '*', methods: 'read', actions: '' },
    { pattern: 'scim/Schemas', roles: '*', methods: 'query', actions: '' },
    { pattern: 'scim/Schemas/*', roles: '*', methods: 'read', actions: '' },
    { pattern: 'scim/Me', roles: 'svc-authorized', methods: 'read,update,patch', actions: '' },
    { pattern: 'scim', roles: 'svc-scim', methods: 'query,action', actions: 'bulk' },
    { pattern: 'scim/*', roles: 'svc-scim', methods: 'create,read,update,delete,patch,query', actions: '' },

    // Administrators: everything; raw storage without commands.
    {
      pattern: '*',
      roles: 'svc-admin',
      methods: '*',
      actions: '*',
      excludePatterns: 'repo,repo/*',
    },
    {
      pattern: 'repo',
      roles: 'svc-admin',
      methods: '*',
      actions: '*',
      customAuthz: 'disallowCommandAction()',
    },
    {
      pattern: 'repo/*',
      roles: 'svc-admin',
      methods: '*',
      actions: '*',
      customAuthz: 'disallowCommandAction()',
    },

    // All links of a mapping may be deleted at once.
    { pattern: 'repo/link', roles: 'svc-admin', methods: 'action', actions: 'command' },
    { pattern: 'repo/links', roles: 'svc-admin', methods: 'action', actions: 'command' },

    // What they may see of the types, of what processes ask for at their start, and of their tasks.
    { pattern: 'schema', roles: 'svc-authorized', methods: 'read', actions: '' },
    { pattern: 'schema/managed/*', roles: 'svc-authorized', methods: 'read', actions: '' },
    { pattern: 'schema/process/*', roles: 'svc-authorized', methods: 'read', actions: '' },
    { pattern: 'schema/task/*', roles: 'svc-authorized', methods: 'read', actions: '' },

    // What they keep for themselves; views of others are shown to the roles that they are shared with.
    { pattern: 'preference', roles: 'svc-authorized', methods: 'create,query', actions: '' },
    { pattern: 'preference/*', roles: 'svc-authorized', methods: 'read,update,delete', actions: '' },
    { pattern: 'view', roles: 'svc-authorized', methods: 'create,query', actions: '' },
    { pattern: 'view/*', roles: 'svc-authorized', methods: 'read,update,delete', actions: '' },
    { pattern: 'draft', roles: 'svc-authorized', methods: 'create,query', actions: '' },
    { pattern: 'draft/*', roles: 'svc-authorized', methods: 'read,update,delete', actions: '' },

    // Objects that they may query, by how their names begin.
    { pattern: 'search', roles: 'svc-authorized', methods: 'read', actions: '' },

    // Users who have logged in: what the rules for properties are, and their own object. Raw objects are not shown, since
    // they hold the hash of a password.
    { pattern: 'policy/*', roles: 'svc-authorized', methods: 'read,action', actions: '*' },
    {
      pattern: '*',
      roles: 'svc-authorized',
      methods: 'read',
      actions: '',
      excludePatterns: 'repo/*',
      customAuthz: 'ownDataOnly()',
    },
    {
      pattern: '*',
      roles: 'svc-authorized',
      methods: 'update,patch,action',
      actions: 'patch',
      excludePatterns: 'repo/*',
      customAuthz:
        "ownDataOnly() && onlyEditableManagedObjectProperties('user', []) && reauthIfProtectedAttributeChange()",
    },
    // Why they have the roles that they have.
    {
      pattern: 'managed/user/*',
      roles: 'svc-authorized',
      methods: 'action',
      actions: 'explain',
      customAuthz: 'ownDataOnly()',
    },

    // Their tasks and processes.
    {
      pattern: 'workflow/taskinstance',
      roles: 'svc-authorized',
      methods: 'query',
      actions: '',
      customAuthz: 'isQueryForOwnTasks()',
    },
    { pattern: 'workflow/taskinstance', roles: 'svc-authorized', methods: 'action', actions: 'count' },
    {
      pattern: 'workflow/taskinstance/*',
      roles: 'svc-authorized',
      methods: 'action',
      actions: 'complete,resolve,unclaim',
      customAuthz: 'isMyTask()',
    },
    {
      pattern: 'workflow/taskinstance/*',
      roles: 'svc-authorized',
      methods: 'action',
      actions: 'claim,why',
      customAuthz: 'canUpdateTask()',
    },
    {
      pattern: 'workflow/taskinstance/*',
      roles: 'svc-authorized',
      methods: 'read,update',
      actions: '',
      customAuthz: 'canUpdateTask()',
    },
    {
      pattern: 'workflow/processinstance',
      roles: 'svc-authorized',
      methods: 'create',
      actions: '',
      customAuthz: 'isAllowedToStartProcess()',
    },
    {
      pattern: 'workflow/processdefinition/*',
      roles: 'svc-authorized',
      methods: 'read',
      actions: '',
      customAuthz: 'isAllowedToStartProcess()',
    },
    { pattern: 'endpoint/getprocessesforuser', roles: 'svc-authorized', methods: 'read', actions: '' },
    { pattern: 'endpoint/gettasksview', roles: 'svc-authorized', methods: 'query', actions: '' },

    // What they may ask for, and have asked for.
    { pattern: 'endpoint/requestables', roles: 'svc-authorized', methods: 'query', actions: '' },
    { pattern: 'endpoint/myrequests', roles: 'svc-authorized', methods: 'query', actions: '' },

    // What they are to be told.
    { pattern: 'endpoint/usernotifications', roles: 'svc-authorized', methods: 'read', actions: '' },
    { pattern: 'endpoint/usernotifications/*', roles: 'svc-authorized', methods: 'delete', actions: '' },

    // Callers with a client certificate may set the password of a user they name.
    {
      pattern: 'managed/user',
      roles: 'svc-cert',
      methods: 'patch,action',
      actions: 'patch',
      customAuthz: "restrictPatchToFields(['password'])",
    },
  ],
};
