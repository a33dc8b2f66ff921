import { Link } from '@tanstack/react-router';
import type { Action } from '../../client/generated/service.schemas.ts';

type Target = Pick<Action, 'targetAssetId' | 'targetAssetName' | 'targetAssetPath' | 'targetScopeName'>;

/** What an action is about. Its name is absent for those who may not see it. */
export const TargetFile = ({ target }: { target: Target }) =>
  target.targetAssetName === null ? (
    <p className="dim">An asset that you may not see</p>
  ) : (
    <div>
      <Link to="/assets/$assetId" params={{ assetId: target.targetAssetId }} dir="auto">
        {target.targetAssetName}
      </Link>
      <div className="dim">
        {target.targetScopeName} / {target.targetAssetPath}
      </div>
    </div>
  );
