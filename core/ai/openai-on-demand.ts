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
  return {
    name: 'openai',
    model: deployment,
    mode: 'live',
    embed: async (texts, signal, meter) => (await provider()).embed(texts, signal, meter),
    taxonomy:
      chatDeployment === null
        ? null
        : {
            model: chatDeployment,
            propose: async (input, signal, meter) => {
              const { taxonomy } = await provider();
              if (taxonomy === null) throw new Error('A provider with a chat deployment drafts taxonomies');
              return taxonomy.propose(input, signal, meter);
            },
          },
    planner:
      chatDeployment === null
        ? null
        : {
            model: chatDeployment,
            plan: async (input, schema, signal, meter) => {
              const { planner } = await provider();
              if (planner === null) throw new Error('A provider with a chat deployment plans questions');
              return planner.plan(input, schema, signal, meter);
            },
          },
  };
}
