import { getReviewListQueueQueryOptions } from '../../client/generated/review/review.ts';
import {
  AskedBecause,
  type ReviewListQueueParams,
  Severity,
} from '../../client/generated/service.schemas.ts';
import type { ReviewSearch } from '../shell/routes.tsx';
import { member } from '../shell/search.ts';

/** The filters of the address as the service takes them. Others are left out. */
export function queueFilter({ q, domain, type, severity, why }: ReviewSearch): ReviewListQueueParams {
  const riskSeverity = member(Severity, severity);
  const askedBecause = member(AskedBecause, why);
  return {
    ...(q !== undefined && { q }),
    ...(domain !== undefined && { domainId: domain }),
    ...(type !== undefined && { informationTypeId: type }),
    ...(riskSeverity !== undefined && { riskSeverity }),
    ...(askedBecause !== undefined && { askedBecause }),
  };
}

export const queueQuery = (search: ReviewSearch) => getReviewListQueueQueryOptions(queueFilter(search));
