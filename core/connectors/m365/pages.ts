import type { PathValues } from '../cloud-http/call-path.ts';
import type { Answer } from '../cloud-http/calls.ts';
import { ConnectorError } from '../connector.ts';
import type { AllowedCall } from './allowed-calls.ts';
import type { CallOptions, GraphClient } from './graph-client.ts';

type Page<T> = { value: T[]; '@odata.nextLink'?: string | null | undefined };

type PagesOptions<T, E extends number> = CallOptions<Page<T>, E> & {
  /** How the first page is asked for; the others are always asked for alone. */
  by?: 'call' | 'batched';
  /** More pages than this are an error. */
  maxPages: number;
  /** No further page is asked for once there are so many entries. */
  enough?: number;
};

/**
 * The entries of a list, which Graph gives in pages: all of them, or `enough`. An expected status of any page is the
 * answer. The links are checked as by `follow`. Throws `ConnectorError` `graph_<call>_too_large` past `maxPages`, so that
 * a part is never taken for the whole.
 */
export async function pagesOf<T, E extends number = never>(
  client: GraphClient,
  name: AllowedCall,
  values: PathValues,
  { by = 'call', maxPages, enough = Number.POSITIVE_INFINITY, query, ...options }: PagesOptions<T, E>,
): Promise<Answer<T[], E>> {
  const entries: T[] = [];
  const first = query === undefined ? options : { ...options, query };
  let answer: Answer<Page<T>, number> = await client[by]<Page<T>, number>(name, values, first);
  for (let pages = 1; answer.ok; pages++) {
    entries.push(...answer.body.value);
    const next = answer.body['@odata.nextLink'];
    if (!next || entries.length >= enough) return { ...answer, body: entries };
    if (pages === maxPages) throw new ConnectorError('permanent', `graph_${name}_too_large`);
    answer = await client.follow<Page<T>, number>(name, values, next, options);
  }
  // Nothing but the statuses of `E` is expected.
  return answer as Answer<T[], E>;
}
