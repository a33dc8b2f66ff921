import type { Config } from '../config/config.ts';
import type { Connector } from '../connectors/connector.ts';
import type { Directory } from '../connectors/directory.ts';
import type { LabelWriter } from '../connectors/label-writer.ts';
import type { MessageFamily, MessageSource } from '../connectors/message-source.ts';
import type { Db, Tx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';

/** What development reads in place of Microsoft 365: the documents, people and labels of a made-up company. */
export type FixtureCompany = {
  directory: Directory;
  connector(db: Db, tenantId: TenantId): Connector;
  messages(family: MessageFamily): MessageSource;
  labelWriter(db: Db, tenantId: TenantId, clock: Clock): LabelWriter;
  /**
   * Changes the company as its people would.
   * Throws `not_found` if the scope or item does not exist or no longer exists, and `validation_failed` for an invalid
   * name or label.
   */
  mutate(tx: Tx, mutation: FixtureMutation, now: number): Promise<MutatedItem>;
};

/** An action on a scope. All actions except `add` and `request_resync` also need the item. Options have defaults. */
export type FixtureMutation = {
  action:
    | 'add'
    | 'edit'
    | 'rename'
    | 'overshare'
    | 'restrict'
    | 'set_label'
    | 'clear_label'
    | 'delete'
    | 'request_resync';
  scopeExternalId: string;
  fileId?: string | undefined;
  content?: string | undefined;
  name?: string | undefined;
  labelGuid?: string | undefined;
};

/** The item of an action with its new versions. All fields are null for an action on the scope. */
export type MutatedItem = {
  fileId: string | null;
  sourceVersion: string | null;
  contentVersion: string | null;
};

/**
 * Loads the company in development, if the configuration reads it. Null where it is not installed: it is beside the
 * local stack, and what is shipped does not have it.
 */
export async function loadFixtureCompany(config: Config): Promise<FixtureCompany | null> {
  if (config.SVC_ENV !== 'development' || config.SVC_CONNECTOR_MODE !== 'mock') return null;
  try {
    return (await import('../../infra/local/fixture/fixture-company.ts')).fixtureCompany;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return null;
    throw error;
  }
}
