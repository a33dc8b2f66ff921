import nlp from 'compromise/two';

export { nlp };
