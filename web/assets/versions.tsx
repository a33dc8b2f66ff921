import type { AssetDetail } from '../../client/generated/service.schemas.ts';
import { bytes } from '../design/bytes.ts';
import { Time } from '../design/time.tsx';
import { contentInWords } from '../shell/labels.ts';

export function Versions({ asset: { versions } }: { asset: AssetDetail }) {
  return (
    <table className="table">
      <thead>
        <tr>
          <th scope="col">Version</th>
          <th scope="col">Seen</th>
          <th scope="col">Size</th>
          <th scope="col">Content</th>
        </tr>
      </thead>
      <tbody>
        {versions.items.map(({ version, observedAt, sizeBytes, unreadParts, ...content }) => (
          <tr key={version}>
            <td>{version}</td>
            <td>
              <Time at={observedAt} />
            </td>
            <td>{bytes(sizeBytes)}</td>
            <td>
              {contentInWords(content)}
              {unreadParts !== null && unreadParts > 0 && `, ${unreadParts} parts not read`}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
