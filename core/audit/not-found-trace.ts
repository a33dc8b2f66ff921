import { CommitGroup } from '../db/commit-group.ts';
import type { Db, Tx } from '../db/tx.ts';
import type { PrincipalId } from '../kernel/ids.ts';
import { appendAudit } from './append.sql.ts';
import { type AuditSource, auditText } from './event.ts';
import { countNotFound } from './not-found-counts.sql.ts';

/** That somebody was answered that nothing was found. What they asked for is no part of it: it may be somebody else's. */
export type NotFoundAnswer = {
  source: AuditSource & { principalId: PrincipalId };
  /** Name of the endpoint, by which answers are counted. */
  endpoint: string;
  method: string;
  route: string;
};

/** 1, 10, 100 and so on: however many ids somebody tries, few events tell of it. */
const isTold = (count: number) => /^10*$/.test(String(count));

/**
 * Counts such answers by principal and endpoint, and audits the 1st, 10th, 100th and so on of a window, count and event
 * in one transaction. It does the same whether what was asked for exists or not.
 */
export class NotFoundTrace {
  readonly #group: CommitGroup<NotFoundAnswer>;

  constructor(db: Db) {
    this.#group = new CommitGroup(db, trace);
  }

  /** Resolves once the answer is counted. */
  note(answer: NotFoundAnswer): Promise<void> {
    return this.#group.add(answer.source.tenantId, answer);
  }
}

async function trace(tx: Tx, answers: readonly NotFoundAnswer[]): Promise<void> {
  const alike = Map.groupBy(answers, ({ source, endpoint }) => `${source.principalId} ${endpoint}`);
  const texts: string[] = [];
  // In one order everywhere: processes that count the same would wait for each other in a circle.
  for (const [, group] of [...alike].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [first] = group;
    if (first === undefined) continue;
    const counted = {
      principalId: first.source.principalId,
      endpoint: first.endpoint,
      answers: group.length,
    };
    const before = (await countNotFound(tx, counted, first.source.now)) - group.length;
    for (const [index, { source, method, route }] of group.entries()) {
      const count = before + index + 1;
      if (!isTold(count)) continue;
      const details = { method, route, count };
      texts.push(auditText(source, { category: 'auth', type: 'not_found_answered', details }));
    }
  }
  await appendAudit(tx, texts);
}
