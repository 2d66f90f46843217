/*
 * Answers each kind of request with what a script sees of it: an example, and a help for whoever writes endpoints.
 * conf/endpoint-echo.json puts it at /endpoint/echo.
 */
(function () {
  var answer = {
    method: request.method,
    resourceName: request.resourcePath,
    parameters: request.additionalParameters,
    fields: request.fields,
    context: context.current,
  };

  switch (request.method) {
    case 'create':
      answer.newResourceId = request.newResourceId;
      answer.content = request.content;
      return answer;
    case 'read':
      return answer;
    case 'update':
      answer.revision = request.revision;
      answer.content = request.content;
      return answer;
    case 'patch':
      answer.revision = request.revision;
      answer.patch = request.patchOperations;
      return answer;
    case 'delete':
      answer.revision = request.revision;
      return answer;
    case 'action':
      answer.action = request.action;
      answer.content = request.content;
      return answer;
    case 'query':
      answer.queryFilter = request.queryFilter;
      answer.queryId = request.queryId;
      answer.queryExpression = request.queryExpression;
      answer.sortKeys = request.sortKeys;
      answer.pageSize = request.pageSize;
      answer.pagedResultsOffset = request.pagedResultsOffset;
      answer.pagedResultsCookie = request.pagedResultsCookie;
      answer.totalPagedResultsPolicy = request.totalPagedResultsPolicy;
      return [answer];
    default:
      throw { code: 500, message: 'Unknown request method ' + request.method };
  }
})();
