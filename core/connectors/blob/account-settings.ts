import { z } from 'zod';
import { systemClock } from '../../kernel/clock.ts';
import type { TokenSource } from '../cloud-http/token-source.ts';
import { jsonFrom } from '../json-answer.ts';
import { kept, orNull } from '../kept.ts';
import { createBlobCalls } from './blob-calls.ts';

/** The account as Azure manages it. */
export type ManagedAccount = {
  /** The resource id of the account. */
  id: string;
  /** Address of Azure Resource Manager. */
  managementUrl: string;
  tokens: TokenSource;
};

/** What the account allows to callers without a credential. `limited`: only its networks are answered. */
export type AccountSettings = {
  publicAccess: 'allowed' | 'forbidden' | 'unknown';
  network: 'open' | 'limited' | 'unknown';
};

const UNKNOWN: AccountSettings = { publicAccess: 'unknown', network: 'unknown' };
/** Below it are the rights of `docs/permissions.md`. */
export const STORAGE_RIGHTS = 'Microsoft.Storage/storageAccounts/';
const API_VERSION = '2023-05-01';
const KEPT_MS = 10 * 60_000;

const Account = z.object({
  properties: z.object({
    allowBlobPublicAccess: z.boolean().nullish(),
    publicNetworkAccess: z.string().nullish(),
    networkAcls: z.object({ defaultAction: z.string().nullish() }).nullish(),
  }),
});

/** Reads the settings of the account, at most once in ten minutes. They are unknown if they may not be read. */
export function createAccountSettings(
  account: ManagedAccount | undefined,
): (signal: AbortSignal) => Promise<AccountSettings> {
  if (account === undefined) return async () => UNKNOWN;
  const { id, managementUrl, tokens } = account;
  const calls = createBlobCalls(
    { url: new URL(managementUrl), version: API_VERSION },
    { kind: 'token', tokens },
  );
  const read = async (signal: AbortSignal) => {
    const { status, bytes } = await calls.get(id, { 'api-version': API_VERSION }, signal);
    return status === 200 && bytes !== null ? settingsFrom(bytes) : UNKNOWN;
  };
  return kept(systemClock, KEPT_MS, async (signal) => (await orNull(() => read(signal))) ?? UNKNOWN);
}

/** An account of before the switch has none, and allows what its containers say. */
function settingsFrom(bytes: Uint8Array): AccountSettings {
  const account = Account.safeParse(jsonFrom(bytes));
  if (!account.success) return UNKNOWN;
  const { allowBlobPublicAccess, publicNetworkAccess, networkAcls } = account.data.properties;
  const isOpen =
    (publicNetworkAccess ?? 'Enabled') === 'Enabled' && (networkAcls?.defaultAction ?? 'Allow') === 'Allow';
  return {
    publicAccess: allowBlobPublicAccess === false ? 'forbidden' : 'allowed',
    network: isOpen ? 'open' : 'limited',
  };
}
