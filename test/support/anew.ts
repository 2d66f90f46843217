import { request } from 'node:http';
import { ADMIN_PASSWORD, type Api } from './api.ts';

/** Calls a server over a connection of its own each time: which of its threads has it is the kernel's choice. */
export function askAnew(url: string): Api {
  return (method, path, { body, headers = {}, user = 'svc-admin', password = ADMIN_PASSWORD } = {}) =>
    new Promise((resolve, reject) => {
      const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
      const asked = request(`${url}/${path.startsWith('/') ? path.slice(1) : `svc/${path}`}`, {
        method,
        agent: false,
        headers: {
          ...(user === null ? {} : { 'X-Svc-Username': user, 'X-Svc-Password': password }),
          ...(text === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
      });
      asked.once('error', reject);
      asked.once('response', (message) => {
        let answer = '';
        message.setEncoding('utf8');
        message.on('data', (chunk) => {
          answer += chunk;
        });
        message.once('error', reject);
        message.once('end', () => {
          const isJson = String(message.headers['content-type']).startsWith('application/json');
          resolve({
            status: message.statusCode ?? 0,
            headers: new Headers(
              Object.entries(message.headers).map(([name, value]): [string, string] => [name, String(value)]),
            ),
            body: isJson && answer !== '' ? JSON.parse(answer) : answer,
          });
        });
      });
      asked.end(text);
    });
}
