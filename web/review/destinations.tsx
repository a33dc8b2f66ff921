import { useReviewListDestinations } from '../../client/generated/review/review.ts';
import { Dialog } from '../design/dialog.tsx';
import { Failure } from '../design/failure.tsx';
import { Skeleton } from '../design/notice.tsx';
import { type Choice, TypeAhead } from '../design/type-ahead.tsx';
import type { Answer, Question } from './answers.ts';

/** Asks for what answers 2 and 3 need: the type that it is, or the domain that it belongs to. */
export function Destinations({
  needs,
  question,
  onAnswer,
  onClose,
}: {
  needs: 'type' | 'domain';
  question: Question;
  onAnswer: (answer: Answer) => void;
  onClose: () => void;
}) {
  const lists = useReviewListDestinations();
  const title = needs === 'type' ? 'Mine, as another type' : 'It belongs to another domain';
  return (
    <Dialog title={title} onClose={onClose}>
      <p className="dim">
        <bdi>{question.assetName}</bdi>
      </p>
      {lists.isPending && <Skeleton />}
      {lists.isError && <Failure error={lists.error} onRetry={() => void lists.refetch()} />}
      {lists.data !== undefined && needs === 'type' && (
        <TypeAhead
          label="Information type"
          choices={lists.data.informationTypes.items
            .filter(({ informationTypeId }) => informationTypeId !== question.informationTypeId)
            .map(
              ({ informationTypeId, informationTypeName, domainName, definition }): Choice => ({
                id: informationTypeId,
                name: informationTypeName,
                text: `${domainName}. ${definition}`,
              }),
            )}
          onChoose={({ id }) => onAnswer({ decision: 'mine_different_type', correctedInformationTypeId: id })}
        />
      )}
      {lists.data !== undefined && needs === 'domain' && (
        <TypeAhead
          label="Domain"
          choices={lists.data.domains.items
            .filter(({ domainId }) => domainId !== question.domainId)
            .map(({ domainId, domainName }): Choice => ({ id: domainId, name: domainName }))}
          onChoose={({ id }) => onAnswer({ decision: 'another_domain', routedDomainId: id })}
        />
      )}
    </Dialog>
  );
}
