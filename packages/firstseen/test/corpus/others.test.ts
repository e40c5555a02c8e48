import { testInputs } from './run.ts';

testInputs('others');
