/*
 * Who may have a task: GET endpoint/getavailableuserstoassign/<task id>, or ?taskId=<task id>. A query answers the same as
 * its only row. conf/endpoint-getavailableuserstoassign.json puts it there.
 */
(function () {
  if (request.method !== 'read' && request.method !== 'query') {
    throw { code: 501, message: 'Who may have a task can only be read' };
  }
  var id = request.resourcePath || request.additionalParameters.taskId;
  if (!id) throw { code: 400, message: 'The id of a task is missing: getavailableuserstoassign/<task id>' };
  var task = svc.read('workflow/taskinstance/' + encodeURIComponent(id));
  if (task === null) throw { code: 404, message: 'There is no task ' + id };
  var answer = require('workflow/candidates').finder()(task);
  return request.method === 'query' ? [answer] : answer;
})();
