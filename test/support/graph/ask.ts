import type { GraphFake } from './graph-fake.ts';

type Row = { id: string; [name: string]: unknown };

/** What tests read of answers. Which of it an answer has, its status and its path tell. */
type Told = Row & {
  value: Row[];
  '@odata.nextLink': string;
  '@odata.deltaLink': string;
  error: { code: string; message: string };
  responses: { id: string; status: number; headers: Record<string, string>; body: Told }[];
};

type Answered = { status: number; headers: Headers; location: string; body: Told };

/** Asks the fake as an application, without the product's client. Paths begin after the version; links are whole. */
export function asker(fake: GraphFake, clientId: string) {
  const bearer = { token: fake.token(clientId) };
  const ask = async (
    method: string,
    path: string,
    { headers = {}, body }: { headers?: Record<string, string>; body?: unknown } = {},
  ): Promise<Answered> => {
    const response = await fetch(path.startsWith('http') ? path : `${fake.graphOrigin}/v1.0${path}`, {
      method,
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${bearer.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      ...{ status: response.status, headers: response.headers, body: parsed(text) },
      location: response.headers.get('location') ?? '',
    };
  };
  return {
    get: (path: string, headers: Record<string, string> = {}) => ask('GET', path, { headers }),
    post: (path: string, body?: unknown, headers: Record<string, string> = {}) =>
      ask('POST', path, { body, headers }),
    patch: (path: string, body: unknown) => ask('PATCH', path, { body }),
    delete: (path: string) => ask('DELETE', path),
    /** Takes another token, with the permissions of now. */
    signInAgain: (): void => {
      bearer.token = fake.token(clientId);
    },
  };
}

/** Bodies that are not JSON, such as contents, are told as their text in `id`. */
function parsed(text: string): Told {
  try {
    return JSON.parse(text) as Told;
  } catch {
    return { id: text } as Told;
  }
}
