import { answerUnmatched } from '../../../core/http/unmatched.ts';

answerUnmatched();
