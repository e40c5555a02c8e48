import { testInputs } from './run.ts';

testInputs('csv');
