import type { AiProvider } from '../ai/provider.ts';
import type { DataHandlingProfile } from './asset-state.sql.ts';

/** Whether no text of a tenant with this profile leaves the deployment. */
export const keepsTextIn = (profile: DataHandlingProfile, { mode }: Pick<AiProvider, 'mode'>): boolean =>
  profile === 'metadata_only' && mode === 'live';
