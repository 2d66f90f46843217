/*
 * The caller's tasks by what kind of task they are: GET endpoint/gettasksview?_queryId=tasks&viewType=assignee. Without
 * viewType=assignee it is those that the caller or one of the caller's roles may claim, each with whom it may be given to.
 * It answers in pages of 100 tasks at most, and fewer where they are large; pagedResultsCookie says that there are more, and
 * together with _pageSize asks for them. conf/endpoint-gettasksview.json puts it there.
 */
(function () {
  // Far from what a script may take and answer, however many tasks there are.
  var MOST_TASKS = 100;
  var MOST_CHARACTERS = 500000;

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
    var params = {
      _queryId: 'filtered-query',
      _sortKeys: 'createTime',
      _pageSize: Math.min(request.pageSize || MOST_TASKS, MOST_TASKS),
    };
    if (request.pagedResultsCookie) params._pagedResultsCookie = request.pagedResultsCookie;
    else params._pagedResultsOffset = request.pagedResultsOffset;
    if (isOwn) {
      if (name === null) return { result: [], pagedResultsCookie: null };
      params.assignee = name;
    } else {
      if (name !== null) params.taskCandidateUser = name;
      params.taskCandidateGroup = security.authorization.roles.join(',');
    }
    return svc.query('workflow/taskinstance', params, ['_id']);
  }

  function detailed(row) {
    var task = svc.read('workflow/taskinstance/' + encodeURIComponent(row._id));
    if (task === null) return null;
    var process = 'workflow/processdefinition/' + encodeURIComponent(task.processDefinitionId);
    var path = process + '/taskdefinition/' + encodeURIComponent(task.taskDefinitionKey);
    var instance =
      once(instances, 'workflow/processinstance/' + encodeURIComponent(task.processInstanceId)) || {};
    task.taskDefinition = once(definitions, path);
    task.businessKey = instance.businessKey || null;
    task.startTime = instance.startTime || null;
    task.startUserId = instance.startUserId || null;
    if (!isOwn) task.usersToAssign = usersFor(task);
    return task;
  }

  var view = {};
  var page = list();
  var begin = Number(request.pagedResultsCookie || request.pagedResultsOffset || 0);
  var cookie = page.pagedResultsCookie;
  var characters = 0;
  for (var at = 0; at < page.result.length; at++) {
    var task = detailed(page.result[at]);
    if (task === null) continue;
    var length = JSON.stringify(task).length;
    if (characters > 0 && characters + length > MOST_CHARACTERS) {
      cookie = String(begin + at);
      break;
    }
    characters += length;
    // Tasks of the same key in other processes, or versions of one, are of another kind.
    var kind = task.taskDefinitionKey + ':' + task.processDefinitionId;
    view[kind] = view[kind] || { name: task.name, tasks: [] };
    view[kind].tasks.push(task);
  }
  return { result: Object.keys(view).length === 0 ? [] : [view], pagedResultsCookie: cookie };
})();
