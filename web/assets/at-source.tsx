import type { AssetDetail } from '../../client/generated/service.schemas.ts';
import { Chip } from '../design/chip.tsx';
import { Time } from '../design/time.tsx';

/** Tags, and what keeps the file from being changed or deleted. Null if the source reports neither. */
export function AtSource({ asset: { tags, retention } }: { asset: AssetDetail }) {
  if (tags.length === 0 && retention === null) return null;
  return (
    <section className="card stack" aria-label="At the source">
      <h2>At the source</h2>
      {tags.length > 0 && (
        <div className="row">
          {tags.map(({ name, value }) => (
            <Chip key={name}>
              <bdi>{name}</bdi>: <bdi>{value}</bdi>
            </Chip>
          ))}
        </div>
      )}
      {retention?.legalHold && <p>A legal hold keeps it from being changed or deleted.</p>}
      {retention?.immutable && (
        <p>
          A policy keeps it from being changed or deleted
          {retention.immutableUntil !== null && (
            <>
              {' until '}
              <Time at={retention.immutableUntil} />
            </>
          )}
          .
        </p>
      )}
    </section>
  );
}
