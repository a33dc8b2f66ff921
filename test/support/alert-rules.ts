import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { evaluate, type Scrape } from './promql.ts';

const Rule = z.strictObject({
  alert: z.string().regex(/^Governance[A-Za-z]+$/),
  expr: z.string(),
  /** Seconds. */
  for: z
    .string()
    .regex(/^[0-9]+m$/)
    .transform((text) => Number.parseInt(text, 10) * 60),
  labels: z.strictObject({ severity: z.enum(['critical', 'warning', 'info']) }),
  annotations: z.strictObject({
    summary: z.string().max(100),
    runbook: z.string().regex(/^docs\/operations\.md#[a-z-]+$/),
  }),
});
export type Rule = z.infer<typeof Rule>;

const RuleFile = z.strictObject({
  groups: z.tuple([
    z.strictObject({
      name: z.literal('data-governance-service'),
      interval: z.literal('1m'),
      rules: z.array(Rule),
    }),
  ]),
});

const INTERVAL_S = 60;

export const RULES: readonly Rule[] = RuleFile.parse(
  parse(readFileSync(new URL('../../infra/prometheus/alerts.yaml', import.meta.url), 'utf8')),
).groups[0].rules;

/** The alerts that fire at the time of the last scrape, by name. */
export const firingAtEnd = (rules: readonly Rule[], scrapes: readonly Scrape[]): string[] =>
  rules.filter((rule) => isFiring(rule, scrapes)).map(({ alert }) => alert);

/** Whether some series has met the condition at each evaluation for as long as the rule asks. */
function isFiring(rule: Rule, scrapes: readonly Scrape[]): boolean {
  const end = scrapes.at(-1)?.at ?? 0;
  let met = new Set<string>();
  for (let at = end - rule.for; at <= end; at += INTERVAL_S) {
    const now = evaluate(rule.expr, scrapes, at).map(({ labels }) =>
      JSON.stringify(Object.entries(labels).sort()),
    );
    met = new Set(at === end - rule.for ? now : now.filter((series) => met.has(series)));
  }
  return met.size > 0;
}
