import { testInputs } from './run.ts';

testInputs('ndjson');
