import type { Call } from '#client/index.ts';
import { BASE } from '../session/client.ts';

/** The same request for a shell, for the command line of the server, and for a program. */
export function copiesOf(
  call: Call,
): readonly { readonly id: string; readonly title: string; readonly text: string }[] {
  return [
    { id: 'curl', title: 'curl', text: curlOf(call) },
    { id: 'svc', title: 'svc', text: svcOf(call) },
    { id: 'typescript', title: 'TypeScript', text: typescriptOf(call) },
  ];
}

function pathOf({ path, parameters = {} }: Call): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) search.set(name, value);
  return `${path.map(encodeURIComponent).join('/')}${search.size === 0 ? '' : `?${search}`}`;
}

function curlOf(call: Call): string {
  const url = `${location.origin}${BASE.replace(/console\/$/, '')}svc/${pathOf(call)}`;
  const headers = {
    ...(call.body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...call.headers,
  };
  return [
    'curl -u "$SVC_USER:$SVC_PASSWORD"',
    ...(call.method === 'GET' ? [] : [`-X ${call.method}`]),
    quoted(url),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(call.body === undefined ? [] : [`-d ${quoted(JSON.stringify(call.body))}`]),
  ].join(' ');
}

function svcOf(call: Call): string {
  const line = `svc api ${call.method} ${quoted(pathOf(call))}`;
  return call.body === undefined ? line : `echo ${quoted(JSON.stringify(call.body))} | ${line} -f -`;
}

function typescriptOf({ method, path, parameters, headers, body }: Call): string {
  return `await client.send(${JSON.stringify({ method, path, parameters, headers, body }, null, 2)});`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
