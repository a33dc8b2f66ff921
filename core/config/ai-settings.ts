import { amount, flag, prices, secretRef, text, url, whole } from './setting-kinds.ts';

/** Settings of the AI provider. */
export const AI_SETTINGS = {
  SVC_AI_ENDPOINT: url('AI provider: endpoint; without it the lexical mock is used'),
  SVC_AI_DEPLOYMENT: text('AI provider: embeddings deployment'),
  SVC_AI_CHAT_DEPLOYMENT: text('AI provider: chat deployment; without it a live provider drafts no taxonomy'),
  SVC_AI_KEY_REF: secretRef('AI provider: key'),
  SVC_AI_AZURE_IDENTITY: flag('AI provider: the Azure identity of the host, managed or workload, not a key'),
  SVC_AI_PRIVATE_NETWORK: flag(
    'AI provider: the endpoint is a model server on the own network that takes no key, and may do without TLS',
  ),
  SVC_AI_SECOND_OPINION: flag('AI provider: is asked which type fits, where the model is not sure'),
  SVC_AI_SECOND_OPINIONS_PER_SCAN: whole('AI provider: most second opinions of a scan', 1, 1_000_000, 1_000),
  SVC_AI_PRICES: prices(
    'AI provider: prices of a million tokens by deployment or model, as JSON such as ' +
      '`{"embedder": {"input": 0.02}, "writer": {"input": 0.15, "output": 0.6}}`, in any one currency',
  ),
  SVC_AI_MONTHLY_CAP: amount(
    'AI provider: most that a tenant may spend in a month (UTC), in the currency of SVC_AI_PRICES; unset: no cap',
  ),
};
