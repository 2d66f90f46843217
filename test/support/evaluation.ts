import type { Api } from './api.ts';

/** Scripts that are evaluated over REST. */
export function evaluationOf(api: () => Api) {
  const answer = (source: string, query = '') =>
    api()('POST', `script?_action=eval${query}`, { body: { type: 'text/javascript', source } });
  const value = async (source: string) => {
    const { status, body } = await answer(source);
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body;
  };
  return {
    answer,
    /** What a script comes to; it must not fail. */
    value,
  };
}
