/*
 * The caller's tasks by what kind of task they are: GET endpoint/gettasksview?_queryId=tasks&viewType=assignee. Without
 * viewType=assignee it is those that the caller or one of the caller's roles may claim, each with whom it may be given to.
 * conf/endpoint-gettasksview.json puts it there.
 */
(function () {
  if (request.method !== 'query') throw { code: 501, message: 'Tasks can only be queried here' };
  var security = context.security;
  var name = require('auth/customAuthz').nameInProcesses();
  var isOwn = request.additionalParameters.viewType === 'assignee';
  var definitions = {};
  var instances = {};
  var usersFor = require('workflow/candidates').finder();

  function once(known, path) {
    if (!Object.hasOwn(known, path)) known[path] = svc.read(path);
    return known[path];
  }

  function list() {
    var params = { _queryId: 'filtered-query', _sortKeys: 'createTime' };
    if (isOwn) {
      if (name === null) return [];
      params.assignee = name;
    } else {
      if (name !== null) params.taskCandidateUser = name;
      params.taskCandidateGroup = security.authorization.roles.join(',');
    }
    return svc.query('workflow/taskinstance', params, ['_id']).result;
  }

  var view = {};
  list().forEach(function (row) {
    var task = svc.read('workflow/taskinstance/' + encodeURIComponent(row._id));
    if (task === null) return;
    var process = 'workflow/processdefinition/' + encodeURIComponent(task.processDefinitionId);
    var path = process + '/taskdefinition/' + encodeURIComponent(task.taskDefinitionKey);
    var instance =
      once(instances, 'workflow/processinstance/' + encodeURIComponent(task.processInstanceId)) || {};
    task.taskDefinition = once(definitions, path);
    task.businessKey = instance.businessKey || null;
    task.startTime = instance.startTime || null;
    task.startUserId = instance.startUserId || null;
    if (!isOwn) task.usersToAssign = usersFor(task);
    // Tasks of the same key in other processes, or versions of one, are of another kind.
    var kind = task.taskDefinitionKey + ':' + task.processDefinitionId;
    view[kind] = view[kind] || { name: task.name, tasks: [] };
    view[kind].tasks.push(task);
  });
  return Object.keys(view).length === 0 ? [] : [view];
})();
