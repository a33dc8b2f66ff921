import {
  type Connector,
  ConnectorError,
  DeltaCursorInvalid,
  type RefusedSite,
  type SourceScope,
} from '../connectors/connector.ts';
import { ServiceError, validationFailed } from '../kernel/errors.ts';

/** `complete`: these are all scopes of the source. Otherwise `nextPageToken`, unless null, says where to go on. */
export type ListedScopes = {
  scopes: SourceScope[];
  /** Sites that the source did not list. */
  refused: RefusedSite[];
  nextPageToken: string | null;
  complete: boolean;
};

/**
 * The scopes of a source from a page on (null: from the first), each once, as many as it lists in `withinMs`. What was
 * listed before the time ran out or the source failed counts. Throws `validation_failed` for an unknown page token, and
 * `blocked_capability` if the source lists nothing.
 */
export async function listedScopes(
  connector: Connector,
  pageToken: string | null,
  withinMs: number,
): Promise<ListedScopes> {
  const signal = AbortSignal.timeout(withinMs);
  const scopes = new Map<string, SourceScope>();
  const refused: RefusedSite[] = [];
  let next = pageToken;
  let pages = 0;
  do {
    try {
      const page = await connector.listScopes(next, signal);
      for (const scope of page.scopes) scopes.set(scope.externalId, scope);
      refused.push(...(page.refused ?? []));
      next = page.nextPageToken;
      pages++;
    } catch (error) {
      if (!(error instanceof ConnectorError)) throw error;
      if (pages === 0) throw refusal(error);
      break;
    }
  } while (next !== null);
  return {
    scopes: [...scopes.values()],
    refused,
    nextPageToken: next,
    complete: pageToken === null && next === null,
  };
}

function refusal(error: ConnectorError): ServiceError {
  if (error instanceof DeltaCursorInvalid)
    return validationFailed([
      { path: 'pageToken', message: 'The source does not know this page. Start again without it.' },
    ]);
  return new ServiceError(
    'blocked_capability',
    `The source listed nothing (${error.safeDiagnostic}). The test of the connector says what is missing.`,
  );
}
