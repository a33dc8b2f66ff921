import type { OpenAiSettings } from './openai.ts';
import type { AiProvider } from './provider.ts';

/**
 * The provider of `openai.ts`, which is imported when it is first asked: its package has hundreds of files, and many
 * deployments configure no provider.
 */
export function openAiOnDemand(settings: OpenAiSettings): AiProvider {
  const { deployment, chatDeployment } = settings;
  let loaded: Promise<AiProvider> | undefined;
  const provider = () => {
    loaded ??= import('./openai.ts').then(({ openAiProvider }) => openAiProvider(settings));
    return loaded;
  };
  const embed: AiProvider['embed'] = async (...asked) => (await provider()).embed(...asked);
  const common = { name: 'openai', model: deployment, mode: 'live', embed } as const;
  if (chatDeployment === null) return { ...common, taxonomy: null, planner: null, opinion: null };
  const chat = async <P extends 'taxonomy' | 'planner' | 'opinion'>(part: P) => {
    const found = (await provider())[part];
    if (found === null) throw new Error('A provider with a chat deployment has every part');
    return found;
  };
  return {
    ...common,
    taxonomy: {
      model: chatDeployment,
      propose: async (...asked) => (await chat('taxonomy')).propose(...asked),
    },
    planner: { model: chatDeployment, plan: async (...asked) => (await chat('planner')).plan(...asked) },
    opinion: { model: chatDeployment, ask: async (...asked) => (await chat('opinion')).ask(...asked) },
  };
}
