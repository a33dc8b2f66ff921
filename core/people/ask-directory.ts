import { isGoogle } from '../auth/claims.ts';
import { issuerOf } from '../auth/identity-provider.ts';
import type { Config } from '../config/config.ts';
import { ConnectorError, isNotGranted } from '../connectors/connector.ts';
import { type AddressBook, addressBookOf, type Directory } from '../connectors/directory.ts';
import { createBoxAddressBook } from '../connectors/file-box/box-address-book.ts';
import { createGraphDirectory } from '../connectors/m365/graph-directory.ts';
import type { SourceParts } from '../integrations/connector-for.ts';
import { missingFor } from '../integrations/integrations.ts';
import { ServiceError } from '../kernel/errors.ts';

type DirectorySource = Pick<SourceParts, 'config' | 'graph' | 'cloudDrive' | 'fileBox' | 'fixture'>;

/** `stopping` aborts when the process is asked to end. */
export type DirectoryParts = DirectorySource & { stopping: AbortSignal };

/**
 * Asks the directory, for `withinMs` at most; never inside a transaction. Throws `blocked_capability` where there is none,
 * or where it does not answer.
 */
export async function askDirectory<T>(
  { stopping, ...source }: DirectoryParts,
  withinMs: number,
  ask: (directory: Directory, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const directory = directoryFor(source);
  if (directory === null) {
    const missing = missingFor(
      source.config,
      signsInByGoogle(source.config) ? 'cloudDriveConnector' : 'connector',
    );
    throw new ServiceError(
      'blocked_capability',
      `No directory of people is connected: set ${missing.join(', ')}.`,
    );
  }
  return answered('directory of people', stopping, withinMs, (signal) => ask(directory, signal));
}

/** Asks an address book, as `askDirectory` asks the directory. What a source does not allow to ask is nothing. */
export const askAddressBook = <T>(
  { stopping }: Pick<DirectoryParts, 'stopping'>,
  withinMs: number,
  none: T,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> =>
  answered('address book of a source', stopping, withinMs, async (signal) => {
    try {
      return await ask(signal);
    } catch (error) {
      const isRefused = error instanceof ConnectorError && error.safeDiagnostic.endsWith('_403');
      if (isRefused || isNotGranted(error)) return none;
      throw error;
    }
  });

async function answered<T>(
  what: string,
  stopping: AbortSignal,
  withinMs: number,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  try {
    return await ask(AbortSignal.any([stopping, AbortSignal.timeout(withinMs)]));
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error;
    const { retryClass, safeDiagnostic } = error;
    throw new ServiceError(
      'blocked_capability',
      retryClass === 'auth'
        ? `The ${what} refused to answer (${safeDiagnostic}). The connector needs its permission.`
        : `The ${what} gave no answer (${safeDiagnostic}). Try again.`,
    );
  }
}

/**
 * The directory of the organisation, as the configuration has it now; null where its credentials are missing. Where Google
 * signs people in, it is that of Google alone, whose ids recognise them.
 */
export function directoryFor({ config, graph, cloudDrive, fixture }: DirectorySource): Directory | null {
  const isMock = config.SVC_CONNECTOR_MODE === 'mock';
  if (isMock && fixture !== null) return fixture.directory;
  if (signsInByGoogle(config)) return cloudDrive?.directory() ?? null;
  return isMock ? null : graphDirectory(graph);
}

/** What sources say of people beside the directory, by addresses: their ids recognise nobody. */
export function addressBooksFor({ config, graph, cloudDrive, fileBox }: DirectorySource): AddressBook[] {
  const box = fileBox?.reads('interactive') ?? null;
  const other = signsInByGoogle(config) ? graphDirectory(graph) : (cloudDrive?.directory() ?? null);
  return [
    ...(other === null ? [] : [addressBookOf(other)]),
    ...(box === null ? [] : [createBoxAddressBook(box.admin)]),
  ];
}

const signsInByGoogle = (config: Config): boolean => {
  const issuer = issuerOf(config);
  return issuer !== null && isGoogle(issuer);
};

function graphDirectory(graph: SourceParts['graph']): Directory | null {
  const client = graph.reads('interactive');
  return client === null ? null : createGraphDirectory(client);
}
