import type { Config } from '../config/config.ts';
import type { CallPriority } from '../connectors/cloud-http/call-gate.ts';
import type { TokenSource } from '../connectors/cloud-http/token-source.ts';
import { BOX_CLOUD, type BoxCloud } from '../connectors/file-box/box-calls.ts';
import { type BoxClient, createBoxClient } from '../connectors/file-box/box-client.ts';
import { type BoxSubject, clientTokens, downloadTokens } from '../connectors/file-box/box-tokens.ts';
import type { FileBoxOptions } from '../connectors/file-box/file-box-connector.ts';
import type { Db } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import { CallPace } from './call-pace.ts';
import { sharedPause } from './call-pause.sql.ts';
import { countedAs } from './count-calls.ts';
import { missingFor } from './integrations.ts';

type FileBoxAccessParts = { config: Config; db: Db; clock: Clock; metrics: Metrics; log: Logger };

/** The ways of this process to Box: one pace of calls, and the tokens of each account that it reads as. */
export type FileBoxAccess = {
  /** Null where the configuration is not complete. */
  reads(priority: CallPriority): FileBoxOptions | null;
};

/** Box allows 1,000 calls a minute to an account. Nearly all are of the one that reads. */
const MOST_A_SECOND = 1_000 / 60;

/** @param cloud another than Box itself: that of a fake */
export function createFileBoxAccess(
  { config, db, clock, metrics, log }: FileBoxAccessParts,
  cloud: BoxCloud = BOX_CLOUD,
): FileBoxAccess {
  const {
    SVC_FILE_BOX_CLIENT_ID: clientId = '',
    SVC_FILE_BOX_ENTERPRISE_ID: enterpriseId = '',
    SVC_FILE_BOX_USER_ID: userId,
  } = config;
  const parts = { cloud, ...countedAs(metrics, 'box') };
  const pause = sharedPause(db, `box:${enterpriseId}`);
  const onFailure = (error: unknown) => log.warn('call_pause_failed', {}, error);
  const gate = new CallPace(pause, onFailure, MOST_A_SECOND);
  // The secret is found again for each token, so that another one takes effect without a restart.
  const identity = { clientId, secret: () => config.secret('SVC_FILE_BOX_CLIENT_SECRET_REF') };
  const enterprise: BoxSubject = { type: 'enterprise', id: enterpriseId };
  const adminTokens = clientTokens(parts, identity, enterprise);
  const readerTokens =
    userId === undefined ? adminTokens : clientTokens(parts, identity, { type: 'user', id: userId });
  const contentTokens = new Map(
    config.SVC_FILE_BOX_FOLDERS.map((folderId) => [folderId, downloadTokens(parts, readerTokens, folderId)]),
  );
  const clientOf = (tokens: TokenSource, priority: CallPriority): BoxClient =>
    createBoxClient({ ...parts, tokens, gate, priority, clock });

  return {
    reads: (priority) => {
      if (missingFor(config, 'fileBoxConnector').length > 0) return null;
      const contents = new Map(
        Array.from(contentTokens, ([folderId, tokens]) => [folderId, clientOf(tokens, priority)]),
      );
      const reader = clientOf(readerTokens, priority);
      return {
        reader,
        admin: clientOf(adminTokens, priority),
        contents: (folderId) => contents.get(folderId) ?? reader,
        account: userId ?? enterpriseId,
        folders: config.SVC_FILE_BOX_FOLDERS,
        readsEvents: config.SVC_FILE_BOX_EVENTS,
        clock,
      };
    },
  };
}
