import { z } from 'zod';
import { readableBy } from '../authz/action-visibility.sql.ts';
import { type Principal, type Visibility, visibilityOf } from '../authz/principal.ts';
import type { Tx } from '../db/tx.ts';
import { FindingSchema, findingsOf, ListedFindingSchema } from './finding-list.sql.ts';
import { type AssetFindings, AssetFindingsSchema } from './findings-by-asset.sql.ts';
import { withRemedies } from './remedies.sql.ts';
import { type Remediable, RemedySchema } from './remedy.ts';

/** A finding of an asset, with what to do about it. */
export const ShownFindingSchema = FindingSchema.extend(RemedySchema.shape);

/** A finding in a list, with what to do about it. */
export const ShownListedFindingSchema = ListedFindingSchema.extend(RemedySchema.shape);

/** An asset with its findings, and what to do about each. */
export const ShownAssetFindingsSchema = AssetFindingsSchema.extend({ findings: z.array(ShownFindingSchema) });

type Reader = { principal: Principal; visibility: Visibility };

/** Adds to findings that the reader may see what to do about them. */
export const shownFindings = <T extends Remediable>(
  tx: Tx,
  { principal, visibility }: Reader,
  findings: readonly T[],
) =>
  withRemedies(
    tx,
    { visibility, drafts: visibilityOf(principal, 'action.draft'), actions: readableBy(principal).actions },
    findings,
  );

/** The same for findings that are grouped by asset. */
export async function shownByAsset(tx: Tx, reader: Reader, assets: readonly AssetFindings[]) {
  const shown = await shownFindings(
    tx,
    reader,
    assets.flatMap(({ findings }) => findings),
  );
  const byId = new Map(shown.map((each) => [each.findingId, each]));
  return assets.map((asset) => ({
    ...asset,
    findings: asset.findings.flatMap(({ findingId }) => byId.get(findingId) ?? []),
  }));
}

/** All findings on an asset that the reader may see. */
export const shownFindingsOf = async (tx: Tx, reader: Reader, assetId: string) =>
  shownFindings(tx, reader, await findingsOf(tx, assetId));
