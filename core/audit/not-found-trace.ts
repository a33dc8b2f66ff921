import { CommitGroup } from '../db/commit-group.ts';
import type { Db, Tx } from '../db/tx.ts';
import type { PrincipalId } from '../kernel/ids.ts';
import { appendAudit } from './append.sql.ts';
import { type AuditSource, auditText } from './event.ts';
import { countNotFound } from './not-found-counts.sql.ts';

/** A response `not_found` to a principal. It does not contain the requested id, which may belong to somebody else. */
export type NotFoundAnswer = {
  source: AuditSource & { principalId: PrincipalId };
  /** Name of the endpoint. Answers are counted by it. */
  endpoint: string;
  method: string;
  route: string;
};

/** 1, 10, 100 and so on, so that few events are written, however many ids somebody tries. */
const isAudited = (count: number) => /^10*$/.test(String(count));

/**
 * Counts `not_found` responses by principal and endpoint, and audits the 1st, 10th, 100th and so on of a window.
 * Count and event are stored in one transaction. The work is the same whether or not the requested resource exists.
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
  // The same order everywhere, so that processes that count the same keys do not deadlock.
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
      if (!isAudited(count)) continue;
      const details = { method, route, count };
      texts.push(auditText(source, { category: 'auth', type: 'not_found_answered', details }));
    }
  }
  await appendAudit(tx, texts);
}
