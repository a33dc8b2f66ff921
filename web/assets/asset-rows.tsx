import { memo, type ReactNode } from 'react';
import type { AssetSummary } from '../../client/generated/service.schemas.ts';
import { bytes } from '../design/bytes.ts';
import { Chip } from '../design/chip.tsx';
import { Severity } from '../design/severity.tsx';
import { Time } from '../design/time.tsx';
import { CONTENT_NAMES, LABEL_NAMES } from '../shell/labels.ts';
import { useRowLinks } from '../shell/row-link.ts';
import { COLUMN_NAMES, type Column } from './columns.tsx';
import { rowsRead } from './table-read.tsx';

/** Files with the chosen columns. Narrow screens show each as a card, with the names of the columns. */
export const AssetRows = memo(function AssetRows({
  items,
  columns,
}: {
  items: readonly AssetSummary[];
  columns: readonly Column[];
}) {
  return (
    <table className="table cards">
      <thead>
        <tr>
          <th scope="col">Name</th>
          {columns.map((column) => (
            <th scope="col" key={column} className={column === 'size' ? 'num' : undefined}>
              {COLUMN_NAMES[column]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {items.map((asset) => (
          <Row key={asset.assetId} asset={asset} columns={columns} />
        ))}
      </tbody>
    </table>
  );
});

/** A row that is there already is not drawn again when others follow. */
const Row = memo(function Row({ asset, columns }: { asset: AssetSummary; columns: readonly Column[] }) {
  return (
    <tr>
      <th scope="row">
        <a href={`/assets/${asset.assetId}`} dir="auto" {...useRowLinks()}>
          {asset.name}
        </a>
        {asset.kind === 'table' && <Chip>{asset.table?.kind === 'view' ? 'View' : 'Table'}</Chip>}
        <div className="dim place">
          {asset.scopeName} / {asset.path}
        </div>
      </th>
      {columns.map((column) => (
        <td key={column} data-name={COLUMN_NAMES[column]} className={column === 'size' ? 'num' : undefined}>
          {CELLS[column](asset)}
        </td>
      ))}
    </tr>
  );
});

const NOTHING = <span className="dim">none</span>;

const CELLS: Readonly<Record<Column, (asset: AssetSummary) => ReactNode>> = {
  type: ({ classification }) =>
    classification === null ? (
      <span className="dim">nobody’s</span>
    ) : (
      <>
        {classification.informationTypeName ?? 'No type'}
        <div className="dim">
          {classification.domainName}
          {classification.status === 'confirmed' ? ', confirmed' : ', by the model'}
        </div>
      </>
    ),
  risk: ({ riskSeverity }) => (riskSeverity === null ? NOTHING : <Severity level={riskSeverity} />),
  label: ({ labelState, labelName }) => (labelState === 'labeled' ? labelName : LABEL_NAMES[labelState]),
  content: ({ contentState, table }) => (
    <>
      {contentState === 'available' ? (
        CONTENT_NAMES[contentState]
      ) : (
        <Chip tone="dashed">{CONTENT_NAMES[contentState]}</Chip>
      )}
      {table !== null && <div className="dim">{rowsRead(table)}</div>}
    </>
  ),
  format: ({ format }) => format ?? <span className="dim">not known</span>,
  size: ({ sizeBytes }) => bytes(sizeBytes),
  changed: ({ sourceModifiedAt }) => (sourceModifiedAt === null ? '' : <Time at={sourceModifiedAt} />),
  seen: ({ lastSeenAt }) => <Time at={lastSeenAt} />,
};
