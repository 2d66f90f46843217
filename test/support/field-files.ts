import { afterAll, beforeAll, expect } from 'vitest';
import type { Api } from './api.ts';
import { eventually } from './eventually.ts';
import { startTestServer, type TestServer } from './server.ts';
import { workflowApi } from './workflow.ts';

/** Process files in the namespaces that users of the field write, and a server that runs them. */
const head = `<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:activiti="http://activiti.org/bpmn" xmlns:flowable="http://flowable.org/bpmn" xmlns:bpmndi="http://www.omg.org/spec/BPMN/20100524/DI" xmlns:omgdc="http://www.omg.org/spec/DD/20100524/DC" xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" expressionLanguage="http://www.w3.org/1999/XPath" targetNamespace="Examples" typeLanguage="http://www.w3.org/2001/XMLSchema">`;
export const file = (body: string) => `${head}${body}</definitions>`;
export const flow = (from: string, to: string, cond = '') =>
  `<sequenceFlow id="f_${from}_${to}" sourceRef="${from}" targetRef="${to}">${cond === '' ? '' : `<conditionExpression xsi:type="tFormalExpression"><![CDATA[${cond}]]></conditionExpression>`}</sequenceFlow>`;
export const flows = (...ids: string[]) =>
  ids
    .slice(1)
    .map((id, n) => flow(ids[n]!, id))
    .join('');
export const groovy = (id: string, source: string, more = 'activiti:autoStoreVariables="false"') =>
  `<scriptTask id="${id}" name="${id}" scriptFormat="groovy" ${more}><script><![CDATA[${source}]]></script></scriptTask>`;
export const processOf = (id: string, body: string, attrs = '') =>
  `<process id="${id}" name="${id}" isExecutable="true" ${attrs}>${body}</process>`;

/** A server of its own, and what the tests do to the processes on it. */
export function fieldFileSite() {
  let server: TestServer;
  let api: Api;
  let workflow: ReturnType<typeof workflowApi>;
  const vars = async (id: string) => (await workflow.get(`processinstance/history/${id}`)).processVariables;
  const inst = (id: string) => workflow.get(`processinstance/history/${id}`);
  const ended = (id: string) =>
    eventually(
      () => inst(id),
      (i) => i.endTime !== null,
    );
  const deploy = async (key: string, xml: string) => {
    const r = await api('POST', 'workflow/deployment?_action=deploy', {
      body: { name: `${key}.bpmn20.xml`, content: xml },
    });
    expect(r.status, JSON.stringify(r.body)).toBe(200);
    return r.body;
  };
  const begin = async (key: string, xml: string, body: Record<string, unknown> = {}) => {
    await deploy(key, xml);
    return workflow.start(key, body);
  };
  const done = async (id: string, el: string, b: Record<string, unknown> = {}) => {
    const r = await workflow.completeAt(id, el, b);
    expect(r.status, JSON.stringify(r.body)).toBe(200);
  };
  const message = (name: string, more = {}) =>
    api('POST', 'workflow/message?_action=send', { body: { name, ...more } });
  const signal = (name: string, more = {}) =>
    api('POST', 'workflow/signal?_action=send', { body: { name, ...more } });

  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'service/delegates.js': `export const delegates = {
        greet: async ({ execution, fields }) => { execution.setVariable('greeting', fields.text + ' ' + fields.who); return 'r'; },
        notifier: async ({ execution, fields, eventName, task }) => { execution.setVariable('notified', [eventName, fields.note ?? null, task?.name ?? null]); },
      };`,
      },
    });
    ({ api } = server);
    workflow = workflowApi(api);
    for (const userName of ['kermit', 'fozzie', 'gonzo'])
      await api('POST', 'managed/user', {
        body: { userName, givenName: userName, sn: 'X', mail: `${userName}@example.com` },
      });
  });
  afterAll(() => server?.[Symbol.asyncDispose]());
  return {
    get server() {
      return server;
    },
    get api() {
      return api;
    },
    get workflow() {
      return workflow;
    },
    vars,
    inst,
    ended,
    deploy,
    begin,
    done,
    message,
    signal,
  };
}
