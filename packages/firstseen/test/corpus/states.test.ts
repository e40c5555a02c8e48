import { testInputs } from './run.ts';

testInputs('states');
