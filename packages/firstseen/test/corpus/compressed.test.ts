import { testInputs } from './run.ts';

testInputs('compressed');
